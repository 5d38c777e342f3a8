#!/usr/bin/env python3
"""The fetch benchmark: 100,000 of 200,000 orders by a predicate, as IDs, dictionaries and objects, by Mergewalk, by the
same SELECTs in C, and by GRDB; and the substitution of a template's variables against parsing it.

Rounds run the contestants in turn, each in a process of its own that repeats every fetch and reports its median; the
table has the medians of the rounds, and ratios of those. Python 3.9 or later, no packages.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import sys

import run as bench

KINDS = ("ids", "dictionaries", "objects")
ORDERS = 200_000


def contestants(settings):
    """Commands by name; the C program first."""
    store = settings.store
    commands = {"c": [settings.limit, "fetch", store, settings.repetitions]}
    build = ["swift", "build", "-c", "release", "--scratch-path", settings.work / "swift"]
    for name, product in (("mergewalk", "mergewalk-fetch"), ("grdb", "grdb-orders")):
        try:
            program = bench.swift_program([*build, "--product", product], bench.BENCH, product, settings)
            commands[name] = [program, "fetch", store, settings.repetitions]
        except bench.Unavailable as reason:
            bench.say(f"fetch: without {name}: {reason}")
    return commands


def main():
    parser = argparse.ArgumentParser(description="Runs the fetch benchmark; see bench/README.md.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=15, help="fetches of each kind in a round")
    parser.add_argument("--no-build", action="store_true", help="take the Swift programs as they were built last")
    parser.add_argument("--work", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    parser.add_argument("--results", type=pathlib.Path, default=bench.BENCH / "results")
    settings = parser.parse_args()
    settings.work = settings.work.resolve()
    settings.work.mkdir(parents=True, exist_ok=True)
    bench.compile_c(settings)
    data = settings.work / f"data-{ORDERS}-1"
    if not (data / "orders.csv").exists():
        bench.run_quietly([settings.generate, "--orders", ORDERS, "--seed", 1, "--out", data])
    # Mergewalk makes the store, so that its metadata names the model; the rows are those of the other contestants.
    settings.store = data / "fetch.sqlite"
    if not settings.store.exists():
        build = ["swift", "build", "-c", "release", "--product", "mergewalk"]
        mergewalk = bench.swift_program(build, bench.ROOT, "mergewalk", settings)
        command = [mergewalk, "run", bench.BENCH / "orders.yaml", "--store", settings.store, "--quiet"]
        bench.run_quietly([*command, "--set", f"INPUT={data / 'orders.csv'}"])

    commands = contestants(settings)
    samples = {name: [] for name in commands}
    for number in range(1, settings.rounds + 1):
        for name, command in commands.items():
            samples[name].append(bench.measure(command))
        bench.say(f"  fetch, round {number} of {settings.rounds}")

    results = {}
    for name, rounds in samples.items():
        results[name] = {"peak_rss_bytes": round(statistics.median(s["peak_rss_bytes"] for s in rounds))}
        for kind in rounds[0]["output"]:
            outputs = [sample["output"][kind] for sample in rounds]
            median = statistics.median(output["seconds"] for output in outputs)
            results[name][kind] = {**outputs[0], "seconds": median}
    for name, result in results.items():
        for kind in KINDS:
            if result[kind]["rows"] != results["c"][kind]["rows"]:
                raise SystemExit(f"fetch: {name} found {result[kind]['rows']} {kind}, c {results['c'][kind]['rows']}")

    print(f"**fetch, {results['c']['ids']['rows']:,} of {ORDERS:,} orders** (medians of {settings.rounds} rounds)\n")
    print(bench.row(["contestant", *(head for kind in KINDS for head in (f"{kind}, ms", "÷ c")), "peak RSS, MiB"]))
    print(bench.row(["---"] + ["---:"] * (2 * len(KINDS) + 1)))
    for name, result in results.items():
        cells = [name]
        for kind in KINDS:
            ratio = result[kind]["seconds"] / results["c"][kind]["seconds"]
            result[kind]["ratio"] = round(ratio, 3)
            cells += [f"{result[kind]['seconds'] * 1000:.1f}", f"{ratio:.2f}"]
        print(bench.row([*cells, f"{result['peak_rss_bytes'] / bench.MIB:.0f}"]))
    if "mergewalk" in results:
        extra = {kind: value for kind, value in results["mergewalk"].items() if kind not in (*KINDS, "peak_rss_bytes")}
        print()
        for kind, value in extra.items():
            print(f"{kind}: {value['seconds'] * 1e6 / value['rows']:.3f} microseconds each")

    machine = bench.machine()
    record = {"revision": bench.git("rev-parse", "HEAD"), "machine": machine, "orders": ORDERS, "results": results}
    settings.results.mkdir(parents=True, exist_ok=True)
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    cpu = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
    path = settings.results / f"{day}-{cpu}-fetch.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    bench.say(f"fetch: {path}")


if __name__ == "__main__":
    sys.exit(main())
