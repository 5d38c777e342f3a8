"""A process beside a run: reads, writes or checkpoints the store until it is told to end; says what it finds wrong.

Usage: neighbour.py read|write|checkpoint STORE SEED
"""

import random
import signal
import sqlite3
import sys
import time

kind, path, seed = sys.argv[1:]
chance = random.Random(seed)
is_over = False


def end(*_):
    global is_over
    is_over = True


signal.signal(signal.SIGTERM, end)


def once():
    """Opens the store, does one thing, closes it."""
    connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
    try:
        if kind == "read":
            connection.execute("BEGIN")
            before = connection.execute("SELECT count(*), total(Z_OPT) FROM ZORDER").fetchone()
            time.sleep(chance.random() / 100)
            if before != connection.execute("SELECT count(*), total(Z_OPT) FROM ZORDER").fetchone():
                sys.stderr.write(f"a reader saw {before} change within its transaction\n")
            connection.execute("COMMIT")
            states.add(before)
            if len(states) > 2:
                sys.stderr.write(f"a reader saw more than two states: {states}\n")
        elif kind == "write":
            connection.execute("UPDATE ZORDER SET ZNOTE = ?, Z_OPT = Z_OPT + 1 WHERE ZORDERID = 9001",
                               (str(chance.random()),))
        else:
            connection.execute(f"PRAGMA wal_checkpoint({chance.choice(('PASSIVE', 'FULL', 'TRUNCATE'))})")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) and "busy" not in str(error):
            sys.stderr.write(f"{kind}: {error}\n")
    finally:
        connection.close()


states = set()
print("ready", flush=True)
while not is_over:
    once()
    time.sleep(chance.random() / 50)
