/* The nightly run: upserts a file into an existing store, in WAL mode, one transaction per 20,000 records, or one at the
 * end with all changes in the order of their rows. */
#include "jobs.h"
#include "orders.h"
#include "report.h"
#include "seek.h"
#include "store.h"

enum { BATCH = 20000 };

/* ---- The scan plan's picture of ZORDER --------------------------------------------------------------------- */

/* Open addressing by the hash of the order id: 24 bytes a row. */
struct entry { uint64_t key, content, pk; };

struct picture { struct entry *entries; uint64_t mask, count; };

static void picture_init(struct picture *picture, uint64_t rows) {
  uint64_t size = 1 << 16;
  while (size < rows * 3 / 2) size *= 2;
  *picture = (struct picture){calloc(size, sizeof *picture->entries), size - 1, 0};
  if (!picture->entries) die("no memory");
}

static void picture_add(struct picture *picture, struct entry entry) {
  uint64_t at = entry.key;
  while (picture->entries[at & picture->mask].pk) at++;
  picture->entries[at & picture->mask] = entry;
  if (++picture->count * 5 < picture->mask * 4) return;
  struct picture old = *picture;
  picture_init(picture, old.mask * 2);
  for (uint64_t i = 0; i <= old.mask; i++)
    if (old.entries[i].pk) picture_add(picture, old.entries[i]);
  free(old.entries);
}

static inline uint64_t content_hash(uint64_t key, struct slice note, int64_t quantity, int64_t customer,
                                    int64_t product, int64_t date, double price) {
  uint64_t bits;
  memcpy(&bits, &price, sizeof bits);
  uint64_t hash = combine(key, hash_bytes(note.bytes, note.count));
  hash = combine(hash, (uint64_t)quantity << 40 ^ (uint64_t)date);
  return combine(combine(hash, (uint64_t)customer << 32 ^ (uint64_t)product), bits);
}

static struct slice value_slice(sqlite3_value *value) {
  const char *bytes = (const char *)sqlite3_value_text(value);
  return (struct slice){bytes ? bytes : "", (uint32_t)sqlite3_value_bytes(value)};
}

/* The step of an aggregate: SQLite's loop calls it for each row, which saves a return from the virtual machine and
 * the checks of sqlite3_column_...() per value. */
static void picture_step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  struct picture *picture = sqlite3_user_data(context);
  struct slice id = value_slice(values[7]);
  uint64_t key = hash_bytes(id.bytes, id.count);
  __builtin_prefetch(picture->entries + (key & picture->mask), 1);
  uint64_t content = content_hash(key, value_slice(values[6]), sqlite3_value_int64(values[1]),
                                  sqlite3_value_int64(values[2]), sqlite3_value_int64(values[3]),
                                  sqlite3_value_int64(values[4]), sqlite3_value_double(values[5]));
  picture_add(picture, (struct entry){key, content, (uint64_t)sqlite3_value_int64(values[0])});
}

static void picture_final(sqlite3_context *context) { (void)context; }

static void picture_scan(struct picture *picture, sqlite3 *db, uint64_t rows) {
  picture_init(picture, rows);
  db_check(db, sqlite3_create_function_v2(db, "picture", 8, SQLITE_UTF8, picture, NULL, picture_step, picture_final, NULL));
  db_run(db, "SELECT picture(Z_PK, ZQUANTITY, ZCUSTOMER, ZPRODUCT, ZORDEREDAT, ZUNITPRICE, ZNOTE, ZORDERID) FROM ZORDER");
}

/* ---- The sorted plan's changes ----------------------------------------------------------------------------- */

/* A row to be written at the end; its texts are in the arena of all changes. */
struct change { int64_t pk; struct order order; uint64_t id, note; enum difference difference; };

struct changes {
  struct change *list;
  size_t count, capacity;
  char *arena;
  uint64_t used, size;
};

static uint64_t changes_copy(struct changes *changes, struct slice text) {
  if (changes->used + text.count > changes->size) {
    changes->size = (changes->size + text.count) * 2;
    changes->arena = resize(changes->arena, changes->size);
  }
  memcpy(changes->arena + changes->used, text.bytes, text.count);
  changes->used += text.count;
  return changes->used - text.count;
}

static void changes_add(struct changes *changes, int64_t pk, const struct order *order, enum difference difference) {
  if (changes->count == changes->capacity) {
    changes->capacity = changes->capacity * 2 + 1024;
    changes->list = resize(changes->list, changes->capacity * sizeof *changes->list);
  }
  uint64_t id = changes_copy(changes, order->id), note = changes_copy(changes, order->note);
  changes->list[changes->count++] = (struct change){pk, *order, id, note, difference};
}

static int by_pk(const void *left, const void *right) {
  int64_t a = ((const struct change *)left)->pk, b = ((const struct change *)right)->pk;
  return (a > b) - (a < b);
}

static void changes_write(struct changes *changes, struct order_statements *statements) {
  qsort(changes->list, changes->count, sizeof *changes->list, by_pk);
  for (size_t i = 0; i < changes->count; i++) {
    struct change *change = changes->list + i;
    /* What a later record says is compared with the store, which does not know of the earlier one. */
    if (i && change[-1].pk == change->pk) die("the sorted plan takes each order once");
    change->order.id.bytes = changes->arena + change->id;
    change->order.note.bytes = changes->arena + change->note;
    if (change->difference == ANOTHER_ORDER) order_insert(statements, change->pk, &change->order);
    else order_update(statements, change->pk, &change->order, change->difference);
  }
}

