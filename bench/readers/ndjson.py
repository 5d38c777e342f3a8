"""NDJSON: the orders of the benchmark, 11 members, six of them in objects inside; simdjson and Foundation beside."""

import os
import subprocess
import sys

import run as bench
from readers import BENCH, Contestant, Unavailable, mergewalk, orders, say

BARS = {"simdjson": 2.5, "foundation": 1 / 3}

COLUMNS = ("order_id,ordered_at,quantity,unit_price,note,customer.email,customer.name,customer.country,"
           "product.sku,product.name,product.category")
# The source package has simdjson's one header and one source file.
PACKAGE = "pysimdjson==7.0.2"


def data(settings):
    return orders(settings, ndjson=True) / "orders.ndjson"


def simdjson_sources(settings):
    """The folder with simdjson.h and simdjson.cpp, from the source package of PyPI."""
    folder = settings.work / "simdjson"
    if not folder.exists():
        say(f"readers: fetching the sources in {PACKAGE}")
        fetched = settings.work / "simdjson-package"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--no-binary", ":all:", "--dest", fetched, PACKAGE]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            raise Unavailable(f"pip cannot download {PACKAGE}")
        bench.run_quietly(["tar", "-xf", next(fetched.glob("*.tar.gz")), "-C", fetched])
        next(fetched.glob("*/simdjson/simdjson.h")).parent.rename(folder)
    return folder


def simdjson(settings):
    """Compiles bench/baselines/simdjson_orders.cpp; simdjson itself once only, which takes a minute."""
    sources = simdjson_sources(settings)
    compiler = [os.environ.get("CXX", "c++"), "-O3", "-std=c++17"]
    library = settings.work / "simdjson.o"
    if not library.exists():
        bench.run_quietly([*compiler, f"-I{sources}", "-c", sources / "simdjson.cpp", "-o", library])
    program = settings.work / "simdjson_orders"
    bench.run_quietly([
        *compiler, f"-I{sources}", "-Wall", "-Wextra", BENCH / "baselines" / "simdjson_orders.cpp", library,
        "-o", program])
    return program


def foundation(settings):
    build = ["swift", "build", "-c", "release", "--scratch-path", settings.work / "swift",
             "--product", "foundation-ndjson"]
    return bench.swift_program(build, BENCH, "foundation-ndjson", settings)


def contestants(settings, path):
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "ndjson", path, "--columns", COLUMNS)),
        Contestant("simdjson", lambda: [simdjson(settings), path]),
        # It knows numbers by their value, not by their spelling.
        Contestant("foundation", lambda: [foundation(settings), path], check=()),
    ]
