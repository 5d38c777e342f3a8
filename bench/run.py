#!/usr/bin/env python3
"""Runs the benchmark: builds the contestants, generates the data, runs all in turn, verifies that they did the same
work, prints a Markdown table and writes bench/results/<date>-<cpu>-<jobs>.json. Python 3.9 or later, no packages.

README.md beside this file says what is measured and what is not.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
JOBS = ("load", "nightly")
# The contestants that the others are compared with; the first one's store is what the others' must equal.
MEASURES = {"load": ("c", "c-direct"), "nightly": ("c-seek", "c-scan", "c-sorted")}
MIB = 1024 * 1024


def say(text):
    print(text, file=sys.stderr, flush=True)


class Unavailable(Exception):
    """A contestant that this machine cannot run, and why."""


# ---- Contestants -----------------------------------------------------------------------------------------------


class Contestant:
    """One way to do the job. `jobs` are those it takes part in; `prepare` builds it or raises Unavailable."""

    def __init__(self, name, jobs=JOBS):
        self.name, self.jobs = name, jobs

    def prepare(self, settings):
        pass

    def command(self, job, source, store):
        raise NotImplementedError

    def adopt(self, store, settings):
        """Makes a copy of the common base store ready for this contestant; not timed."""


class Limit(Contestant):
    """The hand-written C program."""

    def __init__(self, name, job, options):
        super().__init__(name, (job,))
        self.options = options

    def prepare(self, settings):
        self.program = settings.limit

    def command(self, job, source, store):
        return [self.program, job, source, store, *self.options]


class Mergewalk(Contestant):
    def prepare(self, settings):
        if settings.mergewalk:
            self.program = settings.mergewalk
        else:
            build = ["swift", "build", "-c", "release", "--product", "mergewalk"]
            self.program = swift_program(build, ROOT, "mergewalk", settings)
        if not pathlib.Path(self.program).is_file():
            raise Unavailable(f"no such program: {self.program}")
        self.template = None

    def command(self, job, source, store):
        arguments = ["--store", store, "--set", f"INPUT={source}", "--json", "--quiet"]
        return [self.program, "run", BENCH / "orders.yaml", *arguments]

    def adopt(self, store, settings):
        """The base store comes from the C program, whose metadata names no model: put in what Mergewalk writes."""
        if self.template is None:
            header = settings.work / "header.csv"
            with open(settings.data / "orders.csv", encoding="utf-8") as orders:
                header.write_text(orders.readline(), encoding="utf-8")
            self.template = settings.work / "template.sqlite"
            remove_store(self.template)
            run_quietly(self.command("load", header, self.template))
        db = sqlite3.connect(store, isolation_level=None)
        db.execute("ATTACH ? AS template", (str(self.template),))
        for table in ("Z_METADATA", "Z_MODELCACHE"):
            known = db.execute("SELECT count(*) FROM template.sqlite_master WHERE name = ?", (table,)).fetchone()[0]
            db.execute(f"DELETE FROM main.{table}")
            if known:
                db.execute(f"INSERT INTO main.{table} SELECT * FROM template.{table}")
        db.close()


class Shell(Contestant):
    """`sqlite3 .import` and SQL."""

    def prepare(self, settings):
        if not shutil.which("sqlite3"):
            raise Unavailable("there is no sqlite3 command (Debian: apt-get install sqlite3)")

    def command(self, job, source, store):
        return [BENCH / "baselines" / "sqlite3-import.sh", job, source, store]


class Python(Contestant):
    def command(self, job, source, store):
        return [sys.executable, BENCH / "baselines" / "python_csv.py", job, source, store]


class Package(Contestant):
    """A script that needs a package from PyPI; `is_store` says whether it makes a Core Data store, so that it can be compared."""

    def __init__(self, name, module, script, is_store=True):
        super().__init__(name)
        self.module, self.script, self.is_store = module, script, is_store

    def prepare(self, settings):
        if importlib.util.find_spec(self.module) is None:
            raise Unavailable(f"there is no Python package {self.module} (pip install {self.name})")

    def command(self, job, source, store):
        return [sys.executable, BENCH / "baselines" / self.script, job, source, store]

    def prepare_base(self, job, settings, store):
        """Makes the base of a night in the contestant's own format; not timed."""
        if not self.is_store:
            remove_store(store)
            run_quietly(self.command("load", settings.data / "orders.csv", store))


