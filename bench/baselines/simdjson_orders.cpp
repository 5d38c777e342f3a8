/* simdjson's on-demand interface over the benchmark's orders as NDJSON: the eleven fields of each, texts unescaped, other
 * values as they are spelt, which is what Mergewalk's reader gives. The file is read whole before, which is the fastest
 * way to give it to simdjson, and is part of the time. */
#include <string_view>

#include "simdjson.h"

extern "C" {
#include "reader.h"
}

using namespace simdjson;

static void take(totals &totals, std::string_view text, bool check) {
  totals.fields++;
  if (check) {
    for (unsigned char byte : text) hash_byte(&totals, byte);
    hash_end(&totals);
  } else {
    totals.bytes += text.size();
  }
}

static void take_member(ondemand::object &object, std::string_view name, totals &totals, bool check) {
  ondemand::value value;
  /* The members stand in this order in every record, so none is looked for twice. */
  if (object.find_field(name).get(value)) die("an order lacks a member");
  if (value.type() == ondemand::json_type::string) {
    std::string_view text;
    if (value.get_string().get(text)) die("not a text");
    take(totals, text, check);
  } else {
    std::string_view text = value.raw_json_token();
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= 32) text.remove_suffix(1);
    take(totals, text, check);
  }
}

int main(int count, char **arguments) {
  if (count < 2) die("usage: simdjson_orders FILE [--check]");
  const bool check = count > 2 && std::string_view(arguments[2]) == "--check";
  totals totals = start_totals();
  padded_string text;
  if (padded_string::load(arguments[1]).get(text)) die("cannot read the file");
  ondemand::parser parser;
  ondemand::document_stream orders;
  if (parser.iterate_many(text, 1 << 20).get(orders)) die("cannot begin");
  for (auto document : orders) {
    ondemand::object order, inner;
    if (document.get_object().get(order)) die("not an object");
    for (auto name : {"order_id", "ordered_at", "quantity", "unit_price", "note"})
      take_member(order, name, totals, check);
    if (order.find_field("customer").get_object().get(inner)) die("no customer");
    for (auto name : {"email", "name", "country"}) take_member(inner, name, totals, check);
    if (order.find_field("product").get_object().get(inner)) die("no product");
    for (auto name : {"sku", "name", "category"}) take_member(inner, name, totals, check);
    totals.records++;
  }
  print_totals(&totals, check);
}
