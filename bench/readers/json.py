"""JSON: the orders of the benchmark as one document with an array, beside the same orders as NDJSON."""

from readers import Contestant, mergewalk, ndjson, say

# simdjson has no way to read a document larger than memory allows; the lines are the measure.
BARS = {}


def data(settings):
    source = ndjson.data(settings)
    target = source.with_name("orders.json")
    if not target.exists():
        say(f"readers: writing {target.name}")
        unfinished = target.with_name("unfinished.json")
        with open(source, "rb") as lines, open(unfinished, "wb") as document:
            document.write(b'{"version": 1, "orders": [')
            separator = b"\n"
            for line in lines:
                document.write(separator + line.rstrip(b"\n"))
                separator = b",\n"
            document.write(b"\n]}\n")
        unfinished.rename(target)
    return target


def contestants(settings, path):
    columns = ("--columns", ndjson.COLUMNS)
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "json", path, "--records", "$.orders", *columns)),
        Contestant("ndjson", lambda: mergewalk(settings, "ndjson", ndjson.data(settings), *columns)),
    ]
