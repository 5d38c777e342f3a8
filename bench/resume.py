#!/usr/bin/env python3
"""What exactly-once costs: checkpoints, going on, and taking a whole run back, as ratios to the plain run.

usage: bench/resume.py [--records N] [--runs K] MERGEWALK

Makes a store of N orders, then a night that changes every one of them, and measures, K times each, the medians of
  plain      the night over the existing store
  batches    the same with a tenth of the batch size: ten times as many checkpoints
  resumed    the part after a SIGTERM at about half of the records, reading up to the place included
  rollback   the same night with a limit that is exceeded at its end, so that all of it is taken back
"""
import argparse, json, os, pathlib, shutil, signal, statistics, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = "order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,product_name,category\n"


def orders(path, count, price, bad=0):
    with open(path, "w") as file:
        file.write(HEADER)
        for i in range(count):
            quantity = "x" if i >= count - bad else i % 9 + 1
            file.write(
                f"{i},2024-05-{i % 28 + 1:02d}T10:00:00Z,{quantity},{price}.5,n{i % 100},c{i % 20000}@example.com,"
                f"C{i % 20000},DE,S{i % 5000},P{i % 5000},cat{i % 20}\n")


def pipeline(path, limit="", batch=20000):
    path.write_text(f"""pipeline: night
model: {ROOT}/fixtures/shop/Shop.xcdatamodeld
store: shop.sqlite
source: {{ files: in.csv, format: csv }}
history: false
batch: {{ records: {batch} }}
rejects: {{ file: rejects.ndjson{limit} }}
import:
  entity: Order
  find_by: [orderID]
  attributes:
    orderID: order_id
    orderedAt: {{ from: ordered_at, date: iso8601 }}
    quantity: quantity
    unitPrice: unit_price
    note: note
  relationships:
    customer: {{ find_by: {{ email: customer_email }}, attributes: {{ name: customer_name, country: country }} }}
    product:
      find_by: {{ sku: sku }}
      attributes: {{ name: product_name }}
      relationships:
        category: {{ find_by: {{ name: category }} }}
""")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mergewalk")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    command = str(pathlib.Path(options.mergewalk).resolve())
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder) / "base"
        base.mkdir()

        def run(where, *arguments):
            start = time.monotonic()
            process = subprocess.run(
                [command, "run", "p.yaml", "--json", "--quiet", *arguments], cwd=where, capture_output=True, text=True)
            return process.returncode, time.monotonic() - start, json.loads(process.stdout)

        orders(base / "in.csv", options.records, 1)
        pipeline(base / "p.yaml")
        code, _, _ = run(base)
        assert code == 0
        orders(base / "in.csv", options.records, 2, bad=2)

        def fresh():
            night = pathlib.Path(folder) / "night"
            shutil.rmtree(night, ignore_errors=True)
            shutil.copytree(base, night)
            os.sync()
            return night

        def measure(name, prepare, expected):
            times = []
            for _ in range(options.runs):
                night = fresh()
                prepare(night)
                code, seconds, result = run(night)
                assert code == expected, (name, code, result)
                times.append(seconds)
            return statistics.median(times), result

        def interrupt(night):
            process = subprocess.Popen(
                [command, "run", "p.yaml", "--json", "--quiet"], cwd=night, stdout=subprocess.PIPE, text=True)
            time.sleep(plain / 2)
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate()
            assert process.returncode == 4, (process.returncode, output)

        plain, result = measure("plain", lambda night: None, 1)
        rows = [("plain", plain, "")]
        seconds, _ = measure("batches", lambda night: pipeline(night / "p.yaml", batch=2000), 1)
        rows.append(("batches", seconds, "2,000 records a batch"))
        seconds, result = measure("resumed", interrupt, 1)
        rows.append(("resumed", seconds, f"after {result['resumed_after']:,} of {result['read']:,}"))
        seconds, result = measure("rollback", lambda night: pipeline(night / "p.yaml", limit=", limit: 1"), 3)
        rows.append(("rollback", seconds, "all taken back"))
        print(f"{'case':10} {'seconds':>8} {'ratio':>6}")
        for name, seconds, note in rows:
            print(f"{name:10} {seconds:8.2f} {seconds / plain:6.2f}  {note}")


if __name__ == "__main__":
    sys.exit(main())
