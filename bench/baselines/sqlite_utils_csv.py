#!/usr/bin/env python3
"""The benchmark's job with sqlite-utils: `upsert_all` into plain tables with natural keys, which are no Core Data store."""

import csv
import itertools
import json
import sys

import sqlite_utils

BATCH = 20_000


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("load", "nightly"):
        sys.exit("usage: sqlite_utils_csv.py load|nightly ORDERS.csv FILE")
    db = sqlite_utils.Database(sys.argv[3])
    db.enable_wal()
    read = 0
    source = rows(sys.argv[2])
    while batch := list(itertools.islice(source, BATCH)):
        read += len(batch)
        db["category"].upsert_all(({"name": r["category"]} for r in batch), pk="name", batch_size=1000)
        db["product"].upsert_all(
            ({"sku": r["sku"], "name": r["product_name"], "category": r["category"]} for r in batch), pk="sku",
            batch_size=1000)
        db["customer"].upsert_all(
            ({"email": r["customer_email"], "name": r["customer_name"], "country": r["country"]} for r in batch),
            pk="email", batch_size=1000)
        db["orders"].upsert_all(
            (
                {
                    "order_id": r["order_id"], "ordered_at": r["ordered_at"], "quantity": int(r["quantity"]),
                    "unit_price": float(r["unit_price"]), "note": r["note"] or None, "customer": r["customer_email"],
                    "product": r["sku"],
                }
                for r in batch
            ),
            pk="order_id", batch_size=1000)
    if sys.argv[1] == "load":
        for column in ("customer", "product"):
            db["orders"].create_index([column])
        db["product"].create_index(["category"])
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    print(json.dumps({"read": read}))


if __name__ == "__main__":
    main()
