/* The initial load: one INSERT ... SELECT from a virtual table that hands parsed records to SQLite. That saves the
 * bind, step and reset of a statement per row (see README.md for the measurement). */
#include "jobs.h"
#include "orders.h"
#include "report.h"
#include "rows.h"
#include "store.h"
#include <unistd.h>

enum { BLOCK = 512 };

/* An order whose key's hash was seen before, with its bytes: almost certainly a duplicate. It waits until the rows
 * before it are in. */
struct repeated { struct order order; char *bytes; uint32_t candidate; };

struct feed {
  struct csv *csv;
  struct shop shop;
  struct record records[BLOCK];
  struct order orders[BLOCK];
  size_t count, next;
  uint32_t pk;                         /* of the order at `next` */
  struct seen { uint64_t hash; } *seen;/* open addressing by the hash of the order id */
  uint32_t *seen_pk;
  uint64_t mask, seen_count;
  struct repeated *repeated;
  size_t repeated_count;
  uint64_t read;
};

/* ---- Keys seen ------------------------------------------------------------------------------------------- */

static void seen_resize(struct feed *feed, uint64_t size) {
  struct seen *old = feed->seen;
  uint32_t *old_pk = feed->seen_pk;
  uint64_t old_size = old ? feed->mask + 1 : 0;
  feed->seen = resize(NULL, size * sizeof *feed->seen);
  feed->seen_pk = calloc(size, sizeof *feed->seen_pk);
  if (!feed->seen_pk) die("no memory");
  feed->mask = size - 1;
  for (uint64_t i = 0; i < old_size; i++) {
    if (!old_pk[i]) continue;
    uint64_t at = old[i].hash;
    while (feed->seen_pk[at & feed->mask]) at++;
    feed->seen[at & feed->mask] = old[i];
    feed->seen_pk[at & feed->mask] = old_pk[i];
  }
  free(old);
  free(old_pk);
}

/* The primary key of an earlier order with this hash, or 0 after noting this one. */
static uint32_t seen_before(struct feed *feed, uint64_t hash, uint32_t pk) {
  uint64_t at = hash;
  for (; feed->seen_pk[at & feed->mask]; at++)
    if (feed->seen[at & feed->mask].hash == hash) return feed->seen_pk[at & feed->mask];
  feed->seen[at & feed->mask].hash = hash;
  feed->seen_pk[at & feed->mask] = pk;
  if (++feed->seen_count * 5 > feed->mask * 4) seen_resize(feed, (feed->mask + 1) * 2);
  return 0;
}

/* ---- Records --------------------------------------------------------------------------------------------- */

static void set_aside(struct feed *feed, const struct order *order, uint32_t candidate) {
  if ((feed->repeated_count & (feed->repeated_count - 1)) == 0)
    feed->repeated = resize(feed->repeated, (feed->repeated_count * 2 + 1) * sizeof *feed->repeated);
  struct repeated *r = feed->repeated + feed->repeated_count++;
  *r = (struct repeated){*order, resize(NULL, order->id.count + order->note.count + 1), candidate};
  memcpy(r->bytes, order->id.bytes, order->id.count);
  memcpy(r->bytes + order->id.count, order->note.bytes, order->note.count);
  r->order.id.bytes = r->bytes;
  r->order.note.bytes = r->bytes + order->id.count;
}

/* Parses, resolves and converts the next block; orders with a key seen before are set aside. */
static void read_block(struct feed *feed) {
  do {
    size_t count = csv_read(feed->csv, feed->records, BLOCK, false);
    feed->next = feed->count = 0;
    if (count == 0) return;
    feed->read += count;
    shop_resolve(&feed->shop, feed->records, count, feed->orders);
    uint64_t hashes[BLOCK];
    for (size_t i = 0; i < count; i++) {
      order_convert(feed->records + i, feed->orders + i);
      hashes[i] = hash_bytes(feed->orders[i].id.bytes, feed->orders[i].id.count);
      __builtin_prefetch(feed->seen + (hashes[i] & feed->mask));
      __builtin_prefetch(feed->seen_pk + (hashes[i] & feed->mask));
    }
    for (size_t i = 0; i < count; i++) {
      uint32_t earlier = seen_before(feed, hashes[i], feed->pk + (uint32_t)feed->count);
      if (earlier) set_aside(feed, feed->orders + i, earlier);
      else if (i != feed->count) feed->orders[feed->count++] = feed->orders[i];
      else feed->count++;
    }
  } while (feed->count == 0);
}

