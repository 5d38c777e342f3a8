#!/usr/bin/env python3
"""The benchmark's job with DuckDB: set-based SQL into a file of DuckDB's own format, which is no Core Data store."""

import json
import sys

import duckdb

SCHEMA = """
CREATE TABLE category(id INTEGER PRIMARY KEY, name VARCHAR UNIQUE);
CREATE TABLE product(id INTEGER PRIMARY KEY, sku VARCHAR UNIQUE, name VARCHAR, category INTEGER);
CREATE TABLE customer(id INTEGER PRIMARY KEY, email VARCHAR UNIQUE, name VARCHAR, country VARCHAR);
CREATE TABLE orders(
  order_id VARCHAR PRIMARY KEY, ordered_at TIMESTAMP, quantity INTEGER, unit_price DOUBLE, note VARCHAR, customer INTEGER,
  product INTEGER);
"""
COLUMNS = ("ordered_at", "quantity", "unit_price", "note", "customer", "product")


def read(db, path):
    """The file as a table in memory, the last record of a key."""
    db.execute(
        "CREATE TEMP TABLE raw AS SELECT *, row_number() OVER () AS place FROM read_csv(?, header = true, columns = {"
        "'order_id': 'VARCHAR', 'ordered_at': 'TIMESTAMP', 'quantity': 'INTEGER', 'unit_price': 'DOUBLE', 'note': 'VARCHAR',"
        "'customer_email': 'VARCHAR', 'customer_name': 'VARCHAR', 'country': 'VARCHAR', 'sku': 'VARCHAR',"
        "'product_name': 'VARCHAR', 'category': 'VARCHAR'})",
        [path],
    )
    return db.execute("SELECT count(*) FROM raw").fetchone()[0]


def upsert_references(db):
    db.execute(
        "INSERT INTO category SELECT (SELECT coalesce(max(id), 0) FROM category) + row_number() OVER (ORDER BY category),"
        " category FROM (SELECT DISTINCT category FROM raw WHERE category NOT IN (SELECT name FROM category))"
    )
    for table, key, values in (
        ("product", "sku", "arg_max(product_name, place) AS name, arg_max(k.id, place) AS category"),
        ("customer", "customer_email", "arg_max(customer_name, place) AS name, arg_max(country, place) AS country"),
    ):
        own, other = ("sku", "category") if table == "product" else ("email", "country")
        join = "JOIN category AS k ON k.name = raw.category" if table == "product" else ""
        db.execute(f"CREATE TEMP TABLE new AS SELECT {key} AS key, {values} FROM raw {join} GROUP BY {key}")
        db.execute(
            f"UPDATE {table} SET name = new.name, {other} = new.{other} FROM new WHERE {own} = new.key"
            f" AND ({table}.name, {table}.{other}) IS DISTINCT FROM (new.name, new.{other})"
        )
        db.execute(
            f"INSERT INTO {table} SELECT (SELECT coalesce(max(id), 0) FROM {table}) + row_number() OVER (), key, name, {other}"
            f" FROM new WHERE key NOT IN (SELECT {own} FROM {table})"
        )
        db.execute("DROP TABLE new")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("load", "nightly"):
        sys.exit("usage: duckdb_sql.py load|nightly ORDERS.csv FILE")
    db = duckdb.connect(sys.argv[3])
    if sys.argv[1] == "load":
        db.execute(SCHEMA)
    db.execute("BEGIN")
    counts = {"read": read(db, sys.argv[2])}
    upsert_references(db)
    db.execute(
        "CREATE TEMP TABLE wanted AS SELECT order_id, arg_max(ordered_at, place) AS ordered_at,"
        " arg_max(quantity, place) AS quantity, arg_max(unit_price, place) AS unit_price,"
        " arg_max(coalesce(note, ''), place) AS note, arg_max(c.id, place) AS customer, arg_max(p.id, place) AS product"
        " FROM raw JOIN customer AS c ON c.email = customer_email JOIN product AS p ON p.sku = raw.sku GROUP BY order_id"
    )
    old, new = (", ".join(f"{t}.{c}" for c in COLUMNS) for t in ("orders", "wanted"))
    sets = ", ".join(f"{c} = wanted.{c}" for c in COLUMNS)
    counts["updated"] = db.execute(
        f"UPDATE orders SET {sets} FROM wanted WHERE orders.order_id = wanted.order_id"
        f" AND ({old}) IS DISTINCT FROM ({new})"
    ).fetchone()[0]
    counts["inserted"] = db.execute(
        f"INSERT INTO orders SELECT order_id, {', '.join(COLUMNS)} FROM wanted"
        " WHERE NOT EXISTS (SELECT 1 FROM orders WHERE orders.order_id = wanted.order_id)"
    ).fetchone()[0]
    db.execute("COMMIT")
    db.execute("CHECKPOINT")
    db.close()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
