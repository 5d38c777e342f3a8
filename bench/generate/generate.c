/* Deterministic generator of the benchmark's data: orders.csv, nightly.csv and, on demand, orders.ndjson.
 *
 * Every value is a pure function of (seed, stream, index), so a file of any size needs no state besides the
 * permutation that shuffles the nightly file, and the same arguments give the same bytes on every machine.
 * The nightly file holds the orders of the initial load again, 4 % of them with other values, 1 % new ones,
 * and 0.1 % of the customers under a new name. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Random numbers: one SplitMix64 step per question --------------------------------------------------- */

/* Streams keep the answers to different questions about the same index apart. */
enum stream {
  S_ORDER_KEY = 1, S_ORDER_KEY_TAIL, S_DATE, S_QUANTITY, S_PRICE, S_NOTE, S_CUSTOMER, S_PRODUCT, S_CHANGED,
  S_CHANGE_KIND, S_NEW_CUSTOMER, S_RENAMED, S_EMAIL, S_FIRST, S_LAST, S_COUNTRY, S_SKU, S_PRODUCT_NAME,
  S_PRODUCT_CATEGORY, S_SHUFFLE, S_DUPLICATE
};

static uint64_t seed = 1;

/* A bijection of 64-bit words (SplitMix64's finaliser). */
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The random word of a stream at an index; for one stream different indexes give different words. */
static uint64_t word(enum stream stream, uint64_t index) {
  return mix(index * 0x9e3779b97f4a7c15u + mix(seed * 64 + (uint64_t)stream));
}

static uint64_t below(uint64_t random, uint64_t bound) { return (uint64_t)(((__uint128_t)random * bound) >> 64); }

/* ---- Output ---------------------------------------------------------------------------------------------- */

struct text { char *bytes; size_t count, capacity; };

static void append(struct text *t, const char *bytes, size_t count) {
  if (t->count + count > t->capacity) {
    t->capacity = (t->count + count) * 2 + 256;
    t->bytes = realloc(t->bytes, t->capacity);
    if (!t->bytes) { perror("generate"); exit(71); }
  }
  memcpy(t->bytes + t->count, bytes, count);
  t->count += count;
}

static void append_string(struct text *t, const char *s) { append(t, s, strlen(s)); }

static void append_number(struct text *t, uint64_t value, int width) {
  char digits[24];
  append(t, digits, (size_t)snprintf(digits, sizeof digits, "%0*llu", width, (unsigned long long)value));
}

static void append_csv(struct text *t, const struct text *field) {
  if (field->count == 0) return;
  bool quoted = false;
  for (size_t i = 0; i < field->count; i++) {
    char c = field->bytes[i];
    quoted |= c == '"' || c == ',' || c == '\n' || c == '\r';
  }
  if (!quoted) { append(t, field->bytes, field->count); return; }
  append(t, "\"", 1);
  for (size_t i = 0; i < field->count; i++) {
    if (field->bytes[i] == '"') append(t, "\"", 1);
    append(t, field->bytes + i, 1);
  }
  append(t, "\"", 1);
}

static void append_json(struct text *t, const struct text *field) {
  append(t, "\"", 1);
  for (size_t i = 0; i < field->count; i++) {
    char c = field->bytes[i];
    if (c == '"' || c == '\\') { append(t, "\\", 1); append(t, &c, 1); }
    else if (c == '\n') append(t, "\\n", 2);
    else if (c == '\r') append(t, "\\r", 2);
    else append(t, &c, 1);
  }
  append(t, "\"", 1);
}