/* ---- The records as a table ------------------------------------------------------------------------------ */

static bool feed_first(void *owner) {
  read_block(owner);
  return ((struct feed *)owner)->count > 0;
}

static bool feed_next(void *owner) {
  struct feed *feed = owner;
  feed->pk++;
  if (++feed->next == feed->count) read_block(feed);
  return feed->count > 0;
}

static void feed_column(void *owner, sqlite3_context *context, int column) {
  const struct feed *feed = owner;
  const struct order *order = feed->orders + feed->next;
  switch (column) {
  case 0: sqlite3_result_int64(context, feed->pk); break;
  case 1: sqlite3_result_int64(context, ENT_ORDER); break;
  case 2: sqlite3_result_int64(context, 1); break;
  case 3: sqlite3_result_int64(context, order->quantity); break;
  case 4: sqlite3_result_int64(context, order->customer); break;
  case 5: sqlite3_result_int64(context, order->product); break;
  case 6: sqlite3_result_int64(context, order->date); break;
  case 7: sqlite3_result_double(context, order->price); break;
  case 8: result_text(context, order->note.bytes, order->note.count); break;
  default: result_text(context, order->id.bytes, order->id.count);
  }
}

/* ---- The job --------------------------------------------------------------------------------------------- */

/* Upserts the orders that were set aside, in file order: the last one wins. */
static void upsert_repeated(struct feed *feed, sqlite3 *db, struct counts *counts) {
  if (!feed->repeated_count) return;
  struct order_statements statements;
  order_statements_prepare(&statements, db);
  for (size_t i = 0; i < feed->repeated_count; i++) {
    struct repeated *r = feed->repeated + i;
    enum difference difference = order_compare(&statements, r->candidate, &r->order);
    if (difference == ANOTHER_ORDER) die("two order ids with one 64-bit hash: %.*s", (int)r->order.id.count, r->order.id.bytes);
    if (difference == SAME) {
      counts->unchanged++;
    } else {
      order_update(&statements, r->candidate, &r->order, difference);
      counts->updated++;
    }
    free(r->bytes);
  }
  order_statements_finalize(&statements);
}

void load(const char *csv, const char *store, bool live_indexes) {
  char *building = sqlite3_mprintf("%s.building", store);
  unlink(building);
  sqlite3 *db = db_open(building, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  db_run(db, "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
             "PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = OFF");
  /* Rows and, later, sorted index entries are appended, so pages need no cache; and SQLite takes `cache_size` for the
   * size of a sorter's runs, which sort 1.5 times as fast when they fit the processor's cache. */
  db_run(db, live_indexes ? "PRAGMA cache_size = -65536; BEGIN" : "PRAGMA cache_size = -4096; BEGIN");
  store_create_tables(db);
  if (live_indexes) store_create_indexes(db);

  struct feed *feed = calloc(1, sizeof *feed);
  if (!feed) die("no memory");
  feed->csv = csv_open(csv);
  feed->pk = 1;
  references_init(&feed->shop.customers);
  references_init(&feed->shop.products);
  references_init(&feed->shop.categories);
  seen_resize(feed, 1 << 16);
  const struct rows rows = {
    "CREATE TABLE feed(pk, ent, opt, quantity, customer, product, date, price, note, id)", feed_first, feed_next,
    feed_column, feed};
  rows_register(db, "feed", &rows);
  db_run(db, "INSERT INTO ZORDER SELECT * FROM feed");
  struct counts counts = {.read = feed->read, .inserted = feed->pk - 1};
  trace("orders");
  upsert_repeated(feed, db, &counts);
  free(feed->seen);
  free(feed->seen_pk);

  struct writers writers;
  writers_prepare(&writers, db);
  store_write_references(&writers, &feed->shop);
  writers_finalize(&writers);
  trace("references");
  if (!live_indexes) store_create_indexes(db);
  trace("indexes");
  store_create_bookkeeping(db);
  store_write_keys(db, &feed->shop, feed->pk - 1, true);
  db_run(db, "COMMIT");
  db_check(db, sqlite3_close(db));
  trace("commit");
  store_publish(building, store);
  trace("sync");
  csv_close(feed->csv);
  report("load", &counts, &feed->shop);
}
