"""Appending: requests queued, decided together and committed by one writer."""
