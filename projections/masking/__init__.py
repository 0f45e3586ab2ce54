"""Masks: secrets, personal data or all texts replaced before anything is written."""