/* ---- Words ----------------------------------------------------------------------------------------------- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char base32[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static const char *const first_names[] = {
  "Ana", "Bruno", "Chloé", "Daniel", "Elif", "Fatou", "Gül", "Hana", "Iñaki", "José", "Kenji", "Lena", "Mårten",
  "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Søren", "Tomasz", "Uma", "Viktor", "Wanjiru", "Xavier", "Yara",
  "Zoë", "美咲", "伟", "Ольга", "Ελένη", "Zoe\xcc\x88", "Jose\xcc\x81"};
static const char *const last_names[] = {
  "Almeida", "Brandt", "Côté", "Dvořák", "Eriksson", "Farouk", "García", "Hughes", "Ivanov", "Jansen", "Kovač",
  "Lefèvre", "Müller", "Nakamura", "O'Brien", "Petrov", "Quispe", "Rossi", "Şahin", "Tanaka", "Ueda", "Vargas",
  "Weiß", "Xu", "Yılmaz", "Zając", "van der Berg", "Smith, Jr.", "田中", "Garci\xcc\x81" "a"};
static const char *const countries[] = {"DE", "FR", "US", "GB", "JP", "BR", "PL", "TR", "ES", "IN", "SE", "CZ", "KE",
                                        "IT", "NL", "CN", "GR", "UA", "MX", "CA"};
static const char *const adjectives[] = {"Outdoor", "Kitchen", "Office", "Garden", "Travel", "Music", "Fitness",
                                         "Photo", "Craft", "Baby", "Pet", "Winter", "Summer", "Vintage", "Digital",
                                         "School", "Workshop", "Beach", "Café", "Party"};
static const char *const nouns[] = {"Supplies", "Furniture", "Lighting", "Storage", "Textiles", "Tools", "Books",
                                    "Toys", "Electronics", "Décor"};
static const char *const goods[] = {"Lamp", "Chair", "Kettle", "Backpack", "Notebook", "Monitor 27\"", "Cable, 2 m",
                                    "Tripod", "Blanket", "Thermos", "Speaker", "Keyboard", "Desk", "Crème Pot",
                                    "Screwdriver", "Kite"};
static const char *const note_words[] = {
  "please", "deliver", "after", "six", "leave", "at", "the", "door", "gift", "wrap", "call", "first", "fragile",
  "second", "floor", "ring", "twice", "invoice", "separately", "thanks", "caf\xc3\xa9", "cafe\xcc\x81", "r\xc3\xa9sum\xc3\xa9",
  "na\xc3\xafve", "stra\xc3\x9f" "e", "\xf0\x9f\x8e\x81", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "\xe6\x80\xa5\xe3\x81\x8e",
  "\xe8\xaf\xb7\xe5\xb0\xbd\xe5\xbf\xab", "neighbour", "reception", "weekend"};

/* ---- The shop -------------------------------------------------------------------------------------------- */

static uint64_t order_count = 1000000, customer_count = 0, product_count = 10000, category_count = 200;
static uint64_t duplicate_count = 0;

enum { F_ORDER_ID, F_ORDERED_AT, F_QUANTITY, F_UNIT_PRICE, F_NOTE, F_EMAIL, F_CUSTOMER, F_COUNTRY, F_SKU, F_PRODUCT,
       F_CATEGORY, FIELD_COUNT };
static const char *const columns[FIELD_COUNT] = {
  "order_id", "ordered_at", "quantity", "unit_price", "note", "customer_email", "customer_name", "country", "sku",
  "product_name", "category"};
static struct text fields[FIELD_COUNT];

/* Base 32 digits of a word, `count` of them from the top. */
static void append_key(struct text *t, uint64_t value, int count) {
  char digits[13];
  for (int i = 0; i < count; i++) digits[i] = base32[(value >> (59 - 5 * i)) & 31];
  append(t, digits, (size_t)count);
}

static void write_customer(uint64_t customer, bool nightly) {
  uint64_t first = below(word(S_FIRST, customer), COUNT(first_names));
  uint64_t last = below(word(S_LAST, customer), COUNT(last_names));
  bool renamed = nightly && below(word(S_RENAMED, customer), 1000) == 0;
  append_string(&fields[F_EMAIL], "c");
  append_key(&fields[F_EMAIL], word(S_EMAIL, customer), 6);
  append_number(&fields[F_EMAIL], customer, 1);
  append_string(&fields[F_EMAIL], customer % 3 ? "@example.org" : "@mail.example.com");
  append_string(&fields[F_CUSTOMER], first_names[first]);
  append_string(&fields[F_CUSTOMER], " ");
  append_string(&fields[F_CUSTOMER], last_names[renamed ? (last + 1) % COUNT(last_names) : last]);
  append_string(&fields[F_COUNTRY], countries[below(word(S_COUNTRY, customer), COUNT(countries))]);
}