class GRDB(Contestant):
    def prepare(self, settings):
        build = ["swift", "build", "-c", "release", "--scratch-path", settings.work / "swift"]
        self.program = swift_program(build, BENCH, "grdb-orders", settings)

    def command(self, job, source, store):
        return [self.program, job, source, store]


def contestants():
    """In the order in which a round runs them; the first of a job has the store that the others' must equal."""
    return [
        Limit("c", "load", []),
        Limit("c-live-indexes", "load", ["--live-indexes"]),
        Limit("c-direct", "load", ["--direct"]),
        Limit("c-seek", "nightly", ["--plan", "seek"]),
        Limit("c-scan", "nightly", ["--plan", "scan"]),
        Limit("c-sorted", "nightly", ["--plan", "sorted"]),
        Mergewalk("mergewalk"),
        Shell("sqlite3-import"),
        Python("python"),
        Package("sqlite-utils", "sqlite_utils", "sqlite_utils_csv.py", is_store=False),
        Package("duckdb", "duckdb", "duckdb_sql.py", is_store=False),
        GRDB("grdb"),
    ]


# ---- Building --------------------------------------------------------------------------------------------------


def run_quietly(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Unavailable(f"{command[0]} failed ({done.returncode}): {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def compile_c(settings):
    compiler = os.environ.get("CC", "cc")
    settings.generate = settings.work / "generate"
    settings.limit = settings.work / "limit"
    generator = BENCH / "generate" / "generate.c"
    run_quietly([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", settings.generate, generator])
    sources = sorted((BENCH / "limit").glob("*.c"))
    options = ["-O3", "-march=native", "-flto", "-Wall", "-Wextra", "-Werror"]
    run_quietly([compiler, *options, "-o", settings.limit, *sources, "-lsqlite3"])


def swift_program(build, package, name, settings):
    """Builds a Swift product in release mode and returns its path."""
    if not shutil.which("swift"):
        raise Unavailable("there is no Swift toolchain")
    build = [*build, "--package-path", package]
    if not settings.no_build:
        run_quietly(build)
    return pathlib.Path(run_quietly([*build, "--show-bin-path"]).strip()) / name


# ---- Running ---------------------------------------------------------------------------------------------------


def remove_store(store):
    for path in store.parent.glob(store.name + "*"):
        path.unlink()


def measure(command):
    """Runs a command to its end: wall seconds, processor seconds, peak resident memory, and its JSON.

    The peak is the larger one of the process and of the children it waited for.
    """
    os.sync()  # so that no one pays for pages the last one left dirty
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"run: {' '.join(map(str, command))} failed ({process.returncode}): {output}")
    sample = {
        "seconds": round(seconds, 4),
        "user_seconds": round(usage.ru_utime, 3),
        "system_seconds": round(usage.ru_stime, 3),
        "peak_rss_bytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }
    try:
        sample["output"] = json.loads(output.strip().splitlines()[-1])
        sample["output"].pop("store", None)  # a path of this machine
    except (IndexError, ValueError):
        sample["output"] = {}
    return sample


def verify(reference, store):
    """The differences between two stores, empty when they hold the same."""
    done = subprocess.run(
        [sys.executable, str(BENCH / "verify.py"), str(reference), str(store)], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    return done.stdout.strip() if done.returncode else ""


def run_job(job, orders, field, settings):
    """All rounds of a job at a size. Returns {contestant: {samples, verified}}."""
    source = settings.data / ("orders.csv" if job == "load" else "nightly.csv")
    base = settings.data / "base.sqlite"
    reference = settings.data / f"reference-{job}.sqlite"
    remove_store(reference)
    if job == "nightly" and not base.exists():
        run_quietly([settings.limit, "load", settings.data / "orders.csv", base])
    folder = settings.work / "run"
    results = {contestant.name: {"samples": [], "verified": None} for contestant in field}
    for number in range(1, settings.rounds + 1):
        for contestant in field:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            store = folder / "store.sqlite"
            if job == "nightly":
                shutil.copyfile(base, store)
                contestant.adopt(store, settings)
                if isinstance(contestant, Package):
                    contestant.prepare_base(job, settings, store)
            sample = measure(contestant.command(job, source, store))
            result = results[contestant.name]
            result["samples"].append(sample)
            say(f"  {job} {orders:,}, round {number}: {contestant.name} {sample['seconds']:.2f} s,"
                f" {sample['peak_rss_bytes'] / MIB:.0f} MiB")
            if number > 1 or settings.no_verify:
                continue
            if isinstance(contestant, Package) and not contestant.is_store:
                result["verified"] = "no Core Data store"
                continue
            if not reference.exists():
                result["verified"] = "the reference"
                shutil.copyfile(store, reference)
            else:
                differences = verify(reference, store)
                result["verified"] = differences or "equal to the reference"
                if differences:
                    say(f"run: {contestant.name} did other work than {field[0].name}:\n{differences}")
    shutil.rmtree(folder, ignore_errors=True)
    remove_store(reference)
    return results


# ---- Results ---------------------------------------------------------------------------------------------------


def first_match(pattern, path):
    try:
        found = re.search(pattern, pathlib.Path(path).read_text())
    except OSError:
        return None
    return found.group(1).strip() if found else None


def git(*arguments):
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def machine():
    file_system = subprocess.run(
        ["stat", "-f", "-c", "%T", str(ROOT)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    memory = first_match(r"MemTotal:\s*(\d+)", "/proc/meminfo")
    return {
        "cpu": first_match(r"model name\s*:\s*(.+)", "/proc/cpuinfo") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_bytes": int(memory) * 1024 if memory else None,
        "system": f"{platform.system()} {platform.release()}",
        "file_system": file_system or None,
        "load_average_at_start": os.getloadavg()[0],
    }


def summarise(job, results):
    """Adds medians, spread and the ratios to the C programs that took part."""
    for result in results.values():
        seconds = [sample["seconds"] for sample in result["samples"]]
        result["median_seconds"] = round(statistics.median(seconds), 4)
        result["fastest_seconds"], result["slowest_seconds"] = min(seconds), max(seconds)
        result["median_cpu_seconds"] = round(
            statistics.median(sample["user_seconds"] + sample["system_seconds"] for sample in result["samples"]), 3)
        result["peak_rss_bytes"] = round(statistics.median(sample["peak_rss_bytes"] for sample in result["samples"]))
    for result in results.values():
        result["ratios"] = {
            name: round(result["median_seconds"] / results[name]["median_seconds"], 3)
            for name in MEASURES[job] if name in results}


def table(measurements):
    """All measurements as Markdown; from the second size on with the growth since the smaller one."""
    lines = []
    for measurement in measurements:
        job, orders, results = measurement["job"], measurement["orders"], measurement["results"]
        records = orders + orders // 100 if job == "nightly" else orders
        smaller = [m for m in measurements if m["job"] == job and m["orders"] < orders][:1]
        measures = [name for name in MEASURES[job] if name in results]
        rounds = len(next(iter(results.values()))["samples"])
        heads = ["contestant", "seconds", "fastest-slowest", "CPU s", *(f"÷ {name}" for name in measures), "records/s",
                 "peak RSS, MiB", "same work", *(f"÷ {m['orders']:,} orders" for m in smaller)]
        lines += [f"**{job}, {orders:,} orders** (medians of {rounds})", "", row(heads),
                  row(["---"] + ["---:"] * (len(heads) - 1))]
        for name, result in results.items():
            verified = {None: "not checked", "the reference": "yes", "equal to the reference": "yes",
                        "no Core Data store": "another format"}
            cells = [name, f"{result['median_seconds']:.2f}",
                     f"{result['fastest_seconds']:.2f}-{result['slowest_seconds']:.2f}",
                     f"{result['median_cpu_seconds']:.2f}"]
            cells += [f"{result['ratios'][measure]:.2f}" for measure in measures]
            cells += [f"{records / result['median_seconds']:,.0f}", f"{result['peak_rss_bytes'] / MIB:.0f}",
                      verified.get(result["verified"], "NO")]
            cells += [f"{result['median_seconds'] / m['results'][name]['median_seconds']:.2f}" for m in smaller]
            lines.append(row(cells))
        lines.append("")
    return "\n".join(lines)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def sqlite_version(measurements):
    for measurement in measurements:
        for result in measurement["results"].values():
            for sample in result["samples"]:
                if "sqlite" in sample["output"]:
                    return sample["output"]["sqlite"]
    return None


# ---- The command -----------------------------------------------------------------------------------------------


def parse_arguments():
    names = [contestant.name for contestant in contestants()]
    parser = argparse.ArgumentParser(description="Runs the benchmark; see bench/README.md.")
    parser.add_argument("--orders", type=int, nargs="+", default=[1_000_000], help="sizes of the initial load")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contestant, in turn (default 3)")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--contestants", nargs="+", choices=names, help="default: all that this machine can run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mergewalk", type=pathlib.Path, help="a built mergewalk, instead of building the package")
    parser.add_argument("--no-build", action="store_true", help="take the Swift programs as they were built last")
    parser.add_argument("--no-verify", action="store_true", help="do not compare the stores")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench", help="where data and stores go")
    parser.add_argument("--results", type=pathlib.Path, default=BENCH / "results", help="where the JSON file goes")
    settings = parser.parse_args()
    if settings.rounds < 1 or min(settings.orders) < 1:
        parser.error("rounds and orders are at least 1")
    settings.work = settings.work.resolve()
    if settings.mergewalk:
        settings.mergewalk = settings.mergewalk.resolve()
    return settings


def prepare_field(settings):
    field = []
    for contestant in contestants():
        wanted = settings.contestants is not None and contestant.name in settings.contestants
        if settings.contestants is not None and not wanted:
            continue
        try:
            contestant.prepare(settings)
            field.append(contestant)
        except Unavailable as reason:
            if wanted:
                raise SystemExit(f"run: {contestant.name}: {reason}") from None
            say(f"run: without {contestant.name}: {reason}")
    return field


def main():
    settings = parse_arguments()
    settings.work.mkdir(parents=True, exist_ok=True)
    say("run: building")
    try:
        compile_c(settings)
    except (Unavailable, FileNotFoundError) as reason:
        raise SystemExit(f"run: {reason}") from None
    field = prepare_field(settings)
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "revision": git("rev-parse", "HEAD") + ("-dirty" if git("status", "--porcelain") else ""),
        "machine": machine(),
        "seed": settings.seed,
        "rounds": settings.rounds,
    }
    measurements = []
    for orders in sorted(settings.orders):
        settings.data = settings.work / f"data-{orders}-{settings.seed}"
        if not (settings.data / "nightly.csv").exists():
            say(f"run: generating {orders:,} orders")
            run_quietly([settings.generate, "--orders", orders, "--seed", settings.seed, "--out", settings.data])
        for job in settings.jobs:
            taking_part = [contestant for contestant in field if job in contestant.jobs]
            if not taking_part:
                continue
            results = run_job(job, orders, taking_part, settings)
            summarise(job, results)
            measurements.append({"job": job, "orders": orders, "results": results})
    record["sqlite"] = sqlite_version(measurements)
    record["measurements"] = measurements
    print(table(measurements))

    settings.results.mkdir(parents=True, exist_ok=True)
    cpu = re.sub(r"[^a-z0-9]+", "-", record["machine"]["cpu"].lower()).strip("-")
    path = settings.results / f"{record['date'][:10]}-{cpu}-{'-'.join(settings.jobs)}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    say(f"run: {path}")
    checks = [result["verified"] for m in measurements for result in m["results"].values()]
    return 0 if all(check in (None, "the reference", "equal to the reference", "no Core Data store") for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
