#!/usr/bin/env python3
"""Compares two stores logically: same entities, same attributes and relations by natural key, same versions.

Primary keys may differ. Both stores are read in key order and compared row by row, so memory stays flat.

usage: verify.py STORE STORE [--ignore-versions]
exit:  0 equal, 1 different
"""

import argparse
import itertools
import pathlib
import sqlite3
import sys

ENTITIES = {
    "Category": "SELECT ZNAME, Z_ENT, Z_OPT FROM ZCATEGORY ORDER BY ZNAME",
    "Customer": "SELECT ZEMAIL, Z_ENT, Z_OPT, ZCOUNTRY, ZNAME FROM ZCUSTOMER ORDER BY ZEMAIL",
    "Product": "SELECT p.ZSKU, p.Z_ENT, p.Z_OPT, p.ZNAME, c.ZNAME"
    " FROM ZPRODUCT p LEFT JOIN ZCATEGORY c ON c.Z_PK = p.ZCATEGORY ORDER BY p.ZSKU",
    "Order": "SELECT o.ZORDERID, o.Z_ENT, o.Z_OPT, o.ZQUANTITY, o.ZORDEREDAT, o.ZUNITPRICE, o.ZNOTE, c.ZEMAIL, p.ZSKU,"
    " typeof(o.ZUNITPRICE), typeof(o.ZORDEREDAT) FROM ZORDER o LEFT JOIN ZCUSTOMER c ON c.Z_PK = o.ZCUSTOMER"
    " LEFT JOIN ZPRODUCT p ON p.Z_PK = o.ZPRODUCT ORDER BY o.ZORDERID",
}
TABLES = {"Category": "ZCATEGORY", "Customer": "ZCUSTOMER", "Order": "ZORDER", "Product": "ZPRODUCT"}


def schema(db):
    """The DDL, white space aside."""
    rows = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(kind, name): " ".join(sql.replace("(", " ( ").replace(")", " ) ").split()) for kind, name, sql in rows}


def problems_of(db):
    """What is wrong with one store by itself."""
    for (message,) in db.execute("PRAGMA integrity_check"):
        if message != "ok":
            yield message
    for pragma, expected in (("page_size", 4096), ("auto_vacuum", 2)):
        (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
        if value != expected:
            yield f"{pragma} is {value}, not {expected}"
    for entity, table in TABLES.items():
        known = db.execute("SELECT Z_MAX, Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", (entity,)).fetchone()
        if known is None:
            yield f"Z_PRIMARYKEY has no {entity}"
            continue
        highest, others = db.execute(f"SELECT coalesce(max(Z_PK), 0), sum(Z_ENT IS NOT ?) FROM {table}", (known[1],)).fetchone()
        if known[0] != highest:
            yield f"{entity}: Z_MAX is {known[0]}, the highest Z_PK {highest}"
        if others:
            yield f"{entity}: {others} rows with another Z_ENT"


def merged(left, right):
    """Pairs the rows of two ordered cursors by their first column; None where one has no such row.

    SQLite orders text by its UTF-8 bytes, which is the order of code points, as Python's.
    """
    a, b = next(left, None), next(right, None)
    while a is not None or b is not None:
        if b is None or (a is not None and a[0] < b[0]):
            yield a, None
            a = next(left, None)
        elif a is None or b[0] < a[0]:
            yield None, b
            b = next(right, None)
        else:
            yield a, b
            a, b = next(left, None), next(right, None)


def differences(left, right, ignore_versions):
    """What differs between two stores."""
    if schema(left) != schema(right):
        for key in sorted(schema(left).keys() | schema(right).keys()):
            a, b = schema(left).get(key), schema(right).get(key)
            if a != b:
                yield f"{key[0]} {key[1]}: {a} / {b}"
    for entity, query in ENTITIES.items():
        if ignore_versions:
            query = query.replace("Z_OPT", "Z_OPT * 0")
        for a, b in merged(left.execute(query), right.execute(query)):
            if a != b:
                yield f"{entity}: {a} / {b}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", nargs=2, type=pathlib.Path)
    parser.add_argument("--ignore-versions", action="store_true", help="do not compare Z_OPT")
    arguments = parser.parse_args()
    stores = []
    for path in arguments.stores:
        if not path.is_file():
            sys.exit(f"verify: {path}: no such store")
        wal = pathlib.Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size:
            sys.exit(f"verify: {path}: not checkpointed")
        stores.append(sqlite3.connect(f"file:{path}?immutable=1", uri=True))
    found = 0
    for path, db in zip(arguments.stores, stores):
        for problem in itertools.islice(problems_of(db), 10):
            print(f"{path}: {problem}")
            found += 1
    for difference in itertools.islice(differences(*stores, arguments.ignore_versions), 10):
        print(difference)
        found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
