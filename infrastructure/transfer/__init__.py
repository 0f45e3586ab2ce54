"""Import and export of histories as files.

files      the files that an import reads, and their records
documents  finds out the format of a file, and which of its records are histories by themselves
template   thread ids and metadata made from a record
threads    makes threads of histories: ids, facts, messages
growth     what a record may add to a thread that is there
importer   imports threads into the store, each by itself, safe to repeat
rehearsal  a store for dry runs, which commits nothing
imports    imports on record, undone and redone
follower   follows files as they grow
report     what an import did, and where
exporter   exports threads as records that import reads
uploads    imports of files that come in pieces, over HTTP
"""
