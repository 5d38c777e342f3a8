/* Reading and writing single rows of ZORDER. */
#ifndef LIMIT_ORDERS_H
#define LIMIT_ORDERS_H
#include "shop.h"
#include <stdbool.h>

/* `update` leaves the foreign keys alone, and with them their indexes. */
struct order_statements { sqlite3_stmt *find, *fetch, *insert, *update, *update_all; };

void order_statements_prepare(struct order_statements *statements, sqlite3 *db);
void order_statements_finalize(struct order_statements *statements);

/* The primary key of an order id, 0 when there is none. */
int64_t order_find(struct order_statements *statements, struct slice id);

enum difference { SAME, ATTRIBUTES, RELATIONSHIPS, ANOTHER_ORDER };

/* Compares a row with an order; ANOTHER_ORDER when the row has another order id. */
enum difference order_compare(struct order_statements *statements, int64_t pk, const struct order *order);

void order_insert(struct order_statements *statements, int64_t pk, const struct order *order);
void order_update(struct order_statements *statements, int64_t pk, const struct order *order, enum difference difference);
#endif
