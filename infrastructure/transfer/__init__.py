"""Import and export of histories as files.

sources    finds the records in files and folders
template   thread ids and metadata made from a record
records    parses a record of a file: its thread and its messages
importer   imports records into the store, each by itself, safe to repeat
exporter   exports threads as records that import reads
finetuning exports finished threads as examples for fine-tuning
"""
