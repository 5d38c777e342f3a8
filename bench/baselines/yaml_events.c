/* Reads a YAML file event by event with libyaml and does nothing with them: no reader on libyaml can be faster.
 *
 *   yaml_events FILE [--check]
 *
 * libyaml reads through a handler in pieces of 16 KiB, as Mergewalk's reader does. With --check the values of the
 * mappings in the document's sequence are counted and hashed. */
#define _GNU_SOURCE
#include "reader.h"
#include <fcntl.h>
#include <unistd.h>
#include <yaml.h>

static int supply(void *data, unsigned char *buffer, size_t size, size_t *count) {
  ssize_t got = read(*(int *)data, buffer, size);
  if (got < 0) return 0;
  *count = (size_t)got;
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) die("usage: yaml_events FILE [--check]");
  bool check = argc > 2 && strcmp(argv[2], "--check") == 0;
  struct totals totals = start_totals();
  int descriptor = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) die("cannot open the file");
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) die("libyaml failed");
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input(&parser, supply, &descriptor);
  bool is_value = false;
  for (bool done = false; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) die("the file is not YAML");
    switch (event.type) {
    case YAML_STREAM_END_EVENT: done = true; break;
    case YAML_MAPPING_END_EVENT: totals.records++; break;
    case YAML_SCALAR_EVENT:
      totals.fields += is_value;
      if (check && is_value) {
        for (size_t i = 0; i < event.data.scalar.length; i++) hash_byte(&totals, event.data.scalar.value[i]);
        hash_end(&totals);
      }
      is_value = !is_value;
      break;
    default: break;
    }
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  print_totals(&totals, check);
  return 0;
}
