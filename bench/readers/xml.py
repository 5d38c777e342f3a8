"""XML: the orders as elements with an element for each column, against a bare pass of libxml2's SAX interface."""

import csv
import subprocess
from xml.sax.saxutils import escape

from readers import Contestant, c_program, mergewalk, orders, say

BARS = {"c-libxml2": 1.25}


def data(settings):
    source = orders(settings) / "orders.csv"
    target = source.with_name("orders.xml")
    if not target.exists():
        say(f"readers: writing {target.name}")
        unfinished = target.with_name("unfinished.xml")
        with open(source, encoding="utf-8", newline="") as rows, open(unfinished, "w", encoding="utf-8") as out:
            reader = csv.reader(rows)
            names = next(reader)
            out.write('<?xml version="1.0" encoding="UTF-8"?>\n<orders>\n')
            for row in reader:
                fields = "".join(f"\n    <{name}>{escape(value)}</{name}>" for name, value in zip(names, row))
                out.write(f"  <order>{fields}\n  </order>\n")
            out.write("</orders>\n")
        unfinished.rename(target)
    return target


def baseline(settings):
    flags = subprocess.run(["xml2-config", "--cflags", "--libs"], capture_output=True, text=True, check=True)
    return c_program(settings, "xml_sax", *flags.stdout.split())


def contestants(settings, path):
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "xml", path)),
        Contestant("c-libxml2", lambda: [baseline(settings), path]),
    ]
