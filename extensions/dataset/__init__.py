"""Export of the log and its read models as a dataset of Parquet files, incremental by position.

`schema` defines the columns, `places` keep the files and `manifest` names them; `marks` tells the
log, `event_pages` and `table_days` read, `part` writes a file, `events` and `tables` do the export,
`erased` applies erasures. Modules that need pyarrow are imported only for an export: it is in the
extra `parquet`.
"""

from agentlog.extension import Command, Extension

EXTENSION = Extension(
    "The log and its read models as a dataset of Parquet files.",
    commands={
        "export dataset": Command(
            "agentlog.extensions.dataset.commands:app",
            "Create a Parquet dataset of the log and all read models, or bring one up to date.",
        ),
    },
)
