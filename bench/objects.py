#!/usr/bin/env python3
"""The object benchmark: 100,000 objects inserted, read, changed one by one and found through a relationship, by
Mergewalk's contexts, by GRDB's records and by a plain loop in C over the same tables; and what an undo manager costs.

Rounds run the contestants in turn, each in a process and a store of its own; the table has the medians of the rounds,
and ratios of those. Python 3.9 or later, no packages.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import sys

import run as bench

STEPS = ("insert", "read", "change", "members")


def contestants(settings):
    """Commands by name, without the path of the store and the number of objects; the C program first."""
    commands = {"c": [settings.limit, "objects"]}
    build = ["swift", "build", "-c", "release", "--scratch-path", settings.work / "swift"]
    for name, product in (("mergewalk", "mergewalk-objects"), ("grdb", "grdb-orders")):
        try:
            program = bench.swift_program([*build, "--product", product], bench.BENCH, product, settings)
            commands[name] = [program, "objects"]
        except bench.Unavailable as reason:
            bench.say(f"objects: without {name}: {reason}")
    return commands


def measure(command, settings, *arguments):
    """Runs a contestant with a new store."""
    store = settings.work / "objects.sqlite"
    bench.remove_store(store)
    sample = bench.measure([*command, store, settings.objects, *arguments])
    bench.remove_store(store)
    return sample


def main():
    parser = argparse.ArgumentParser(description="Runs the object benchmark; see bench/README.md.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--no-build", action="store_true", help="take the Swift programs as they were built last")
    parser.add_argument("--work", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    parser.add_argument("--results", type=pathlib.Path, default=bench.BENCH / "results")
    settings = parser.parse_args()
    settings.work = settings.work.resolve()
    settings.work.mkdir(parents=True, exist_ok=True)
    bench.compile_c(settings)

    commands = contestants(settings)
    samples = {name: [] for name in commands}
    undo = {"with": [], "without": []}
    for number in range(1, settings.rounds + 1):
        for name, command in commands.items():
            samples[name].append(measure(command, settings))
        if "mergewalk" in commands:
            for kind, list_ in undo.items():
                list_.append(measure([commands["mergewalk"][0], "undo"], settings, kind))
        bench.say(f"  objects, round {number} of {settings.rounds}")

    results = {}
    print(f"**{settings.objects:,} objects, milliseconds** (medians of {settings.rounds} rounds)\n")
    print(bench.row(["contestant", *(head for step in STEPS for head in (step, "÷ c")), "peak RSS, MiB"]))
    print(bench.row(["---"] + ["---:"] * (2 * len(STEPS) + 1)))
    for name, rounds in samples.items():
        results[name] = {"peak_rss_bytes": round(statistics.median(s["peak_rss_bytes"] for s in rounds))}
        cells = [name]
        for step in STEPS:
            seconds = statistics.median(sample["output"][step]["seconds"] for sample in rounds)
            rows = rounds[0]["output"][step]["rows"]
            if rows != settings.objects:
                raise SystemExit(f"objects: {name} did {step} for {rows} of {settings.objects}")
            results[name][step] = {"seconds": seconds, "ratio": round(seconds / results["c"][step]["seconds"], 3)
                                   if name != "c" else 1.0}
            cells += [f"{seconds * 1000:.1f}", f"{results[name][step]['ratio']:.2f}"]
        print(bench.row([*cells, f"{results[name]['peak_rss_bytes'] / bench.MIB:.0f}"]))
    if "mergewalk" in commands:
        outputs = [sample["output"] for sample in samples["mergewalk"]]
        thousand = statistics.median(output["contexts"]["seconds"] for output in outputs)
        size = statistics.median(output["bytes_per_object"] for output in outputs)
        results["mergewalk"].update({"thousand_contexts_seconds": thousand, "bytes_per_object": size})
        print()
        for step in STEPS:
            typed = statistics.median(output[f"typed_{step}"]["seconds"] for output in outputs)
            ratio = typed / results["c"][step]["seconds"]
            results["mergewalk"][f"typed_{step}"] = {"seconds": typed, "ratio": round(ratio, 3)}
            print(f"{step} by generated accessors: {typed * 1000:.1f} ms, {ratio:.2f} of c")
        print(f"\n1,000 contexts: {thousand * 1000:.1f} ms; {size:.0f} bytes an inserted object with its handle")
        for kind, rounds in undo.items():
            output = {key: statistics.median(s["output"][key] for s in rounds)
                      for key in ("insert_seconds", "save_seconds", "undo_seconds", "bytes_per_insert")}
            results[f"undo_{kind}"] = output
            print(f"{kind} an undo manager: {output['insert_seconds'] * 1000:.0f} ms to insert, "
                  f"{output['bytes_per_insert']:.0f} bytes an insert, {output['undo_seconds'] * 1000:.0f} ms to undo all")

    machine = bench.machine()
    record = {"revision": bench.git("rev-parse", "HEAD"), "machine": machine, "objects": settings.objects,
              "results": results}
    settings.results.mkdir(parents=True, exist_ok=True)
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    cpu = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
    path = settings.results / f"{day}-{cpu}-objects.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    bench.say(f"objects: {path}")


if __name__ == "__main__":
    sys.exit(main())
