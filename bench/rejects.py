#!/usr/bin/env python3
"""What rejecting costs: the load of the benchmark's orders, clean and with 1 % and 50 % of records that do not convert.

    bench/rejects.py --orders 1000000 --rounds 3

Clean input is loaded with and without a rejects file, as a file that may take rejects must cost nothing while there are
none. Rounds run the variants in turn; the table has the medians. Python 3.9 or later, no packages.
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import run as bench

# Name, the share of faulty records, and whether rejected records are kept in a file.
VARIANTS = [
    ("clean, no file", 0, False), ("clean, file", 0, True), ("1 % rejects, file", 100, True),
    ("50 % rejects, file", 2, True), ("50 % rejects, counted", 2, False),
]


def spoil(source, target, every):
    """Copies orders; each `every`-th has a quantity that is no number, none when it is 0."""
    if target.exists():
        return
    with open(source, newline="", encoding="utf-8") as before, \
            open(target.with_suffix(".part"), "w", newline="", encoding="utf-8") as after:
        reader, writer = csv.reader(before), csv.writer(after, lineterminator="\n")
        header = next(reader)
        column = header.index("quantity")
        writer.writerow(header)
        for number, row in enumerate(reader):
            if every and number % every == 0:
                row[column] = "many"
            writer.writerow(row)
    os.replace(target.with_suffix(".part"), target)


def measure(command, counts):
    """Runs a load, whose exit code is 1 when it has rejects, and checks its counts."""
    os.sync()
    start = time.monotonic()
    process = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - start
    output = json.loads(process.stdout.strip().splitlines()[-1])
    if process.returncode != (1 if counts["rejected"] else 0) or any(output[key] != counts[key] for key in counts):
        raise SystemExit(f"rejects: {command} exits with {process.returncode}: {process.stdout}")
    return {"seconds": round(seconds, 4), "peak_rss_bytes": output["peak_rss_bytes"], "records": output["read"]}


def main():
    parser = argparse.ArgumentParser(description="Measures what rejecting costs.")
    parser.add_argument("--orders", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-build", action="store_true", help="take the Swift programs as they were built last")
    parser.add_argument("--work", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    parser.add_argument("--results", type=pathlib.Path, default=bench.BENCH / "results")
    settings = parser.parse_args()
    settings.work = settings.work.resolve()
    settings.work.mkdir(parents=True, exist_ok=True)
    bench.compile_c(settings)
    build = ["swift", "build", "-c", "release", "--product", "mergewalk"]
    mergewalk = bench.swift_program(build, bench.ROOT, "mergewalk", settings)
    data = settings.work / f"data-{settings.orders}-1"
    if not (data / "orders.csv").exists():
        bench.run_quietly([settings.generate, "--orders", settings.orders, "--seed", 1, "--out", data])
    # All variants read what Python's csv module wrote, so that quoting is the same.
    inputs = {}
    for _, every, _ in VARIANTS:
        inputs[every] = data / f"orders-faulty-{every}.csv"
        spoil(data / "orders.csv", inputs[every], every)

    text = (bench.BENCH / "orders.yaml").read_text(encoding="utf-8").replace("../fixtures", str(bench.ROOT / "fixtures"))
    text = "\n".join(line for line in text.splitlines() if not line.startswith("rejects:")) + "\nhistory: false\n"
    store = settings.work / "rejects.sqlite"
    samples = {name: [] for name, _, _ in VARIANTS}
    for number in range(1, settings.rounds + 1):
        for name, every, keeps in VARIANTS:
            bench.remove_store(store)
            pipeline = settings.work / "rejects.yaml"
            rejects = settings.work / "rejects.ndjson"
            pipeline.write_text(text + (f"rejects: {rejects}\n" if keeps else ""), encoding="utf-8")
            counts = {"read": settings.orders, "rejected": -(-settings.orders // every) if every else 0}
            command = [mergewalk, "run", pipeline, "--store", store, "--json", "--quiet", "--set", f"INPUT={inputs[every]}"]
            sample = measure(command, counts)
            if keeps and every:
                sample["rejects_bytes"] = rejects.stat().st_size
            samples[name].append(sample)
            bench.say(f"rejects: round {number}: {name}: {sample['seconds']:.2f} s")
    bench.remove_store(store)

    results = {}
    print(bench.row(["variant", "seconds", "records/s", "against clean", "MiB"]))
    print(bench.row(["---"] * 5))
    clean = statistics.median(sample["seconds"] for sample in samples["clean, no file"])
    for name, _, _ in VARIANTS:
        seconds = statistics.median(sample["seconds"] for sample in samples[name])
        peak = max(sample["peak_rss_bytes"] for sample in samples[name])
        results[name] = {"seconds": seconds, "ratio": round(seconds / clean, 3), "peak_rss_bytes": peak,
                         "samples": samples[name]}
        print(bench.row([name, f"{seconds:.2f}", f"{settings.orders / seconds:,.0f}", f"{seconds / clean:.2f}",
                         f"{peak / bench.MIB:.0f}"]))
    machine = bench.machine()
    record = {"revision": bench.git("rev-parse", "HEAD"), "machine": machine, "orders": settings.orders,
              "results": results}
    settings.results.mkdir(parents=True, exist_ok=True)
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    cpu = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
    path = settings.results / f"{day}-{cpu}-rejects.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    bench.say(f"rejects: {path}")


if __name__ == "__main__":
    sys.exit(main())