static void write_product(uint64_t product) {
  uint64_t random = word(S_PRODUCT_NAME, product);
  uint64_t category = below(word(S_PRODUCT_CATEGORY, product), category_count);
  append_string(&fields[F_SKU], "SKU-");
  append_key(&fields[F_SKU], word(S_SKU, product), 5);
  append_number(&fields[F_SKU], product, 5);
  append_string(&fields[F_PRODUCT], adjectives[below(random, COUNT(adjectives))]);
  append_string(&fields[F_PRODUCT], " ");
  append_string(&fields[F_PRODUCT], goods[below(mix(random), COUNT(goods))]);
  append_string(&fields[F_CATEGORY], adjectives[category % COUNT(adjectives)]);
  append_string(&fields[F_CATEGORY], " ");
  append_string(&fields[F_CATEGORY], nouns[category / COUNT(adjectives) % COUNT(nouns)]);
  if (category >= COUNT(adjectives) * COUNT(nouns)) {
    append_string(&fields[F_CATEGORY], " ");
    append_number(&fields[F_CATEGORY], category / (COUNT(adjectives) * COUNT(nouns)), 1);
  }
}

/* About 40 % empty; the others mix words of several scripts with commas, quotes and line breaks. One note in
 * 2,000 is long, one in 20,000 longer than a database page. */
static void write_note(struct text *t, uint64_t random) {
  if (below(random, 100) < 40) return;
  uint64_t words = 2 + below(mix(random + 1), 8);
  if (below(mix(random + 2), 2000) == 0) words = 200;
  if (below(mix(random + 3), 20000) == 0) words = 1000;
  for (uint64_t i = 0; i < words; i++) {
    uint64_t r = mix(random + 16 + i);
    const char *w = note_words[below(r, COUNT(note_words))];
    switch (r & 63) {
    case 0: append_string(t, "\""); append_string(t, w); append_string(t, "\""); break;
    default: append_string(t, w);
    }
    if (i + 1 == words) break;
    switch ((r >> 6) & 63) {
    case 0: append_string(t, "\n"); break;
    case 1: append_string(t, "\r\n"); break;
    case 2: case 3: case 4: append_string(t, ", "); break;
    default: append_string(t, " ");
    }
  }
}

/* What the nightly file does to an order of the initial load. */
enum change { UNCHANGED, QUANTITY, PRICE, NOTE, CUSTOMER };

static enum change change_of(uint64_t order) {
  if (below(word(S_CHANGED, order), 100) >= 4) return UNCHANGED;
  uint64_t kind = below(word(S_CHANGE_KIND, order), 100);
  return kind < 40 ? QUANTITY : kind < 70 ? PRICE : kind < 95 ? NOTE : CUSTOMER;
}

