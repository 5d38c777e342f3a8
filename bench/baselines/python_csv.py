#!/usr/bin/env python3
"""The benchmark's job with Python's csv and sqlite3: batches, executemany, reference rows in dictionaries."""

import csv
import datetime
import itertools
import json
import os
import pathlib
import sqlite3
import sys

BATCH = 20_000
SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "schema"
EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)

INSERT = {
    "Category": "INSERT INTO ZCATEGORY VALUES (?, 1, 1, ?)",
    "Customer": "INSERT INTO ZCUSTOMER VALUES (?, 2, 1, ?, ?, ?)",
    "Order": "INSERT INTO ZORDER VALUES (?, 3, 1, ?, ?, ?, ?, ?, ?, ?)",
    "Product": "INSERT INTO ZPRODUCT VALUES (?, 4, 1, ?, ?, ?)",
}
UPDATE_CUSTOMER = "UPDATE ZCUSTOMER SET Z_OPT = Z_OPT + 1, ZCOUNTRY = ?, ZNAME = ? WHERE Z_PK = ?"
UPDATE_PRODUCT = "UPDATE ZPRODUCT SET Z_OPT = Z_OPT + 1, ZCATEGORY = ?, ZNAME = ? WHERE Z_PK = ?"
UPDATE_ORDER = (
    "UPDATE ZORDER SET Z_OPT = Z_OPT + 1, ZQUANTITY = ?, ZCUSTOMER = ?, ZPRODUCT = ?, ZORDEREDAT = ?,"
    " ZUNITPRICE = ?, ZNOTE = ? WHERE Z_PK = ?"
)


class Shop:
    """Customers, products and categories by key as (primary key, attributes), and the writes of one batch."""

    def __init__(self, db=None):
        self.categories, self.customers, self.products = {}, {}, {}
        self.maxima = dict.fromkeys(INSERT, 0)
        self.inserts = {entity: [] for entity in INSERT}
        self.customer_updates, self.product_updates = [], []
        if db is None:
            return
        self.categories = {name: pk for pk, name in db.execute("SELECT Z_PK, ZNAME FROM ZCATEGORY")}
        self.products = {
            sku: (pk, (category, name))
            for pk, category, name, sku in db.execute("SELECT Z_PK, ZCATEGORY, ZNAME, ZSKU FROM ZPRODUCT")
        }
        self.customers = {
            email: (pk, (country, name))
            for pk, country, email, name in db.execute("SELECT Z_PK, ZCOUNTRY, ZEMAIL, ZNAME FROM ZCUSTOMER")
        }
        self.maxima = dict(db.execute("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY"))

    def next_key(self, entity):
        self.maxima[entity] += 1
        return self.maxima[entity]

    def resolve(self, email, customer_name, country, sku, product_name, category_name):
        category = self.categories.get(category_name)
        if category is None:
            category = self.categories[category_name] = self.next_key("Category")
            self.inserts["Category"].append((category, category_name))

        known, values = self.products.get(sku), (category, product_name)
        if known is None:
            known = self.products[sku] = (self.next_key("Product"), values)
            self.inserts["Product"].append((known[0], *values, sku))
        elif known[1] != values:
            self.products[sku] = (known[0], values)
            self.product_updates.append((*values, known[0]))
        product = known[0]

        known, values = self.customers.get(email), (country, customer_name)
        if known is None:
            known = self.customers[email] = (self.next_key("Customer"), values)
            self.inserts["Customer"].append((known[0], country, email, customer_name))
        elif known[1] != values:
            self.customers[email] = (known[0], values)
            self.customer_updates.append((*values, known[0]))
        return known[0], product

    def flush(self, db):
        for entity, rows in self.inserts.items():
            db.executemany(INSERT[entity], rows)
            rows.clear()
        db.executemany(UPDATE_CUSTOMER, self.customer_updates)
        db.executemany(UPDATE_PRODUCT, self.product_updates)
        self.customer_updates.clear()
        self.product_updates.clear()