/* ---- One batch ------------------------------------------------------------------------------------------- */

struct run {
  struct shop shop;
  struct order_statements statements;
  struct writers writers;
  struct picture picture;
  struct changes *changes;             /* `NULL` when rows are written at once */
  struct seek *seek;
  struct counts counts;
  int64_t order_max;
  struct record records[BATCH];
  struct order orders[BATCH];
  uint64_t hashes[BATCH];
};

/* Seek: writes what the look-ups decided. */
static void upsert_by_seeks(struct run *run, size_t count) {
  const struct decision *decision;
  size_t kept = seek_batch(run->seek, run->orders, count, &decision);
  run->counts.skipped += count - kept;
  for (const struct decision *end = decision + kept; decision < end; decision++) {
    const struct order *order = run->orders + decision->n;
    if (!decision->pk) {
      order_insert(&run->statements, ++run->order_max, order);
      run->counts.inserted++;
    } else if (decision->difference == SAME) {
      run->counts.unchanged++;
    } else {
      order_update(&run->statements, decision->pk, order, decision->difference);
      run->counts.updated++;
    }
  }
}

/* Scan: compares hashes with the picture; only rows that differ are fetched. */
static void upsert_by_picture(struct run *run, size_t count) {
  struct picture *picture = &run->picture;
  for (size_t i = 0; i < count; i++) {
    const struct order *order = run->orders + i;
    run->hashes[i] = hash_bytes(order->id.bytes, order->id.count);
    __builtin_prefetch(picture->entries + (run->hashes[i] & picture->mask));
  }
  for (size_t i = 0; i < count; i++) {
    const struct order *order = run->orders + i;
    uint64_t key = run->hashes[i];
    uint64_t content = content_hash(key, order->note, order->quantity, order->customer, order->product, order->date,
                                    order->price);
    struct entry *entry = NULL;
    enum difference difference = ANOTHER_ORDER;
    for (uint64_t at = key; picture->entries[at & picture->mask].pk; at++) {
      entry = picture->entries + (at & picture->mask);
      if (entry->key != key) continue;
      if (entry->content == content) difference = SAME;
      else difference = order_compare(&run->statements, (int64_t)entry->pk, order);
      if (difference != ANOTHER_ORDER) break;
    }
    if (difference == ANOTHER_ORDER) {
      run->order_max++;
      if (run->changes) changes_add(run->changes, run->order_max, order, difference);
      else order_insert(&run->statements, run->order_max, order);
      picture_add(picture, (struct entry){key, content, (uint64_t)run->order_max});
      run->counts.inserted++;
    } else if (difference == SAME) {
      run->counts.unchanged++;
    } else {
      if (run->changes) changes_add(run->changes, (int64_t)entry->pk, order, difference);
      else order_update(&run->statements, (int64_t)entry->pk, order, difference);
      entry->content = content;
      run->counts.updated++;
    }
  }
}

/* ---- The job --------------------------------------------------------------------------------------------- */

static int64_t order_max(sqlite3 *db) {
  sqlite3_stmt *statement = db_prepare(db, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Order'");
  if (!db_row(statement)) die("Z_PRIMARYKEY has no Order");
  int64_t max = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return max;
}

void nightly(const char *csv_path, const char *store, enum plan plan) {
  struct run *run = calloc(1, sizeof *run);
  if (!run) die("no memory");
  sqlite3 *db = db_open(store, SQLITE_OPEN_READWRITE);
  /* Checkpoints at 64 MiB of WAL: the default, 4 MiB, syncs twice per batch, and a WAL that grows without bound makes
   * every look-up of a page in it slower. */
  db_run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;"
             "PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 16000");
  struct csv *csv = csv_open(csv_path);
  store_read_references(db, &run->shop);
  run->order_max = order_max(db);
  order_statements_prepare(&run->statements, db);
  writers_prepare(&run->writers, db);
  trace("references");
  struct changes changes = {0};
  if (plan == SORTED) run->changes = &changes;
  if (plan != SEEK) picture_scan(&run->picture, db, (uint64_t)run->order_max);
  else run->seek = seek_prepare(db, BATCH);
  trace("scan");

  for (size_t count; (count = csv_read(csv, run->records, BATCH, true)) > 0;) {
    run->counts.read += count;
    if (!run->changes) db_run(db, "BEGIN IMMEDIATE");
    shop_resolve(&run->shop, run->records, count, run->orders);
    for (size_t i = 0; i < count; i++) order_convert(run->records + i, run->orders + i);
    if (!run->changes) store_write_references(&run->writers, &run->shop);
    if (plan != SEEK) upsert_by_picture(run, count);
    else upsert_by_seeks(run, count);
    if (run->changes) continue;
    store_write_keys(db, &run->shop, run->order_max, false);
    db_run(db, "COMMIT");
  }
  trace("batches");
  if (run->changes) {
    free(run->picture.entries);
    db_run(db, "BEGIN IMMEDIATE");
    store_write_references(&run->writers, &run->shop);
    changes_write(run->changes, &run->statements);
    store_write_keys(db, &run->shop, run->order_max, false);
    db_run(db, "COMMIT");
    trace("changes");
  }
  if (run->seek) seek_finalize(run->seek);
  order_statements_finalize(&run->statements);
  writers_finalize(&run->writers);
  db_run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
  trace("checkpoint");
  db_check(db, sqlite3_close(db));
  trace("close");
  csv_close(csv);
  static const char *names[] = {"nightly (seek)", "nightly (scan)", "nightly (sorted)"};
  report(names[plan], &run->counts, &run->shop);
}
