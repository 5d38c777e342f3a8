#!/usr/bin/env python3
"""What the modes cost: sync and replace against upsert of the same records, a dry run against a real run, --diff, an
incremental run that passes over everything, the ways to find objects, and new stores.

A store is filled with COUNT objects; each case then imports a file into a copy of it, or into a new store. Cases run in turn, round by round;
the table has the medians, and seconds divided by those of the case that it is compared with. Every case checks its
counts. With --large the cases run again at ten times the size, and peak memory may not be more than a tenth larger.
Python 3.9 or later.

    bench/modes.py --records 1000000 --rounds 3
    bench/modes.py --records 1000000 --rounds 1 --large
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MODEL = """model: Bench
entities:
  Thing:
    attributes: { code: string!, name: string, size: integer64, seen: integer64, isGone: boolean }
    unique: [code]
"""

PIPELINE = """pipeline: bench
model: model.yaml
store: store.sqlite
source: {source}
{more}
import:
  entity: Thing
  find_by: [code]
  attributes: [name, size, seen]
  mode: {mode}
"""


def write_records(path, count, missing=0, changed=0):
    """Records 0..<count; of each 100 the last `missing` are left out and the first `changed` have another name."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("code,name,size,seen\n")
        for number in range(count):
            place = number % 100
            if place >= 100 - missing:
                continue
            name = "changed" if place < changed else "thing"
            file.write(f"c{number:09},{name} {number},{number % 1000},{number}\n")


LOAD = "upsert, new store"
CASES = [
    # name, compared with, mode, source, more YAML, options, counts
    ("upsert", None, "upsert", "nightly.csv", "", [], {"deleted": 0}),
    ("sync", "upsert", "sync", "nightly.csv", "", [], {"deleted": 5}),
    ("replace", "upsert", "replace", "nightly.csv", "", [], {"deleted": 5}),
    ("sync, marking", "upsert", "sync\n  sync: { delete: mark, soft_delete: isGone }", "nightly.csv", "", [],
     {"marked": 5}),
    ("upsert, dry run", "upsert", "upsert", "nightly.csv", "", ["--dry-run"], {"deleted": 0}),
    ("sync, dry run", "sync", "sync", "nightly.csv", "", ["--dry-run"], {"deleted": 5}),
    ("sync, --diff 100", "sync", "sync", "nightly.csv", "", ["--diff", "100"], {"deleted": 5}),
    ("since, nothing new", "upsert", "upsert", "nightly.csv", "since: { column: seen, type: integer }", 
     ["--since", "999999999999"], {"skipped": 95}),
    ("update", "upsert", "update", "nightly.csv", "", [], {"updated": 5}),
    ("create-missing", "upsert", "create-missing", "nightly.csv", "", [], {"inserted": 0}),
    ("upsert, by seeks", "upsert", "upsert", "nightly.csv", "find: seek", [], {"updated": 5}),
    ("upsert, by one scan", "upsert", "upsert", "nightly.csv", "find: scan", [], {"updated": 5}),
    ("upsert, deduplicated", "upsert, by seeks", "upsert", "nightly.csv", "find: deduplicate", [], {"updated": 5}),
    (LOAD, None, "upsert", "all.csv", "", [], {"inserted": 100}),
    ("insert, new store", LOAD, "insert", "all.csv", "", [], {"inserted": 100}),
]


def measure(command, folder):
    """Runs a command and returns its JSON, its seconds and its peak memory in bytes."""
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, words = process.communicate()
    seconds = time.monotonic() - started
    if process.returncode not in (0, 1):
        raise SystemExit(f"modes: {' '.join(command)} ended with {process.returncode}: {words.decode()}")
    result = json.loads(output)
    return {"seconds": seconds, "peak_rss_bytes": result["peak_rss_bytes"], "result": result}


def run_cases(binary, folder, records, rounds):
    write_records(folder / "all.csv", records)
    write_records(folder / "nightly.csv", records, missing=5, changed=5)
    (folder / "model.yaml").write_text(MODEL)
    (folder / "fill.yaml").write_text(PIPELINE.format(source="all.csv", more="", mode="upsert"))
    command = [binary, "run", "fill.yaml", "--json", "--quiet", "--no-history"]
    measure([*command, "--store", "base.sqlite"], folder)
    samples = {case[0]: [] for case in CASES}
    for number in range(rounds):
        for name, _, mode, source, more, options, counts in CASES:
            (folder / "case.yaml").write_text(PIPELINE.format(source=source, more=more, mode=mode))
            (folder / "store.sqlite").unlink(missing_ok=True)
            if source == "nightly.csv":
                shutil.copyfile(folder / "base.sqlite", folder / "store.sqlite")
            os.sync()
            sample = measure([binary, "run", "case.yaml", "--json", "--quiet", "--no-history", *options], folder)
            for count, share in counts.items():
                wanted = records // 100 * share
                if sample["result"][count] != wanted:
                    raise SystemExit(f"modes: {name}: {count} is {sample['result'][count]}, not {wanted}")
            samples[name].append(sample)
            print(f"  round {number + 1}: {name} {sample['seconds']:.2f} s", file=sys.stderr)
    return {
        name: {
            "seconds": statistics.median(sample["seconds"] for sample in taken),
            "peak_rss_bytes": max(sample["peak_rss_bytes"] for sample in taken),
            "find": taken[-1]["result"]["find"],
        }
        for name, taken in samples.items()
    }


def table(results):
    rows = ["| case | seconds | against | ratio | peak RSS |", "| --- | ---: | --- | ---: | ---: |"]
    for name, against, *_ in CASES:
        mine = results[name]
        ratio = f"{mine['seconds'] / results[against]['seconds']:.2f}" if against else ""
        rows.append(
            f"| {name} | {mine['seconds']:.2f} | {against or ''} | {ratio} | {mine['peak_rss_bytes'] / 2**20:.0f} MiB |")
    return "\n".join(rows)


def main():
    repository = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="ten times the records too, and compare peak memory")
    parser.add_argument("--binary", default=str(repository / ".build/release/mergewalk"))
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    settings = parser.parse_args()
    if settings.records < 1000 or settings.records % 100:
        parser.error("--records takes a multiple of 100 from 1000 on")
    binary = str(pathlib.Path(settings.binary).resolve())
    with tempfile.TemporaryDirectory(prefix="mergewalk-modes-") as name:
        results = run_cases(binary, pathlib.Path(name), settings.records, settings.rounds)
    print(json.dumps(results, indent=2) if settings.json else table(results))
    if not settings.large:
        return
    with tempfile.TemporaryDirectory(prefix="mergewalk-modes-") as name:
        large = run_cases(binary, pathlib.Path(name), settings.records * 10, 1)
    print(json.dumps(large, indent=2) if settings.json else table(large))
    grown = [
        f"{case}: {results[case]['peak_rss_bytes'] / 2**20:.0f} MiB, then {large[case]['peak_rss_bytes'] / 2**20:.0f} MiB"
        for case in results
        if large[case]["peak_rss_bytes"] > 1.1 * results[case]["peak_rss_bytes"]
    ]
    if grown:
        raise SystemExit("modes: peak memory grows with the records:\n  " + "\n  ".join(grown))


if __name__ == "__main__":
    main()
