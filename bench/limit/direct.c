/* The initial load past SQLite: rows and keys go into pages of the file by hand. SQLite makes the empty store before and
 * writes Core Data's bookkeeping after it. */
#include "jobs.h"
#include "keys.h"
#include "record.h"
#include "report.h"
#include "store.h"
#include "tree.h"
#include <unistd.h>

enum { BLOCK = 512 };
enum { CATEGORIES, CUSTOMERS, ORDERS, PRODUCTS, CATEGORY_NAME, CUSTOMER_EMAIL, ORDER_CUSTOMER, ORDER_PRODUCT, ORDER_ID,
       PRODUCT_CATEGORY, PRODUCT_SKU, ROOTS };

struct direct {
  const char *building;
  uint32_t roots[ROOTS];
  struct pages *pages;
  struct shop shop;
  struct record records[BLOCK];
  struct order orders[BLOCK];
  struct numbers *customers, *products;
  struct texts *ids;                   /* from the first order on */
  uint32_t pk;                         /* of the last order */
};

/* ---- Rows and keys --------------------------------------------------------------------------------------- */

/* The columns of a row, last one first; the primary key is the rowid, and NULL in the record. */
static uint8_t *end_row(struct record_writer *w, int entity) {
  record_int(w, 1);
  record_int(w, entity);
  record_null(w);
  return record_end(w);
}

static uint8_t *order_record(uint8_t *end, const struct order *order) {
  struct record_writer w;
  record_begin(&w, end);
  record_text(&w, order->id);
  record_text(&w, order->note);
  record_real(&w, order->price);
  record_int(&w, order->date);
  record_int(&w, order->product);
  record_int(&w, order->customer);
  record_int(&w, order->quantity);
  return end_row(&w, ENT_ORDER);
}

static void add_order(struct tree *tree, uint32_t pk, const struct order *order) {
  enum { OTHERS = 128 };               /* bytes that all but the texts take at most */
  size_t size = (size_t)order->id.count + order->note.count + OTHERS;
  if (size <= ROW_MAX) { tree_row(tree, pk, order_record(tree_end(tree), order)); return; }
  uint8_t *bytes = resize(NULL, size), *record = order_record(bytes + size, order);
  tree_long_row(tree, pk, record, (uint32_t)(bytes + size - record));
  free(bytes);
}

static void add_number(void *tree, uint32_t key, uint32_t row) {
  struct record_writer w;
  record_begin(&w, tree_end(tree));
  record_int(&w, row);
  record_int(&w, key);
  tree_key(tree, record_end(&w));
}

static void add_text(void *tree, struct slice key, uint32_t row) {
  struct record_writer w;
  record_begin(&w, tree_end(tree));
  record_int(&w, row);
  record_text(&w, key);
  tree_key(tree, record_end(&w));
}

/* ---- The job --------------------------------------------------------------------------------------------- */

