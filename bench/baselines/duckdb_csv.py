"""DuckDB's CSV reader on one thread; every column is read as text and its length in bytes added up, which is the
cheapest that makes it look at all values.

    duckdb_csv.py FILE
"""

import csv
import json
import resource
import sys
import time

import duckdb


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


path = sys.argv[1]
with open(path, encoding="utf-8", newline="") as file:
    names = next(csv.reader(file))
connection = duckdb.connect()
connection.execute("SET threads = 1")
columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
lengths = " + ".join(f"sum(strlen(coalesce({name}, '')))" for name in names)
query = (f"SELECT count(*), {lengths} FROM read_csv(?, header = true, auto_detect = false, delim = ',', quote = '\"', "
         f"escape = '\"', columns = {{{columns}}})")
started, processor_started = time.monotonic(), processor_seconds()
records, size = connection.execute(query, [path]).fetchone()
print(json.dumps({
    "records": records, "fields": records * len(names), "bytes": int(size),
    "seconds": time.monotonic() - started, "cpu_seconds": processor_seconds() - processor_started,
}))
