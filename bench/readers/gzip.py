"""gzip: the orders as CSV in a gzip file (level 6), against zlib alone over the same file."""

import gzip
import shutil

from readers import Contestant, c_program, mergewalk, orders, say

BARS = {"c-zlib": 1.1}


def data(settings):
    source = orders(settings) / "orders.csv"
    target = source.with_name("orders.csv.gz")
    if not target.exists():
        say(f"readers: packing {source.name}")
        unfinished = target.with_name("unfinished.gz")
        with open(source, "rb") as plain, gzip.open(unfinished, "wb", compresslevel=6) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
        unfinished.rename(target)
    return target


def contestants(settings, path):
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "csv", path)),
        # It knows bytes only, so there is nothing to compare.
        Contestant("c-zlib", lambda: [c_program(settings, "inflate", "-lz"), path], check=None),
    ]