/* Makes the empty store and notes the root pages of its trees. */
static void create(const char *path, uint32_t *roots) {
  static const char *const names[ROOTS] = {
    "ZCATEGORY", "ZCUSTOMER", "ZORDER", "ZPRODUCT", "Z_Category_UNIQUE_name", "Z_Customer_UNIQUE_email",
    "ZORDER_ZCUSTOMER_INDEX", "ZORDER_ZPRODUCT_INDEX", "Z_Order_UNIQUE_orderID", "ZPRODUCT_ZCATEGORY_INDEX",
    "Z_Product_UNIQUE_sku"};
  unlink(path);
  sqlite3 *db = db_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  db_run(db, "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  store_create_tables(db);
  store_create_indexes(db);
  store_create_bookkeeping(db);
  db_run(db, "COMMIT");
  sqlite3_stmt *statement = db_prepare(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?");
  for (int i = 0; i < ROOTS; i++) {
    sqlite3_bind_text(statement, 1, names[i], -1, SQLITE_STATIC);
    if (!db_row(statement)) die("no %s", names[i]);
    roots[i] = (uint32_t)sqlite3_column_int64(statement, 0);
    db_check(db, sqlite3_reset(statement));
  }
  sqlite3_finalize(statement);
  db_check(db, sqlite3_close(db));
}

/* Writes the rows of all orders and gathers their keys. */
static void add_orders(struct direct *direct, struct csv *csv) {
  struct tree *tree = tree_begin(direct->pages, direct->roots[ORDERS], TABLE);
  for (size_t count; (count = csv_read(csv, direct->records, BLOCK, false)); ) {
    shop_resolve(&direct->shop, direct->records, count, direct->orders);
    for (size_t i = 0; i < count; i++) order_convert(direct->records + i, direct->orders + i);
    if (!direct->ids) {
      struct slice sample[BLOCK];
      for (size_t i = 0; i < count; i++) sample[i] = direct->orders[i].id;
      direct->ids = texts_begin(direct->building, sample, count);
    }
    for (size_t i = 0; i < count; i++) {
      const struct order *order = direct->orders + i;
      add_order(tree, ++direct->pk, order);
      numbers_add(direct->customers, (uint32_t)order->customer);
      numbers_add(direct->products, (uint32_t)order->product);
      texts_add(direct->ids, order->id, direct->pk);
    }
  }
  tree_finish(tree);
}

static void add_numbers(struct direct *direct, int root, struct numbers *numbers, const struct references *table) {
  struct tree *tree = tree_begin(direct->pages, direct->roots[root], INDEX);
  numbers_finish(numbers, references_max(table), add_number, tree);
  tree_finish(tree);
}

/* Returns false when a key repeats. */
static bool add_texts(struct direct *direct, int root, struct texts *texts) {
  struct tree *tree = tree_begin(direct->pages, direct->roots[root], INDEX);
  bool is_unique = texts_finish(texts, add_text, tree);
  tree_finish(tree);
  return is_unique;
}

/* The index of an entity's keys. They are unique: they come from a hash table. */
static void add_reference_keys(struct direct *direct, int root, const struct references *table) {
  struct slice sample[BLOCK];
  uint32_t count = table->count < BLOCK ? table->count : BLOCK;
  for (uint32_t i = 0; i < count; i++) sample[i] = reference_key(table, table->rows + i);
  struct texts *texts = texts_begin(direct->building, sample, count);
  for (uint32_t i = 0; i < table->count; i++) texts_add(texts, reference_key(table, table->rows + i), table->rows[i].pk);
  add_texts(direct, root, texts);
}

static void add_reference_rows(struct direct *direct, int root, int entity, const struct references *table) {
  struct tree *tree = tree_begin(direct->pages, direct->roots[root], TABLE);
  for (uint32_t i = 0; i < table->count; i++) {
    const struct reference *row = table->rows + i;
    if ((uint64_t)row->key + row->name + row->extra > ROW_MAX - 64)
      die("a row of more than a page: %.*s", (int)row->key, reference_key(table, row).bytes);
    struct record_writer w;
    record_begin(&w, tree_end(tree));
    if (entity == ENT_PRODUCT) {
      record_text(&w, reference_key(table, row));
      record_text(&w, reference_name(table, row));
      record_int(&w, row->category);
    } else if (entity == ENT_CUSTOMER) {
      record_text(&w, reference_name(table, row));
      record_text(&w, reference_key(table, row));
      record_text(&w, reference_extra(table, row));
    } else {
      record_text(&w, reference_key(table, row));
    }
    tree_row(tree, row->pk, end_row(&w, entity));
  }
  tree_finish(tree);
}

static void add_references(struct direct *direct) {
  const struct references *categories = &direct->shop.categories, *products = &direct->shop.products;
  add_reference_rows(direct, CATEGORIES, ENT_CATEGORY, categories);
  add_reference_rows(direct, CUSTOMERS, ENT_CUSTOMER, &direct->shop.customers);
  add_reference_rows(direct, PRODUCTS, ENT_PRODUCT, products);
  add_reference_keys(direct, CATEGORY_NAME, categories);
  add_reference_keys(direct, CUSTOMER_EMAIL, &direct->shop.customers);
  add_reference_keys(direct, PRODUCT_SKU, products);
  struct numbers *numbers = numbers_begin(direct->building);
  for (uint32_t i = 0; i < products->count; i++) numbers_add(numbers, products->rows[i].category);
  add_numbers(direct, PRODUCT_CATEGORY, numbers, categories);
}

void load_direct(const char *path, const char *store) {
  char *building = sqlite3_mprintf("%s.building", store);
  struct direct *direct = calloc(1, sizeof *direct);
  if (!direct) die("no memory");
  direct->building = building;
  create(building, direct->roots);
  direct->pages = pages_open(building);
  direct->customers = numbers_begin(building);
  direct->products = numbers_begin(building);
  references_init(&direct->shop.customers);
  references_init(&direct->shop.products);
  references_init(&direct->shop.categories);
  struct csv *csv = csv_open(path);
  add_orders(direct, csv);
  csv_close(csv);
  trace("orders");
  add_numbers(direct, ORDER_CUSTOMER, direct->customers, &direct->shop.customers);
  add_numbers(direct, ORDER_PRODUCT, direct->products, &direct->shop.products);
  trace("foreign keys");
  /* Rows cannot be taken back, so a file that repeats an order is loaded by SQLite. */
  if (direct->ids && !add_texts(direct, ORDER_ID, direct->ids)) {
    pages_close(direct->pages);
    trace("a key repeats");
    load(path, store, false);
    return;
  }
  trace("order ids");
  add_references(direct);
  pages_close(direct->pages);
  trace("references");

  sqlite3 *db = db_open(building, SQLITE_OPEN_READWRITE);
  db_run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  store_write_keys(db, &direct->shop, direct->pk, true);
  db_run(db, "COMMIT");
  db_check(db, sqlite3_close(db));
  trace("commit");
  store_publish(building, store);
  trace("sync");
  struct counts counts = {.read = direct->pk, .inserted = direct->pk};
  report("load", &counts, &direct->shop);
}
