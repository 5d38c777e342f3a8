#include "orders.h"

void order_statements_prepare(struct order_statements *statements, sqlite3 *db) {
  *statements = (struct order_statements){
    .find = db_prepare(db, "SELECT Z_PK FROM ZORDER WHERE ZORDERID = ?1"),
    .fetch = db_prepare(db, "SELECT ZQUANTITY, ZCUSTOMER, ZPRODUCT, ZORDEREDAT, ZUNITPRICE, ZNOTE, ZORDERID FROM ZORDER"
                            " WHERE Z_PK = ?1"),
    .insert = db_prepare(db, "INSERT INTO ZORDER VALUES (?1, 3, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
    .update = db_prepare(db, "UPDATE ZORDER SET Z_OPT = Z_OPT + 1, ZQUANTITY = ?2, ZORDEREDAT = ?5, ZUNITPRICE = ?6,"
                             " ZNOTE = ?7 WHERE Z_PK = ?1"),
    .update_all = db_prepare(db, "UPDATE ZORDER SET Z_OPT = Z_OPT + 1, ZQUANTITY = ?2, ZCUSTOMER = ?3, ZPRODUCT = ?4,"
                                 " ZORDEREDAT = ?5, ZUNITPRICE = ?6, ZNOTE = ?7 WHERE Z_PK = ?1")};
}

void order_statements_finalize(struct order_statements *statements) {
  sqlite3_finalize(statements->find);
  sqlite3_finalize(statements->fetch);
  sqlite3_finalize(statements->insert);
  sqlite3_finalize(statements->update);
  sqlite3_finalize(statements->update_all);
}

int64_t order_find(struct order_statements *statements, struct slice id) {
  sqlite3_bind_text(statements->find, 1, id.bytes, (int)id.count, SQLITE_STATIC);
  int64_t pk = db_row(statements->find) ? sqlite3_column_int64(statements->find, 0) : 0;
  sqlite3_reset(statements->find);
  return pk;
}

static bool equal(sqlite3_stmt *statement, int column, struct slice text) {
  const void *bytes = sqlite3_column_text(statement, column);
  return (uint32_t)sqlite3_column_bytes(statement, column) == text.count &&
         (text.count == 0 || !memcmp(bytes, text.bytes, text.count));
}

enum difference order_compare(struct order_statements *statements, int64_t pk, const struct order *order) {
  sqlite3_stmt *s = statements->fetch;
  enum difference difference = ANOTHER_ORDER;
  sqlite3_bind_int64(s, 1, pk);
  if (db_row(s) && equal(s, 6, order->id)) {
    bool relationships =
      sqlite3_column_int64(s, 1) == order->customer && sqlite3_column_int64(s, 2) == order->product;
    bool attributes = sqlite3_column_int64(s, 0) == order->quantity && sqlite3_column_int64(s, 3) == order->date &&
                      sqlite3_column_double(s, 4) == order->price && equal(s, 5, order->note);
    difference = !relationships ? RELATIONSHIPS : !attributes ? ATTRIBUTES : SAME;
  }
  sqlite3_reset(s);
  return difference;
}

static void bind(sqlite3_stmt *s, int64_t pk, const struct order *order) {
  sqlite3_bind_int64(s, 1, pk);
  sqlite3_bind_int64(s, 2, order->quantity);
  sqlite3_bind_int64(s, 5, order->date);
  sqlite3_bind_double(s, 6, order->price);
  if (order->note.count) sqlite3_bind_text(s, 7, order->note.bytes, (int)order->note.count, SQLITE_STATIC);
  else sqlite3_bind_null(s, 7);
}

void order_insert(struct order_statements *statements, int64_t pk, const struct order *order) {
  sqlite3_stmt *s = statements->insert;
  bind(s, pk, order);
  sqlite3_bind_int64(s, 3, order->customer);
  sqlite3_bind_int64(s, 4, order->product);
  sqlite3_bind_text(s, 8, order->id.bytes, (int)order->id.count, SQLITE_STATIC);
  db_step(s);
}

void order_update(struct order_statements *statements, int64_t pk, const struct order *order, enum difference difference) {
  sqlite3_stmt *s = difference == RELATIONSHIPS ? statements->update_all : statements->update;
  bind(s, pk, order);
  if (difference == RELATIONSHIPS) {
    sqlite3_bind_int64(s, 3, order->customer);
    sqlite3_bind_int64(s, 4, order->product);
  }
  db_step(s);
}
