/* Unpacks a gzip file with zlib and does nothing with what comes out: no reader on one core can be faster.
 *
 *   inflate FILE
 *
 * The buffers are as large as Mergewalk's: 64 KiB of packed and 256 KiB of unpacked bytes. */
#define _GNU_SOURCE
#include "reader.h"
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

static unsigned char packed[1 << 16], plain[1 << 18];

int main(int argc, char **argv) {
  if (argc != 2) die("usage: inflate FILE");
  struct totals totals = start_totals();
  int descriptor = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) die("cannot open the file");
  z_stream stream = {0};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) die("zlib failed");
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    ssize_t got = read(descriptor, packed, sizeof packed);
    if (got <= 0) die("the file ends too early");
    stream.next_in = packed;
    stream.avail_in = (unsigned)got;
    do {
      stream.next_out = plain;
      stream.avail_out = sizeof plain;
      status = inflate(&stream, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) die("zlib failed");
    } while (stream.avail_out == 0 && status != Z_STREAM_END);
  }
  inflateEnd(&stream);
  print_totals(&totals, false);
  return 0;
}