def batches(path):
    """Lists of up to BATCH raw records."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        next(reader)
        while batch := list(itertools.islice(reader, BATCH)):
            yield batch


def convert(record, shop):
    """An order's id and the values of its row."""
    order_id, ordered_at, quantity, unit_price, note, *reference = record
    customer, product = shop.resolve(*reference)
    seconds = int((datetime.datetime.fromisoformat(ordered_at) - EPOCH).total_seconds())
    return order_id, (int(quantity), customer, product, seconds, float(unit_price), note or None)


def upsert(records, stored, shop, counts, updates):
    """Compares records with `stored`, {order id: (primary key, values)}, and brings that up to date."""
    for record in records:
        order_id, values = convert(record, shop)
        known = stored.get(order_id)
        if known is None:
            pk = shop.next_key("Order")
            shop.inserts["Order"].append((pk, *values, order_id))
            counts["inserted"] += 1
        elif known[1] == values:
            counts["unchanged"] += 1
            continue
        else:
            pk = known[0]
            updates.append((*values, pk))
            counts["updated"] += 1
        stored[order_id] = (pk, values)


def write_maxima(db, shop):
    db.executemany("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?", [(v, k) for k, v in shop.maxima.items()])


def load(path, store, counts):
    """Builds the store beside its name, indexes last, then syncs and renames it."""
    building = store + ".building"
    pathlib.Path(building).unlink(missing_ok=True)
    db = sqlite3.connect(building, isolation_level=None, cached_statements=256)
    db.executescript(
        "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        " PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536; BEGIN;" + (SCHEMA / "tables.sql").read_text()
    )
    shop, seen = Shop(), {}
    for batch in batches(path):
        counts["read"] += len(batch)
        for record in batch:
            order_id, values = convert(record, shop)
            pk = seen.get(order_id)
            if pk is None:
                pk = seen[order_id] = shop.next_key("Order")
                shop.inserts["Order"].append((pk, *values, order_id))
                counts["inserted"] += 1
                continue
            shop.flush(db)
            columns = "ZQUANTITY, ZCUSTOMER, ZPRODUCT, ZORDEREDAT, ZUNITPRICE, ZNOTE"
            stored = db.execute(f"SELECT {columns} FROM ZORDER WHERE Z_PK = ?", (pk,)).fetchone()
            if stored == values:
                counts["unchanged"] += 1
            else:
                db.execute(UPDATE_ORDER, (*values, pk))
                counts["updated"] += 1
        shop.flush(db)
    for name in ("indexes.sql", "bookkeeping.sql"):
        for statement in (SCHEMA / name).read_text().splitlines():
            db.execute(statement)
    write_maxima(db, shop)
    db.execute("COMMIT")
    db.close()
    for target in (building, os.path.dirname(os.path.abspath(store))):
        if target != building:
            os.rename(building, store)
        descriptor = os.open(target, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def nightly(path, store, counts):
    """Upserts into an existing store, one fetch and one transaction per batch."""
    db = sqlite3.connect(store, isolation_level=None, cached_statements=256)
    db.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;"
        " PRAGMA wal_autocheckpoint = 16000"
    )
    limit = db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    shop = Shop(db)
    for batch in batches(path):
        counts["read"] += len(batch)
        db.execute("BEGIN IMMEDIATE")
        stored = {}
        for start in range(0, len(batch), limit):
            keys = [record[0] for record in batch[start : start + limit]]
            rows = db.execute(
                "SELECT ZORDERID, Z_PK, ZQUANTITY, ZCUSTOMER, ZPRODUCT, ZORDEREDAT, ZUNITPRICE, ZNOTE FROM ZORDER"
                f" WHERE ZORDERID IN ({','.join('?' * len(keys))})",
                keys,
            )
            stored.update((row[0], (row[1], row[2:])) for row in rows)
        updates = []
        upsert(batch, stored, shop, counts, updates)
        shop.flush(db)
        db.executemany(UPDATE_ORDER, updates)
        write_maxima(db, shop)
        db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("load", "nightly"):
        sys.exit("usage: python_csv.py load|nightly ORDERS.csv STORE.sqlite")
    counts = {"read": 0, "inserted": 0, "updated": 0, "unchanged": 0}
    {"load": load, "nightly": nightly}[sys.argv[1]](sys.argv[2], sys.argv[3], counts)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
