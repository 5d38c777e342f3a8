#!/usr/bin/env python3
"""The relationship benchmark: records that refer to each other in two passes against one, and records with lists.

* `one pass`: 1,000,000 members, each after the one it refers to, `passes: one`.
* `two passes`: the same records, `passes: two`.
* `two passes, any order`: the same records shuffled; one pass could not import them.
* `lists`: 1,000,000 articles with 3 of 5,000 tags each, a many-to-many relationship; and the same file once more, which
  changes nothing.

Rounds run the jobs in turn, each in a process and a store of its own; the table has medians. Python 3.9 or later.
"""

import argparse
import pathlib
import random
import statistics

import run as bench

MODEL = """model: Relations
entities:
  Member:
    attributes: { number: integer64!, label: string }
    relationships:
      parent: { to_one: Member, inverse: children }
      children: { to_many: Member, inverse: parent }
    unique: [number]
  Article:
    attributes: { number: integer64!, title: string }
    relationships: { tags: { to_many: Tag, inverse: articles } }
    unique: [number]
  Tag:
    attributes: { name: string! }
    relationships: { articles: { to_many: Article, inverse: tags } }
    unique: [name]
"""

MEMBERS = """model: model.yaml
store: members.sqlite
source: {file}
import:
  entity: Member
  find_by: [number]
  passes: {passes}
  attributes: [label]
  relationships: {{ parent: {{ find_by: {{ number: parent }}, missing: reject }} }}
"""

ARTICLES = """model: model.yaml
store: articles.sqlite
source: articles.csv
import:
  entity: Article
  find_by: [number]
  attributes: [title]
  relationships: { tags: { split: ";", find_by: { name: tags } } }
"""


def make_inputs(folder, count):
    """Writes the model, the pipelines and the records."""
    numbers = random.Random(1)
    (folder / "model.yaml").write_text(MODEL)
    (folder / "articles.yaml").write_text(ARTICLES)
    for name, file, passes in (("one", "members", "one"), ("two", "members", "two"), ("any", "shuffled", "two")):
        (folder / f"{name}.yaml").write_text(MEMBERS.format(file=f"{file}.csv", passes=passes))
    if (folder / "count").exists() and (folder / "count").read_text() == str(count):
        return
    lines = [f"{i},member {i},{numbers.randrange(1, i) if i > 1 else ''}\n" for i in range(1, count + 1)]
    (folder / "members.csv").write_text("number,label,parent\n" + "".join(lines))
    numbers.shuffle(lines)
    (folder / "shuffled.csv").write_text("number,label,parent\n" + "".join(lines))
    with open(folder / "articles.csv", "w") as out:
        out.write("number,title,tags\n")
        for i in range(1, count + 1):
            tags = ";".join(f"tag {numbers.randrange(5000)}" for _ in range(3))
            out.write(f"{i},article {i},{tags}\n")
    (folder / "count").write_text(str(count))


def main():
    parser = argparse.ArgumentParser(description="Runs the relationship benchmark; see bench/README.md.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--no-build", action="store_true", help="take mergewalk as it was built last")
    parser.add_argument("--work", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    settings = parser.parse_args()
    folder = settings.work.resolve() / "relations"
    folder.mkdir(parents=True, exist_ok=True)
    make_inputs(folder, settings.records)
    build = ["swift", "build", "-c", "release", "--product", "mergewalk"]
    mergewalk = bench.swift_program(build, bench.ROOT, "mergewalk", settings)

    jobs = (
        ("one pass", "one", "members", True), ("two passes", "two", "members", True),
        ("two passes, any order", "any", "members", True), ("lists", "articles", "articles", True),
        ("lists again", "articles", "articles", False),
    )
    samples = {name: [] for name, *_ in jobs}
    for _ in range(settings.rounds):
        for name, pipeline, store, is_new in jobs:
            if is_new:
                bench.remove_store(folder / f"{store}.sqlite")
            samples[name].append(bench.measure([mergewalk, "run", folder / f"{pipeline}.yaml", "--json"]))
    medians = {name: statistics.median(sample["seconds"] for sample in taken) for name, taken in samples.items()}
    print(f"{'job':24} {'seconds':>8} {'of one pass':>12} {'peak MiB':>9}")
    for name, taken in samples.items():
        peak = max(sample["peak_rss_bytes"] for sample in taken) / 2**20
        ratio = f"{medians[name] / medians['one pass']:.2f}" if "pass" in name else ""
        print(f"{name:24} {medians[name]:8.2f} {ratio:>12} {peak:9.0f}")
    for store in ("members", "articles"):
        bench.remove_store(folder / f"{store}.sqlite")


if __name__ == "__main__":
    main()
