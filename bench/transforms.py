#!/usr/bin/env python3
"""What transforms cost: nanoseconds a record and seconds per million for each step, condition and the external process.

Each row is an import of the same file with one thing more than the first row; what is compared is the time that the run
reports for conversion (`reader_phases.convert`), which is on the processor, not the wall. The store is new each time and
dry runs throw it away. Rounds run the rows in turn; figures are medians. Python 3.9 or later, no packages.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MODEL = """model: Things
entities:
  Thing:
    attributes: { key: integer64!, a: string, n: integer64, amount: decimal, day: date }
    unique: [key]
  Country:
    attributes: { code: string!, name: string }
    unique: [code]
"""

FIELDS = "{ a: name, n: n, amount: price, day: day }"


def steps(text, attribute="a", column="name"):
    """The attributes with steps at one of them."""
    sources = {"a": "name", "n": "n", "amount": "price", "day": "day"}
    sources[attribute] = f"{{ from: {column}, do: {text} }}"
    return "attributes: { " + ", ".join(f"{name}: {source}" for name, source in sources.items()) + " }"


def where(text):
    return f'where: "{text}"\n  attributes: {FIELDS}'


CASES = [
    ("nothing", f"attributes: {FIELDS}"),
    ("trim", steps("[trim]")),
    ("upper", steps("[upper]")),
    ("upper, not ASCII", steps("[upper]", column="umlaut")),
    ("capitalise", steps("[capitalise]")),
    ("unaccent, not ASCII", steps("[unaccent]", column="umlaut")),
    ("collapse", steps("[collapse]")),
    ("replace a text", steps('[{ replace: { text: "1", with: "one" } }]')),
    ("replace a pattern", steps('[{ replace: { pattern: "[0-9]+", with: "#" } }]')),
    ("extract", steps('[{ extract: "[0-9]+" }]')),
    ("split", steps('[{ split: { at: " ", take: 2 } }]')),
    ("substring", steps("[{ substring: { from: 2, length: 4 } }]")),
    ("pad", steps('[{ pad: { to: 20, with: "0" } }]')),
    ("concat", steps('[{ concat: { columns: [code], with: "-" } }]')),
    ("map of 26", steps("[{ map: { values: { %s }, otherwise: keep } }]" % ", ".join(f"{chr(65 + i)}: x{i}" for i in range(26)), column="code")),
    ("hash sha256", steps("[{ hash: sha256 }]")),
    ("coalesce", steps("[{ coalesce: [code] }]")),
    ("when", steps("[{ when: [{ if: \"n > 500000\", give: many }, { give: few }] }]")),
    ("add, whole numbers", steps("[{ to: integer }, { add: 1 }]", "n", "n")),
    ("multiply, decimals", steps('[{ multiply: "1.5" }]', "amount", "price")),
    ("divide, decimals", steps("[{ divide: { by: 3, places: 2 } }]", "amount", "price")),
    ("date_add months", steps("[{ date_add: { months: 1 } }]", "day", "day")),
    ("date format", steps("[{ format: yyyy-MM }]", column="day")),
    ("value: n * price", f"columns: {{ n: {{ type: integer }}, price: {{ type: decimal }} }}\n  attributes: {{ a: name, n: n, amount: {{ value: \"n * price\" }}, day: day }}"),
    ("value by the evaluator", f"columns: {{ n: {{ type: integer }} }}\n  attributes: {{ a: name, n: {{ value: \"length:(name)\" }}, amount: price, day: day }}"),
    ("where n >= 0", where("n >= 0")),
    ("where code IN", where("code IN {" + ", ".join(f"'{chr(65 + i)}'" for i in range(26)) + "}")),
    ("where a AND b OR c", where("n >= 0 AND name BEGINSWITH 'Name' OR code == 'A'")),
    ("where by the evaluator", where("name LIKE 'Name*'")),
    ("process cat", f"process: {{ command: [cat], columns: [name] }}\n  attributes: {FIELDS}"),
]


def write_input(path, count):
    if path.exists() and path.stat().st_size > 20 * count:
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write("key,name,n,price,day,code,umlaut\n")
        for i in range(count):
            file.write(
                f"{i},Name {i} of it,{i % 1_000_003},{i % 977}.{i % 90 + 10},2024-{i % 12 + 1:02}-{i % 28 + 1:02},"
                f"{chr(65 + i % 26)},Zürich {i}\n")


def measure(program, folder, name, lines):
    pipeline = folder / "transforms.yaml"
    pipeline.write_text(
        "model: transforms-model.yaml\nstore: transforms.sqlite\n"
        "source: { files: transforms.csv, contract: { new: discard } }\n"
        f"import:\n  entity: Thing\n  find_by: [key]\n  mode: insert\n  {lines}\n", encoding="utf-8")
    done = subprocess.run(
        [str(program), "run", str(pipeline), "--json", "--quiet", "--dry-run"], capture_output=True, text=True, cwd=folder)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{name}: {done.stderr}")
    if result["status"] != "dry_run" or result["rejected"]:
        sys.exit(f"{name}: {result['status']}, {result['rejected']} rejected: {done.stderr}{result.get('error')}")
    return result["reader_phases"]["convert"], result["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / ".build" / "release" / "mergewalk")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench")
    settings = parser.parse_args()
    folder = settings.work.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "transforms-model.yaml").write_text(MODEL, encoding="utf-8")
    write_input(folder / "transforms.csv", settings.records)
    samples = {name: [] for name, _ in CASES}
    for number in range(settings.rounds):
        for name, lines in CASES:
            samples[name].append(measure(settings.program.resolve(), folder, name, lines))
            print(f"round {number + 1}: {name}", file=sys.stderr)
    base, base_wall = (statistics.median(values) for values in zip(*samples["nothing"]))
    print(f"| transform ({settings.records:,} records) | ns a record | s per million | wall, s |")
    print("| --- | ---: | ---: | ---: |")
    for name, _ in CASES:
        convert, wall = (statistics.median(values) for values in zip(*samples[name]))
        extra = convert if name == "nothing" else convert - base
        print(f"| {name} | {extra / settings.records * 1e9:.0f} | {extra / settings.records * 1e6:.2f} | {wall:.2f} |")


if __name__ == "__main__":
    main()
