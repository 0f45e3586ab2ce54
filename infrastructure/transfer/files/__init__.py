"""The files that an import reads.

source_file a file: its place and its content
content     their bytes, unpacked up to a limit
sources     finds files: in folders and archives, compressed or not
records     the records of a file
"""
