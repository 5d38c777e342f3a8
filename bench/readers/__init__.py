"""The formats of the reader benchmark, one module each, and what they share.

A format's module has

* `BARS`: the contestants that Mergewalk is held against, with the largest ratio (Mergewalk's seconds ÷ theirs) that is
  good enough.
* `data(settings)`: makes the input in `settings.work` if it is not there, and returns its path.
* `contestants(settings, path)`: a list of `Contestant`. `Unavailable` may be raised by `prepare` for those that this
  machine cannot run.

To add a format: write such a module and add its name to `FORMATS`.
"""

import subprocess
import sys

import run as bench
from run import BENCH, ROOT, Unavailable, say  # noqa: F401: for the formats' modules

FORMATS = ("csv", "gzip", "ndjson", "json", "xml", "yaml")


class Contestant:
    """A program that reads the whole input and prints one line of JSON as its last:

    `records`, `fields` (0 or absent when it does not count them), `seconds` and `cpu_seconds` of the reading alone, and,
    when it is given `check` (a list of arguments, or None when it cannot), `bytes` (of all values) and `hash` (FNV-1a
    over all values with a byte FF behind each). Whatever two contestants both say must be equal.
    """

    def __init__(self, name, prepare, check=("--check",)):
        self.name, self.prepare, self.check = name, prepare, check
        self.command = None


def c_program(settings, name, *libraries):
    """Compiles bench/baselines/<name>.c and returns the program's path."""
    import os
    program = settings.work / name
    options = ["-O3", "-march=native", "-Wall", "-Wextra", "-Werror"]
    source = BENCH / "baselines" / f"{name}.c"
    bench.run_quietly([os.environ.get("CC", "cc"), *options, "-o", program, source, *libraries])
    return program


def mergewalk(settings, *arguments):
    """Builds mergewalk-read and returns the command with its arguments."""
    if settings.read_program is None:
        build = ["swift", "build", "-c", "release", "--scratch-path", settings.work / "swift",
                 "--product", "mergewalk-read"]
        settings.read_program = bench.swift_program(build, BENCH, "mergewalk-read", settings)
    return [settings.read_program, *arguments]


def python_program(settings, name, package, *arguments):
    """The command for bench/baselines/<name>.py in a virtual environment that has the package."""
    folder = settings.work / "venv"
    python = folder / "bin" / "python3"
    if not python.exists():
        bench.run_quietly([sys.executable, "-m", "venv", folder])
    module = package.split("==")[0]
    if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode:
        say(f"readers: installing {package} into {folder}")
        bench.run_quietly([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])
    return [python, BENCH / "baselines" / f"{name}.py", *arguments]


def orders(settings, ndjson=False):
    """The folder with the benchmark's orders, of `settings.records` records."""
    folder = settings.work / f"data-{settings.records}-1"
    wanted = folder / ("orders.ndjson" if ndjson else "nightly.csv")
    if not wanted.exists():
        generate = settings.work / "generate"
        source = BENCH / "generate" / "generate.c"
        bench.run_quietly(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", generate, source])
        say(f"readers: generating {settings.records:,} orders")
        options = ["--ndjson"] if ndjson else []
        bench.run_quietly([generate, "--orders", settings.records, "--seed", 1, "--out", folder, *options])
    return folder