static void write_order(uint64_t order, enum change change, bool nightly) {
  for (int f = 0; f < FIELD_COUNT; f++) fields[f].count = 0;

  append_key(&fields[F_ORDER_ID], word(S_ORDER_KEY, order), 12);
  /* The 12 digits above hold the word's top 60 bits; its last 4 come first here, so keys are unique. */
  uint64_t tail = (word(S_ORDER_KEY, order) << 60) | (word(S_ORDER_KEY_TAIL, order) >> 4);
  append_key(&fields[F_ORDER_ID], tail, 4);

  time_t moment = 1735689600 + (time_t)below(word(S_DATE, order), 365 * 86400);  /* within 2025 */
  struct tm tm;
  gmtime_r(&moment, &tm);
  char date[32];
  append(&fields[F_ORDERED_AT], date, strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm));

  uint64_t quantity = below(word(S_QUANTITY, order), 20);
  if (change == QUANTITY) quantity = (quantity + 1 + below(word(S_CHANGE_KIND, ~order), 19)) % 20;
  append_number(&fields[F_QUANTITY], quantity + 1, 1);

  uint64_t cents = 99 + below(word(S_PRICE, order), 50000);
  if (change == PRICE) cents += 1 + below(word(S_CHANGE_KIND, ~order), 900);
  append_number(&fields[F_UNIT_PRICE], cents / 100, 1);
  append_string(&fields[F_UNIT_PRICE], ".");
  append_number(&fields[F_UNIT_PRICE], cents % 100, 2);

  write_note(&fields[F_NOTE], word(S_NOTE, order));
  if (change == NOTE) append_string(&fields[F_NOTE], fields[F_NOTE].count ? "; moved" : "moved");

  uint64_t customer = below(word(S_CUSTOMER, order), customer_count);
  if (change == CUSTOMER) customer = (customer + 1) % customer_count;
  if (order >= order_count && below(word(S_NEW_CUSTOMER, order), 10) == 0)
    customer = customer_count + below(word(S_NEW_CUSTOMER, ~order), customer_count / 200 + 1);
  write_customer(customer, nightly);
  write_product(below(word(S_PRODUCT, order), product_count));
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

struct output { int descriptor; const char *path; struct text buffer; };

static void fail(const char *path) {
  fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
  exit(73);
}

static struct output open_output(const char *path) {
  struct output out = {.descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), .path = path};
  if (out.descriptor < 0) fail(path);
  return out;
}

static void flush(struct output *out) {
  for (size_t done = 0; done < out->buffer.count;) {
    ssize_t n = write(out->descriptor, out->buffer.bytes + done, out->buffer.count - done);
    if (n < 0) fail(out->path);
    done += (size_t)n;
  }
  out->buffer.count = 0;
}

static void close_output(struct output *out) {
  flush(out);
  if (close(out->descriptor)) fail(out->path);
  free(out->buffer.bytes);
}

static void write_csv_header(struct output *out) {
  for (int f = 0; f < FIELD_COUNT; f++) {
    append_string(&out->buffer, columns[f]);
    append(&out->buffer, f + 1 < FIELD_COUNT ? "," : "\n", 1);
  }
}

static void write_csv_record(struct output *out) {
  for (int f = 0; f < FIELD_COUNT; f++) {
    append_csv(&out->buffer, &fields[f]);
    append(&out->buffer, f + 1 < FIELD_COUNT ? "," : "\n", 1);
  }
  if (out->buffer.count > 1 << 20) flush(out);
}

static void json_member(struct text *t, const char *prefix, int field, bool number) {
  append_string(t, prefix);
  if (number) append(t, fields[field].bytes, fields[field].count);
  else append_json(t, &fields[field]);
}

static void write_json_record(struct output *out) {
  struct text *t = &out->buffer;
  json_member(t, "{\"order_id\":", F_ORDER_ID, false);
  json_member(t, ",\"ordered_at\":", F_ORDERED_AT, false);
  json_member(t, ",\"quantity\":", F_QUANTITY, true);
  json_member(t, ",\"unit_price\":", F_UNIT_PRICE, true);
  json_member(t, ",\"note\":", F_NOTE, false);
  json_member(t, ",\"customer\":{\"email\":", F_EMAIL, false);
  json_member(t, ",\"name\":", F_CUSTOMER, false);
  json_member(t, ",\"country\":", F_COUNTRY, false);
  json_member(t, "},\"product\":{\"sku\":", F_SKU, false);
  json_member(t, ",\"name\":", F_PRODUCT, false);
  json_member(t, ",\"category\":", F_CATEGORY, false);
  append_string(t, "}}\n");
  if (t->count > 1 << 20) flush(out);
}

static char *path_in(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path) fail(folder);
  snprintf(path, size, "%s/%s", folder, name);
  return path;
}

