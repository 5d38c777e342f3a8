"""Small inputs, models and pipelines that scenarios are made of; equal calls write equal files."""

import base64
import csv
import gzip
import io
import json
import pathlib
import random
import sqlite3

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
SHOP = FIXTURES / "shop" / "Shop.xcdatamodeld"
COLUMNS = ("order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,product_name,"
           "category").split(",")

MAPPING = """
  attributes:
    orderID: order_id
    orderedAt: { from: ordered_at, date: iso8601 }
    quantity: quantity
    unitPrice: unit_price
    note: { trim: true, empty: null }
  relationships:
    customer: { find_by: { email: customer_email }, attributes: { name: customer_name, country: country } }
    product:
      find_by: { sku: sku }
      attributes: { name: product_name }
      relationships: { category: { find_by: { name: category } } }
"""

PRESS = """model: Press
entities:
  Article:
    attributes: { number: integer64!, title: string }
    relationships:
      tags: { to_many: Tag, inverse: articles }
      chapters: { to_many: Chapter, inverse: article, ordered: true, delete: cascade }
      sequel: { to_one: Article, inverse: prequels }
      prequels: { to_many: Article, inverse: sequel }
    unique: [number]
  Tag:
    attributes: { name: string! }
    relationships: { articles: { to_many: Article, inverse: tags } }
    unique: [name]
  Chapter:
    attributes: { number: integer16!, title: string }
    relationships: { article: { to_one: Article, inverse: chapters, required: true } }
"""

# The tables of persistent history as Core Data makes them (docs/coredata-layout.md).
HISTORY = """
CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
  ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
  ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
  ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES
  (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0);
"""


def orders(count, first=1, bad=False, seed=1, again=0.25):
    """Orders as CSV: new numbers from `first` on, `again` of them came before; with `bad` some that are rejected."""
    draw = random.Random(seed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for i in range(count):
        number = first + i if draw.random() >= again else draw.randrange(1, first + count)
        chance = draw.randrange(100)
        if bad and chance < 3:
            writer.writerow([number, "too short"])
            continue
        customer, product = draw.randrange(24), draw.randrange(12)
        writer.writerow([
            number, f"2024-05-{draw.randrange(10, 29)}T10:00:00Z", "many" if bad and chance < 7 else draw.randrange(1, 9),
            draw.randrange(100, 9999) / 10, f"a, {chance}", f"c{customer}@example.com", f"C{customer}", "DE",
            f"S{product}", f"P{product}", f"cat{product % 5}"])
    return text.getvalue()


def shop(folder, name="p.yaml", files="in-*.csv", more="", inside="", mode="upsert", key="find_by: [orderID]",
         batch=12, rejects="rejects: rejects.ndjson"):
    """Writes a pipeline that imports orders."""
    write(folder, name, f"pipeline: {pathlib.Path(name).stem}\nmodel: {SHOP}\nstore: s.sqlite\n"
          f"source: {{ files: \"{files}\" }}\nbatch: {{ records: {batch} }}\n{rejects}\n{more}\n"
          f"import:\n  entity: Order\n  mode: {mode}\n  {key}\n  {inside}{MAPPING}")


def articles(count, seed, first=1, linked=0):
    """Articles with tags and chapters as NDJSON; `linked` of a hundred name a sequel, some of which is not there."""
    draw = random.Random(seed)
    lines = []
    for number in range(first, first + count):
        record = {"number": number, "title": f"T{draw.randrange(1000)}",
                  "tags": [f"t{draw.randrange(9)}" for _ in range(draw.randrange(4))],
                  "chapters": [{"number": n, "title": f"c{draw.randrange(99)}"} for n in range(draw.randrange(4))]}
        if draw.randrange(100) < linked:
            record["sequel"] = draw.randrange(1, first + count + 3)
        lines.append(json.dumps(record))
    draw.shuffle(lines)
    return "\n".join(lines) + "\n"


def press(folder, name="p.yaml", links=False):
    """Writes a pipeline that imports articles: with their lists, or with links that need a second pass."""
    write(folder, "press.yaml", PRESS)
    related = ("    sequel: { find_by: { number: sequel }, missing: reject }\n" if links else
               "    tags: { each: tags, find_by: { name: . } }\n    chapters:\n      each: chapters\n"
               "      find_by: [number]\n      attributes: [title]\n      orphans: delete\n")
    write(folder, name, "pipeline: press\nmodel: press.yaml\nstore: s.sqlite\nsource: in.ndjson\n"
          "rejects: rejects.ndjson\nbatch: { records: 8 }\n"
          f"import:\n  entity: Article\n  find_by: [number]\n  attributes: [title]\n  relationships:\n{related}")


def photos(count, seed, size=130_000):
    """Records with values that are so large that they lie beside the store, and some that do not."""
    draw = random.Random(seed)
    lines = []
    for number in range(count):
        data = base64.b64encode(draw.randbytes(size if number % 3 else 200)).decode()
        lines.append(json.dumps({"code": f"p{number}", "image": data}))
    return "\n".join(lines) + "\n"


def album(folder):
    """Writes a pipeline for photos."""
    write(folder, "album.yaml", "model: Album\nentities:\n  Photo:\n    attributes:\n      code: string!\n"
          "      image: { type: binary, external_storage: true }\n    unique: [code]\n")
    write(folder, "p.yaml", "pipeline: album\nmodel: album.yaml\nstore: s.sqlite\nsource: in.ndjson\n"
          "batch: { records: 3 }\nimport:\n  entity: Photo\n  find_by: [code]\n  attributes: [image]\n")


def track_history(store):
    """Gives a store the tables of persistent history."""
    connection = sqlite3.connect(store)
    connection.executescript(HISTORY)
    connection.close()


def write(folder, name, text):
    """Writes a file, gzipped where its name says so; equal texts give equal bytes."""
    path = pathlib.Path(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
