"""What a folder holds: stores by their rows, other files by their bytes, without what differs from run to run."""

import hashlib
import json
import os
import pathlib
import plistlib
import re
import shutil
import sqlite3

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:?\d\d:?\d\d(\.\d+)?Z")
UNIQUE = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", re.IGNORECASE)
BYTES = re.compile(r'"(sha256|sum)":"[0-9a-f]{64}"')
SIDE = ("-wal", "-shm", "-journal")
COUNTS = ("status", "read", "inserted", "updated", "unchanged", "skipped", "rejected", "deleted", "marked", "denied",
          "bytes_read", "reject_codes", "entities")
# What a writer beside changes in the row of the quiet order, which no input names.
QUIET = "9001"


def is_store(path):
    """Whether a file is a SQLite database."""
    with open(path, "rb") as file:
        return file.read(15) == b"SQLite format 3"


def external(store, value, names):
    """The digest of the file that a value names, in place of the value; the value where it names none."""
    if isinstance(value, bytes) and len(value) == 38 and value[0] == 2:
        name = value[1:37].decode(errors="replace")
        path = store.parent / f".{store.stem}_SUPPORT" / "_EXTERNAL_DATA" / name
        names.add(path)
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "no file"
    return value


def metadata(blob):
    """The metadata of a store without what differs from run to run: unfinished runs, and when finished ones ended."""
    try:
        found = plistlib.loads(blob)
        state = found.pop("MergewalkState", {})
        state.pop("runs", None)
        for finished in state.get("finished", {}).values():
            if isinstance(finished, dict):
                finished.pop("ended", None)
        return {**found, **({"MergewalkState": state} if state else {})}
    except Exception:  # A store of another kind keeps something else there.
        return {"": blob}


def rows(path):
    """The rows of all tables of a store, sorted; a text in place of them when it is malformed."""
    names = set()
    connection = sqlite3.connect(path, timeout=5)
    try:
        check = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if check != "ok":
            return f"malformed: {check}", names
        tables = {}
        for table, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            if table == "Z_METADATA":
                text = connection.execute("SELECT Z_PLIST FROM Z_METADATA").fetchall()
                for key, value in metadata(text[0][0]).items():
                    tables[f"{table}.{key}"] = [repr(value)]
                continue
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            left_out = {n for n, name in enumerate(columns) if name in ("ZTIMESTAMP", "ZPROCESSID")}
            if table == "ZORDER" and QUIET:
                order = columns.index("ZORDERID") if "ZORDERID" in columns else -1
                quiet = {n for n, name in enumerate(columns) if name in ("ZNOTE", "Z_OPT")}
            else:
                order, quiet = -1, set()
            found = []
            for row in cursor:
                left = left_out | (quiet if order >= 0 and row[order] == QUIET else set())
                found.append(repr([external(path, value, names) for n, value in enumerate(row) if n not in left]))
            tables[table] = [sql, *sorted(found)]
        return tables, names
    except sqlite3.Error as error:
        return f"unreadable: {error}", names
    finally:
        connection.close()


def text(path):
    """A file's content without names of runs and times."""
    data = path.read_bytes()
    if len(data) > 1_000_000:
        return hashlib.sha256(data).hexdigest()
    return UNIQUE.sub("UUID", TIME.sub("TIME", data.decode(errors="replace")))


def listing(folder):
    """All files and folders below a folder, by relative path."""
    found = []
    for top, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(top, name), folder) for name in folders + files]
    return sorted(found)


def snapshot(folder):
    """The content of everything in a folder, by normalised path; stores are opened, so this may change side files."""
    folder = pathlib.Path(folder)
    state, named, present = {}, set(), set()
    for name in listing(folder):
        path = folder / name
        key = UNIQUE.sub("UUID", TIME.sub("TIME", name))
        if path.is_symlink():
            value = "link to " + os.readlink(path)
        elif path.is_dir():
            value = "folder"
        elif "_EXTERNAL_DATA/" in name:
            present.add(path.resolve())
            continue
        elif not path.exists():  # A side file that went when its store was opened.
            continue
        elif name.endswith("-mergewalk"):
            value = "table of runs" if isinstance(rows(path)[0], dict) else rows(path)[0]
        elif name.endswith((".prom", ".html")):
            value = "of this run"  # They hold times and durations.
        elif name.endswith("_SUCCESS") or "_parts/" in name:
            # They name the stores' contents, which are to be equal; after a fault the bytes need not be.
            value = BYTES.sub(r'"\1":"of the file"', text(path))
        elif is_store(path) and not name.endswith(SIDE):
            value, names = rows(path)
            named |= {name.resolve() for name in names}
        else:
            value = text(path)
        state.setdefault(key, []).append(value)
    if present - named:
        state["external data that no row names"] = [str(len(present - named))]
    return {key: sorted(values, key=str) for key, values in state.items()}


def copied(folder, into):
    """The content of a folder as another process would find it now, side files and all; the folder stays as it is."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(folder, into, symlinks=True)
    return snapshot(into)


def is_visible(key):
    """Whether a file is one that users see, not one of a run that goes on."""
    return not key.endswith(SIDE) and not any(part.startswith(".") for part in key.split("/"))


def counts(outcome):
    """What the JSON result of a command counts."""
    result = outcome.result
    return None if result is None else json.dumps({name: result.get(name) for name in COUNTS}, sort_keys=True)


def difference(found, wanted):
    """Says how two contents of folders differ, in a few words; empty when they are equal."""
    words = []
    for key in sorted(found.keys() | wanted.keys()):
        one, other = found.get(key), wanted.get(key)
        if one == other:
            continue
        if one is None or other is None:
            words.append(f"{key} is {'missing' if one is None else 'there'}")
        elif isinstance(one[0], dict) and isinstance(other[0], dict):
            for table in sorted(one[0].keys() | other[0].keys()):
                mine, theirs = one[0].get(table, []), other[0].get(table, [])
                if mine != theirs:
                    more = [row for row in mine if row not in theirs]
                    less = [row for row in theirs if row not in mine]
                    words.append(f"{key}: {table} has {len(mine)} of {len(theirs)} rows, {str(more[:2])[:300]} "
                                 f"in place of {str(less[:2])[:300]}")
        else:
            words.append(f"{key}: {str(one)[:200]} in place of {str(other)[:200]}")
    return "; ".join(words)[:2000]
