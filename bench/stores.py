#!/usr/bin/env python3
"""What families of stores cost beside one store: wall, CPU and memory of each step, and the files that a rerun writes.

    python3 bench/stores.py --binary .build/release/mergewalk [--records N] [--stores 20,1000] [--empty 1000,10000] [--runs 3]

The orders are made here, the same for a seed, with a column `tenant` of as many values as there are to be stores. Figures are
ratios to one store that a run makes of the same file in the same rounds, medians of the rounds, with the goal behind each. On a
machine that others use too, CPU time is the figure, not wall time. Where GNU parallel is installed, or SLURM_CONF names a
Slurm (scripts/slurm-node.sh), four tasks run on these as well.
"""
import argparse, json, os, random, shutil, statistics, subprocess, sys, tempfile, time

MODEL = """entities:
  Order:
    attributes:
      code: string!
      tenant: string
      customer: string
      product: string
      quantity: integer32
      price: decimal
      placed: date
    unique: [code]
"""
PIPELINE = """pipeline: orders
model: model.yaml
source: orders.csv
import:
  entity: Order
  find_by: code
  attributes: { tenant: tenant, customer: customer, product: product, quantity: quantity, price: price, placed: placed }
stores: { by: tenant, path: "{tenant}.sqlite" }
"""


def write(folder, records, stores, seed=7):
    r = random.Random(seed)
    with open(f"{folder}/orders.csv", "w") as file:
        file.write("code,tenant,customer,product,quantity,price,placed\n")
        for i in range(records):
            tenant = i if i < stores else r.randrange(stores)
            file.write(f"O{i:08},t{tenant:05},customer {r.randrange(50000)},product {r.randrange(2000)},"
                       f"{r.randrange(1, 20)},{r.randrange(100, 99999) / 100:.2f},2026-0{r.randrange(1, 10)}-1{r.randrange(10)}\n")
    for name, text in (("model.yaml", MODEL), ("orders.yaml", PIPELINE)):
        with open(f"{folder}/{name}", "w") as file: file.write(text)


def measure(command, folder, environment=None):
    start = time.perf_counter()
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=words,
                                   env={**os.environ, **(environment or {})})
        # Of this process and those that it has waited for; memory is the greatest of them.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        words.seek(0)
        if process.returncode not in (0, 1): sys.exit(f"{' '.join(command)}: {process.returncode}\n{words.read().decode()}")
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "mib": used.ru_maxrss / 1024}


def files(folder):
    result = {}
    for path, _, names in os.walk(folder):
        for name in names:
            status = os.stat(f"{path}/{name}")
            if "_spool" not in path: result[f"{path}/{name}"] = (status.st_ino, status.st_mtime_ns)
    return result


def median(runs): return {key: statistics.median(run[key] for run in runs) for key in ("wall", "cpu", "mib")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--stores", default="20,1000")
    parser.add_argument("--empty", default="1000,10000", help="numbers of stores of one record each")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--results", help="a file for all figures, as JSON")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.binary)
    engines = ["parallel"] if shutil.which("parallel") else []
    if os.environ.get("SLURM_CONF"): engines.append("slurm")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for stores in map(int, arguments.stores.split(",")):
            write(folder, arguments.records, stores)

            def repeat(command, out):
                # Each run has a new name, and nothing is removed before the end: ext4 takes seconds of processor time to
                # make new files where some thousand were removed within the last half minute.
                runs = []
                for number in range(arguments.runs):
                    if os.path.exists(f"{folder}/{out}"): os.rename(f"{folder}/{out}", f"{folder}/{stores}-{'-'.join(command[1:3])}-{number}-{out}")
                    runs.append(measure(command, folder))
                return median(runs)

            one = repeat([binary, "run", "orders.yaml", "--store", "one.sqlite", "--no-history", "--quiet"], "one.sqlite")
            split = repeat([binary, "stores", "plan", "orders.yaml", "--out", "family", "--quiet"], "family")
            build = repeat([binary, "stores", "build", "orders.yaml", "--out", "family", "--jobs", arguments.jobs, "--quiet"],
                           "family")
            before = files(f"{folder}/family")
            again = measure([binary, "stores", "build", "orders.yaml", "--out", "family", "--quiet"], folder)
            after = files(f"{folder}/family")
            written = [name for name in after if before.get(name) != after[name] and "/_plan/" not in name]
            few = stores < 100
            say(f"{stores} stores: one store", f"{one['cpu']:.2f} s CPU, {one['wall']:.2f} s wall, {one['mib']:.0f} MiB")
            for name, step, key, goal in (("split", split, "cpu", 0.3 if few else 0.5), ("build", build, "cpu", 1.5 if few else 4),
                                          ("build", build, "wall", 1.6 if few else 4)):
                say(f"{stores} stores: {name}, {key}", f"{step[key] / one[key]:.2f}", f"{goal}")
            say(f"{stores} stores: build, memory", f"{build['mib']:.0f} MiB", "128 MiB")
            say(f"{stores} stores: again", f"{again['cpu'] / one['cpu']:.2f} CPU, {len(written)} files written", "0 files")
            rows.append({"stores": stores, "one": one, "split": split, "build": build, "again": again, "written": len(written)})
            for engine in engines if few else []:
                script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts", f"stores-{engine}.sh")
                command = ["bash", script, "orders.yaml", "family", "4"]
                os.rename(f"{folder}/family", f"{folder}/{stores}-before-{engine}")
                run = measure(command, folder, {"MERGEWALK": binary})
                say(f"{stores} stores: {engine}, 4 tasks, wall", f"{run['wall'] / one['wall']:.2f}", "3")
                rows.append({"stores": stores, "engine": engine, **run})
        for stores in map(int, [n for n in arguments.empty.split(",") if n]):
            write(folder, stores, stores)
            if os.path.exists(f"{folder}/family"): os.rename(f"{folder}/family", f"{folder}/before-{stores}")
            run = measure([binary, "stores", "build", "orders.yaml", "--out", "family", "--quiet"], folder)
            say(f"{stores} stores of one record", f"{1000 * run['cpu'] / stores:.2f} ms CPU and "
                f"{1000 * run['wall'] / stores:.2f} ms wall each, {run['mib']:.0f} MiB", "the same within 10 % for any number")
            rows.append({"stores": stores, "records": stores, **run})
    if arguments.results:
        with open(arguments.results, "w") as file: json.dump(rows, file, indent=1)


def say(name, figure, goal=None): print(f"{name:40} {figure:>40}   {'goal ' + goal if goal else ''}", flush=True)


if __name__ == "__main__": main()
