"""A program that answers statements over the dataset in `dataset/` by the engine that is named.

It runs in the environment of `make test-slow` that has the engines. Standard input has the
document's statement, and queries over views of the tables named after the engine; the last line
of the output has the rows of each.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any


def spark(documented: str, queries: Sequence[str], tables: Sequence[str]) -> Iterator[list[Any]]:
    """Yield Spark's answers; the document's is the value of its last line."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - each engine is loaded alone

    options = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "Asia/Tokyo",  # the document sets another
    }
    session = SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    *before, last = documented.splitlines()
    exec("\n".join(before), {"spark": session})  # noqa: S102 - the document's
    yield eval(last, {"spark": session}).collect()  # noqa: S307 - the document's
    for table in tables:
        session.read.parquet(f"dataset/{table}").createOrReplaceTempView(table)
    for query in queries:
        yield session.sql(query).collect()


def clickhouse(
    documented: str, queries: Sequence[str], tables: Sequence[str]
) -> Iterator[list[Any]]:
    """Yield ClickHouse's answers."""
    from chdb.session import Session  # noqa: PLC0415 - each engine is loaded alone

    session = Session()
    for table in tables:
        files = f"file('dataset/{table}/day=*/*.parquet', Parquet)"
        session.query(f"CREATE VIEW {table} AS SELECT * FROM {files}")  # noqa: S608 - tables' own names
    for query in [documented, *queries]:
        answer = session.query(query, "JSONCompactEachRow").bytes()
        yield [json.loads(line) for line in answer.splitlines()]


if __name__ == "__main__":
    engine = {"Spark": spark, "ClickHouse": clickhouse}[sys.argv[1]]
    print(json.dumps(list(engine(**json.load(sys.stdin), tables=sys.argv[2:])), default=str))  # noqa: T201 - its answer
