"""YAML: the orders as a sequence of mappings in the block style, against a bare loop over libyaml's events."""

import csv
import json
import re

from readers import Contestant, c_program, mergewalk, orders, say

BARS = {"c-libyaml": 1.25}

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _./@-]*[A-Za-z0-9]|[A-Za-z0-9]")


def scalar(text):
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def data(settings):
    source = orders(settings) / "orders.csv"
    target = source.with_name("orders.yaml")
    if not target.exists():
        say(f"readers: writing {target.name}")
        unfinished = target.with_name("unfinished.yaml")
        with open(source, encoding="utf-8", newline="") as rows, open(unfinished, "w", encoding="utf-8") as out:
            reader = csv.reader(rows)
            names = next(reader)
            for row in reader:
                out.write("- " + "\n  ".join(f"{name}: {scalar(value)}" for name, value in zip(names, row)) + "\n")
        unfinished.rename(target)
    return target


def contestants(settings, path):
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "yaml", path)),
        Contestant("c-libyaml", lambda: [c_program(settings, "yaml_events", "-lyaml"), path]),
    ]
