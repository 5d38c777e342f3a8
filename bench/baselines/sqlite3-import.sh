#!/bin/sh
# The benchmark's job with the sqlite3 shell: .import into a staging table, then SQL.
# usage: sqlite3-import.sh load|nightly ORDERS.csv STORE.sqlite
set -eu

if ! command -v sqlite3 >/dev/null; then
  echo "sqlite3-import: skipped, there is no sqlite3 command (Debian: apt-get install sqlite3)" >&2
  exit 75
fi
if [ $# -ne 3 ]; then
  echo "usage: sqlite3-import.sh load|nightly ORDERS.csv STORE.sqlite" >&2
  exit 64
fi
job=$1 csv=$2 store=$3
schema=$(cd "$(dirname "$0")/../schema" && pwd)

# What both jobs begin with: the records, and of every key the last record.
stage="
.bail on
PRAGMA temp_store = FILE;
CREATE TEMP TABLE staged (order_id TEXT, ordered_at TEXT, quantity INTEGER, unit_price NUMERIC, note TEXT,
  customer_email TEXT, customer_name TEXT, country TEXT, sku TEXT, product_name TEXT, category TEXT);
.import --csv --skip 1 --schema temp \"$csv\" staged
CREATE TEMP TABLE customers AS
  SELECT customer_email AS email, customer_name AS name, country, max(rowid) AS last FROM staged GROUP BY 1;
CREATE TEMP TABLE products AS SELECT sku, product_name AS name, category, max(rowid) AS last FROM staged GROUP BY 1;
"
maxima="
UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZCATEGORY), 0) WHERE Z_ENT = 1;
UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZCUSTOMER), 0) WHERE Z_ENT = 2;
UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZORDER), 0) WHERE Z_ENT = 3;
UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZPRODUCT), 0) WHERE Z_ENT = 4;
"

case $job in
load)
  rm -f "$store.building"
  sqlite3 "$store.building" >/dev/null <<SQL
PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;
$stage
BEGIN;
$(cat "$schema/tables.sql")
INSERT INTO ZCATEGORY SELECT NULL, 1, 1, category FROM products GROUP BY category;
INSERT INTO ZCUSTOMER SELECT NULL, 2, 1, country, email, name FROM customers ORDER BY last;
INSERT INTO ZPRODUCT SELECT NULL, 4, 1, c.Z_PK, p.name, p.sku
  FROM products p JOIN ZCATEGORY c ON c.ZNAME = p.category ORDER BY p.last;
CREATE UNIQUE INDEX Z_Customer_UNIQUE_email ON ZCUSTOMER (ZEMAIL COLLATE BINARY ASC);
CREATE UNIQUE INDEX Z_Product_UNIQUE_sku ON ZPRODUCT (ZSKU COLLATE BINARY ASC);
INSERT INTO ZORDER SELECT NULL, 3, 1, s.quantity, c.Z_PK, p.Z_PK, unixepoch(s.ordered_at) - 978307200, s.unit_price,
    nullif(s.note, ''), s.order_id
  FROM staged s JOIN ZCUSTOMER c ON c.ZEMAIL = s.customer_email JOIN ZPRODUCT p ON p.ZSKU = s.sku
  WHERE s.rowid IN (SELECT max(rowid) FROM staged GROUP BY order_id)
  ORDER BY s.rowid;
$(sed 's/INDEX Z/INDEX IF NOT EXISTS Z/' "$schema/indexes.sql")
$(cat "$schema/bookkeeping.sql")
$maxima
COMMIT;
SQL
  sync "$store.building"
  mv "$store.building" "$store"
  sync "$(dirname "$store")"
  ;;
nightly)
  sqlite3 "$store" >/dev/null <<SQL
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16000;
$stage
BEGIN IMMEDIATE;
INSERT INTO ZCATEGORY SELECT NULL, 1, 1, category FROM products
  WHERE category NOT IN (SELECT ZNAME FROM ZCATEGORY) GROUP BY category;
INSERT INTO ZCUSTOMER SELECT NULL, 2, 1, country, email, name FROM customers
  WHERE email NOT IN (SELECT ZEMAIL FROM ZCUSTOMER) ORDER BY last;
UPDATE ZCUSTOMER SET Z_OPT = Z_OPT + 1, ZCOUNTRY = n.country, ZNAME = n.name
  FROM customers n WHERE n.email = ZEMAIL AND (n.country, n.name) IS NOT (ZCOUNTRY, ZNAME);
INSERT INTO ZPRODUCT SELECT NULL, 4, 1, c.Z_PK, p.name, p.sku FROM products p JOIN ZCATEGORY c ON c.ZNAME = p.category
  WHERE p.sku NOT IN (SELECT ZSKU FROM ZPRODUCT) ORDER BY p.last;
UPDATE ZPRODUCT SET Z_OPT = Z_OPT + 1, ZNAME = n.name, ZCATEGORY = n.category
  FROM (SELECT sku, p.name, c.Z_PK AS category FROM products p JOIN ZCATEGORY c ON c.ZNAME = p.category) n
  WHERE n.sku = ZSKU AND (n.name, n.category) IS NOT (ZNAME, ZCATEGORY);
CREATE TEMP TABLE changes AS
  SELECT o.Z_PK AS pk, s.quantity, c.Z_PK AS customer, p.Z_PK AS product, unixepoch(s.ordered_at) - 978307200 AS date,
    s.unit_price, nullif(s.note, '') AS note, s.order_id
  FROM staged s JOIN ZCUSTOMER c ON c.ZEMAIL = s.customer_email JOIN ZPRODUCT p ON p.ZSKU = s.sku
    LEFT JOIN ZORDER o ON o.ZORDERID = s.order_id
  WHERE s.rowid IN (SELECT max(rowid) FROM staged GROUP BY order_id)
    AND (o.ZQUANTITY, o.ZCUSTOMER, o.ZPRODUCT, o.ZORDEREDAT, o.ZUNITPRICE, o.ZNOTE, o.ZORDERID)
      IS NOT (s.quantity, c.Z_PK, p.Z_PK, unixepoch(s.ordered_at) - 978307200, s.unit_price, nullif(s.note, ''),
              s.order_id);
UPDATE ZORDER SET Z_OPT = Z_OPT + 1, ZQUANTITY = n.quantity, ZCUSTOMER = n.customer, ZPRODUCT = n.product,
    ZORDEREDAT = n.date, ZUNITPRICE = n.unit_price, ZNOTE = n.note
  FROM changes n WHERE n.pk = Z_PK;
INSERT INTO ZORDER SELECT NULL, 3, 1, quantity, customer, product, date, unit_price, note, order_id
  FROM changes WHERE pk IS NULL;
$maxima
COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
SQL
  ;;
*)
  echo "sqlite3-import: no such job: $job" >&2
  exit 64
  ;;
esac
echo "{}"
