"""Histories in and out of files.

sources    finds the records in files and folders
template   thread ids and metadata made from a record
records    what a record of a file says: its thread and its messages
importer   records into the store, each by itself, safe to run twice
exporter   threads out of the store, as records that import reads
"""
