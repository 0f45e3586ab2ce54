"""The log and its read models as a dataset of Parquet files, kept up by position.

`schema` says what columns there are, `folder` keeps the folder and `manifest` what is in it;
`event_pages` and `table_days` read, `part` writes a file, `events` and `tables` do the export.
What imports pyarrow is imported only by who exports: it comes with the extra `parquet`.
"""
