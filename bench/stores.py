#!/usr/bin/env python3
"""What families of stores cost beside one store: wall, CPU and memory of each step, and the files that a rerun writes.

    python3 bench/stores.py --binary .build/release/mergewalk [--records N] [--stores 20,1000] [--empty 1000,10000] [--runs 3]

The orders are made here, the same for a seed, with a column `tenant` of as many values as there are to be stores. Measures
are held against those of the issue: ratios to one store that a run makes of the same file, medians of the runs.
"""
import argparse, json, os, random, resource, shutil, statistics, subprocess, sys, tempfile, time

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


def measure(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, words = process.communicate()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1): sys.exit(f"{' '.join(command)}: {process.returncode}\n{words.decode()}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The greatest of all children so far; the steps that need most come last.
    return {"wall": wall, "cpu": cpu, "mib": after.ru_maxrss / 1024, "output": output}


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
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.binary)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for stores in map(int, arguments.stores.split(",")):
            write(folder, arguments.records, stores)

            def repeat(command, out):
                runs = []
                for _ in range(arguments.runs):
                    shutil.rmtree(f"{folder}/{out}", ignore_errors=True)
                    if os.path.exists(f"{folder}/{out}"): os.remove(f"{folder}/{out}")
                    runs.append(measure(command, folder))
                return median(runs)

            one = repeat([binary, "run", "orders.yaml", "--store", "one.sqlite", "--no-history", "--quiet"], "one.sqlite")
            split = repeat([binary, "stores", "plan", "orders.yaml", "--out", "family", "--quiet"], "family")
            build = repeat([binary, "stores", "build", "orders.yaml", "--out", "family", "--jobs", arguments.jobs, "--quiet"],
                           "family")
            before = files(f"{folder}/family")
            again = measure([binary, "stores", "build", "orders.yaml", "--out", "family", "--quiet"], folder)
            after = files(f"{folder}/family")
            written = [name for name in after if before.get(name) != after[name]]
            rows.append({"stores": stores, "one": one, "split": split, "build": build,
                         "split_wall": split["wall"] / one["wall"], "build_wall": build["wall"] / one["wall"],
                         "build_cpu": build["cpu"] / one["cpu"], "rerun_wall": again["wall"],
                         "rerun_files": len([name for name in written if "/_plan/" not in name])})
        for stores in map(int, [n for n in arguments.empty.split(",") if n]):
            write(folder, stores, stores)
            shutil.rmtree(f"{folder}/family", ignore_errors=True)
            run = measure([binary, "stores", "build", "orders.yaml", "--out", "family", "--quiet"], folder)
            rows.append({"stores": stores, "records": stores, "ms_per_store": 1000 * run["wall"] / stores, "mib": run["mib"]})
    for row in rows: print(json.dumps(row))


if __name__ == "__main__": main()
