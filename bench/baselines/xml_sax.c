/* Pushes an XML file through libxml2's SAX2 interface, 16 KiB at a time as Mergewalk does, with callbacks that do
 * nothing: no reader that uses libxml2 so can be faster.
 *
 *   xml_sax FILE [--check]
 *
 * With --check the callbacks count: elements of the second level are records, those below are fields. */
#define _GNU_SOURCE
#include "reader.h"
#include <fcntl.h>
#include <libxml/parser.h>
#include <unistd.h>

static char piece[1 << 14];
static struct totals totals;
static int depth;

static void nothing_text(void *user, const xmlChar *text, int count) {
  (void)user, (void)text, (void)count;
}

static void nothing_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                          const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
  (void)user, (void)name, (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)count, (void)defaulted;
  (void)attributes;
}

static void nothing_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)user, (void)name, (void)prefix, (void)uri;
}

static void check_text(void *user, const xmlChar *text, int count) {
  (void)user;
  if (depth != 3) return;
  for (int i = 0; i < count; i++) hash_byte(&totals, text[i]);
}

static void check_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                        const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
  nothing_start(user, name, prefix, uri, namespaces, declared, count, defaulted, attributes);
  depth++;
  if (depth == 2) totals.records++;
  if (depth == 3) totals.fields++;
}

static void check_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  nothing_end(user, name, prefix, uri);
  if (depth == 3) hash_end(&totals);
  depth--;
}

int main(int argc, char **argv) {
  bool check = argc == 3 && strcmp(argv[2], "--check") == 0;
  if (argc != 2 + check) die("usage: xml_sax FILE [--check]");
  totals = start_totals();
  int descriptor = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) die("cannot open the file");
  xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC};
  handler.startElementNs = check ? check_start : nothing_start;
  handler.endElementNs = check ? check_end : nothing_end;
  handler.characters = handler.ignorableWhitespace = check ? check_text : nothing_text;
  xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
  if (context == NULL) die("libxml2 cannot be started");
  xmlCtxtUseOptions(context, XML_PARSE_NOENT | XML_PARSE_NONET);
  ssize_t got;
  while ((got = read(descriptor, piece, sizeof piece)) > 0) xmlParseChunk(context, piece, (int)got, 0);
  xmlParseChunk(context, piece, 0, 1);
  if (!context->wellFormed) die("the file is not well-formed");
  xmlFreeParserCtxt(context);
  print_totals(&totals, check);
  return 0;
}
