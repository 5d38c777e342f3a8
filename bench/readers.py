#!/usr/bin/env python3
"""The reader benchmark: how fast Mergewalk's readers are, against the fastest known for each format, one core each.

Rounds run the contestants in turn; the tables have the medians of the rounds, and Mergewalk's seconds divided by
theirs: wall time, and processor time of all threads (per core). What is timed is the reading alone, as each contestant
says, without the start of its process. Before the first round all contestants check their work: the same records,
fields, bytes and hash of the values. README.md beside this file says more. Python 3.9 or later.

    bench/readers.py --format csv gzip --records 1000000 --rounds 3
    bench/readers.py --format all --no-build
"""

import argparse
import datetime
import importlib
import json
import pathlib
import re
import statistics
import sys

import run as bench
from readers import FORMATS
from run import say

CHECKED = ("records", "fields", "bytes", "hash")


def field_of(module, path, settings):
    """The contestants of a format that this machine can run, ready; Mergewalk first."""
    field = []
    for contestant in module.contestants(settings, path):
        if settings.contestants and contestant.name not in ("mergewalk", *settings.contestants):
            continue
        try:
            contestant.command = contestant.prepare()
            field.append(contestant)
        except (bench.Unavailable, FileNotFoundError) as reason:
            if settings.contestants or contestant.name == "mergewalk":
                raise SystemExit(f"readers: {contestant.name}: {reason}") from None
            say(f"readers: without {contestant.name}: {reason}")
    return field


def differences(field):
    """What contestants say differently of the same input; each is compared with Mergewalk."""
    reference, lines = None, []
    for contestant in field:
        if contestant.check is None:
            continue
        output = bench.measure([*contestant.command, *contestant.check])["output"]
        if reference is None:
            reference = output
        for key in CHECKED:
            if output.get(key) and reference.get(key) and output[key] != reference[key]:
                lines.append(f"{contestant.name} found {key} {output[key]}, {field[0].name} {reference[key]}")
    return lines


def measure_format(name, settings):
    module = importlib.import_module(f"readers.{name}")
    path = module.data(settings)
    field = field_of(module, path, settings)
    wrong = [] if settings.no_verify else differences(field)
    samples = {contestant.name: [] for contestant in field}
    for number in range(1, settings.rounds + 1):
        for contestant in field:
            sample = bench.measure(contestant.command)
            samples[contestant.name].append(sample)
        say(f"  {name}, round {number} of {settings.rounds}: " + ", ".join(
            f"{who} {taken[-1]['output']['seconds']:.3f}" for who, taken in samples.items()))
    results = {}
    for who, taken in samples.items():
        results[who] = {
            key: statistics.median(sample["output"][key] for sample in taken) for key in ("seconds", "cpu_seconds")}
        results[who]["peak_rss_bytes"] = round(statistics.median(sample["peak_rss_bytes"] for sample in taken))
        results[who]["samples"] = taken
    ours = results["mergewalk"]
    for who, result in results.items():
        result["ratio"] = round(ours["seconds"] / result["seconds"], 3)
        result["cpu_ratio"] = round(ours["cpu_seconds"] / result["cpu_seconds"], 3)
        result["bar"] = module.BARS.get(who)
    return {"format": name, "bytes": path.stat().st_size, "differences": wrong, "results": results}


def table(measurement, settings):
    size = measurement["bytes"]
    lines = [f"**{measurement['format']}, {settings.records:,} records, {size / 1e6:.0f} MB** (medians of {settings.rounds})",
             "", bench.row(["contestant", "seconds", "cpu seconds", "MB/s", "mergewalk ÷ it", "per core", "at most",
                            "peak RSS, MiB"]),
             bench.row(["---"] + ["---:"] * 7)]
    for who, result in measurement["results"].items():
        bar = f"{result['bar']:.2f}" if result["bar"] else ""
        lines.append(bench.row([
            who, f"{result['seconds']:.3f}", f"{result['cpu_seconds']:.3f}", f"{size / 1e6 / result['seconds']:,.0f}",
            f"{result['ratio']:.2f}", f"{result['cpu_ratio']:.2f}", bar,
            f"{result['peak_rss_bytes'] / bench.MIB:.0f}"]))
    lines += [f"\nNOT THE SAME WORK: {line}" for line in measurement["differences"]]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Runs the reader benchmark; see bench/README.md.")
    parser.add_argument("--format", nargs="+", choices=(*FORMATS, "all"), default=["all"])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--contestants", nargs="+", help="beside mergewalk; default: all that this machine can run")
    parser.add_argument("--no-build", action="store_true", help="take the Swift programs as they were built last")
    parser.add_argument("--no-verify", action="store_true", help="do not compare what the contestants found")
    parser.add_argument("--work", type=pathlib.Path, default=bench.ROOT / "build" / "bench")
    parser.add_argument("--results", type=pathlib.Path, default=bench.BENCH / "results")
    parser.add_argument("--no-results", action="store_true", help="do not write the JSON file")
    settings = parser.parse_args()
    if settings.rounds < 1 or settings.records < 1:
        parser.error("rounds and records are at least 1")
    settings.work = settings.work.resolve()
    settings.work.mkdir(parents=True, exist_ok=True)
    settings.read_program = None

    wanted = FORMATS if "all" in settings.format else settings.format
    measurements = []
    for name in wanted:
        measurements.append(measure_format(name, settings))
        print(table(measurements[-1], settings), flush=True)
    if not settings.no_results:
        machine = bench.machine()
        record = {
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "revision": bench.git("rev-parse", "HEAD") + ("-dirty" if bench.git("status", "--porcelain") else ""),
            "machine": machine, "records": settings.records, "rounds": settings.rounds, "measurements": measurements}
        settings.results.mkdir(parents=True, exist_ok=True)
        cpu = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
        path = settings.results / f"{record['date'][:10]}-{cpu}-readers-{'-'.join(wanted)}.json"
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        say(f"readers: {path}")
    return 1 if any(measurement["differences"] for measurement in measurements) else 0


if __name__ == "__main__":
    sys.exit(main())