/* The initial load, and after it `--duplicates` of its orders once more with changed values. */
static void write_initial(const char *folder, bool ndjson) {
  struct output csv = open_output(path_in(folder, "orders.csv"));
  struct output json = {0};
  if (ndjson) json = open_output(path_in(folder, "orders.ndjson"));
  write_csv_header(&csv);
  for (uint64_t i = 0; i < order_count + duplicate_count; i++) {
    bool repeated = i >= order_count;
    write_order(repeated ? below(word(S_DUPLICATE, i), order_count) : i, repeated ? QUANTITY : UNCHANGED, false);
    write_csv_record(&csv);
    if (ndjson) write_json_record(&json);
  }
  close_output(&csv);
  if (ndjson) close_output(&json);
}

static void write_nightly(const char *folder, bool shuffled) {
  uint64_t total = order_count + order_count / 100;
  uint32_t *sequence = malloc(total * sizeof *sequence);
  if (!sequence) fail(folder);
  for (uint64_t i = 0; i < total; i++) sequence[i] = (uint32_t)i;
  for (uint64_t i = total; shuffled && i > 1; i--) {
    uint64_t j = below(word(S_SHUFFLE, i), i);
    uint32_t swapped = sequence[i - 1];
    sequence[i - 1] = sequence[j];
    sequence[j] = swapped;
  }
  struct output csv = open_output(path_in(folder, "nightly.csv"));
  write_csv_header(&csv);
  for (uint64_t i = 0; i < total; i++) {
    uint64_t order = sequence[i];
    write_order(order, order < order_count ? change_of(order) : UNCHANGED, true);
    write_csv_record(&csv);
  }
  close_output(&csv);
  free(sequence);
}

static uint64_t number(const char *option, const char *text) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno || *end || end == text || value > 2000000000) {
    fprintf(stderr, "generate: --%s: not a number up to 2000000000: %s\n", option, text);
    exit(64);
  }
  return value;
}

int main(int argc, char **argv) {
  static const struct option options[] = {
    {"orders", required_argument, 0, 'n'},     {"seed", required_argument, 0, 's'},
    {"out", required_argument, 0, 'o'},        {"customers", required_argument, 0, 'c'},
    {"products", required_argument, 0, 'p'},   {"categories", required_argument, 0, 'g'},
    {"duplicates", required_argument, 0, 'd'}, {"order", required_argument, 0, 'r'},
    {"ndjson", no_argument, 0, 'j'},           {0, 0, 0, 0}};
  const char *folder = NULL;
  bool shuffled = true, ndjson = false;
  for (int c, i = 0; (c = getopt_long(argc, argv, "", options, &i)) != -1;) {
    switch (c) {
    case 'n': order_count = number("orders", optarg); break;
    case 's': seed = number("seed", optarg); break;
    case 'o': folder = optarg; break;
    case 'c': customer_count = number("customers", optarg); break;
    case 'p': product_count = number("products", optarg); break;
    case 'g': category_count = number("categories", optarg); break;
    case 'd': duplicate_count = number("duplicates", optarg); break;
    case 'j': ndjson = true; break;
    case 'r':
      if (strcmp(optarg, "same") && strcmp(optarg, "shuffled")) {
        fprintf(stderr, "generate: --order is same or shuffled, not %s\n", optarg);
        return 64;
      }
      shuffled = strcmp(optarg, "same") != 0;
      break;
    default: return 64;
    }
  }
  if (!folder || optind != argc || !order_count || !product_count || !category_count) {
    fprintf(stderr, "usage: generate --out DIR [--orders N] [--seed N] [--customers N] [--products N]\n"
                    "                [--categories N] [--duplicates N] [--order shuffled|same] [--ndjson]\n");
    return 64;
  }
  if (!customer_count) customer_count = order_count / 10 ? order_count / 10 : 1;
  if (mkdir(folder, 0755) && errno != EEXIST) fail(folder);
  write_initial(folder, ndjson);
  write_nightly(folder, shuffled);
  return 0;
}
