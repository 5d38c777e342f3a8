#!/usr/bin/env python3
"""Writes the tables "What the examples show" of docs/coredata-layout.md, over the stores of ../shared and of fixtures.

For each store: what `store info`, `store verify` and `fetch` say beside plain SQL; then a new store is made of its export,
and what Core Data and Mergewalk have written is compared: statements, version hashes, the copy of the model. Then the hashes in
Xcode's lists, and each version of a model migrated to each other one.

    scripts/coredata-tables.py .build/debug/mergewalk [SHARED]         prints the tables
    scripts/coredata-tables.py .build/debug/mergewalk [SHARED] --write puts them into the page
"""
import importlib.util, json, os, plistlib, re, shutil, sqlite3, subprocess, sys, tempfile
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(HERE, "docs/coredata-layout.md")
BEGIN, END = "<!-- made by scripts/coredata-tables.py -->", "<!-- end of what the script makes -->"
spec = importlib.util.spec_from_file_location("archive", os.path.join(HERE, "scripts/read-archive.py"))
archive = importlib.util.module_from_spec(spec)
spec.loader.exec_module(archive)


def stores(shared):
    for top in ("coredata", "coredata-more"):
        for folder, _, names in sorted(os.walk(os.path.join(shared, top))):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith(("-wal", "-shm")) and open(path, "rb").read(15) == b"SQLite format 3":
                    yield path


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def statements(path):
    """The statements of a store's file by kind, without those of bookkeeping and history."""
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'A[CT]*' AND tbl_name NOT GLOB 'A[CT]*'"
        " AND name NOT LIKE 'sqlite%' AND name NOT GLOB 'Z_RT_*_[rnp]*'").fetchall()
    result = {"table": set(), "index": set(), "trigger": set()}
    for kind, sql in rows:
        result[kind].add(" ".join(sql.replace('"', "").split()))
    return result


def metadata(path):
    row = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()
    return plistlib.loads(row[0])


def same(ours, theirs):
    return f"{len(ours & theirs)} of {len(theirs)}"


def both(ours, theirs):
    """Like same(), and what only we make."""
    more = len(ours - theirs)
    return same(ours, theirs) + (f", {more} more" if more else "")


def study(binary, path, folder):
    name = os.path.basename(path)
    store, fresh = os.path.join(folder, "s.sqlite"), os.path.join(folder, "n.sqlite")
    for suffix in ("", "-wal"):
        if os.path.exists(path + suffix):
            # Not a copy of the mode, which is read-only.
            with open(path + suffix, "rb") as source, open(store + suffix, "wb") as target:
                target.write(source.read())
    info = json.loads(run(binary, "store", "info", store, "--json")[1])
    verify = json.loads(run(binary, "store", "verify", store, "--json")[1])
    severities = [finding["severity"] for finding in verify["findings"]]
    fetched = right = 0
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    tables = {row[0].upper() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for entity, facts in info["entities"].items():
        root = entity
        while info["entities"][root]["parent"]:
            root = info["entities"][root]["parent"]
        if "Z" + root.upper() not in tables:
            continue
        numbers = [f["number"] for e, f in info["entities"].items() if is_below(info["entities"], e, entity)]
        count = connection.execute(
            f'SELECT count(*) FROM "Z{root.upper()}" WHERE Z_ENT IN ({",".join(map(str, numbers))})').fetchone()[0]
        code, text, _ = run(binary, "fetch", store, "--entity", entity, "--count")
        fetched += 1
        right += code == 0 and text.strip() == str(count)
    framework = metadata(store).get("NSPersistenceFrameworkVersion")
    connection.close()
    run(binary, "export", store, "--out", os.path.join(folder, "export"), "--quiet")
    code, _, error = run(binary, "run", os.path.join(folder, "export/pipeline.yaml"), "--store", fresh, "--quiet")
    line = [name, str(framework), str(len(info["entities"])), f"{sum(e['objects'] for e in info['entities'].values()):,}",
            "/".join(str(severities.count(s)) for s in ("error", "warning", "note")), f"{right} of {fetched}"]
    if not os.path.exists(fresh):
        return line + ["not made"] * 5
    ours, theirs = statements(fresh), statements(store)
    hashes = [set(metadata(p)["NSStoreModelVersionHashes"].items()) for p in (fresh, store)]
    line += [both(ours["table"], theirs["table"]), both(ours["index"], theirs["index"]),
             both(ours["trigger"], theirs["trigger"]), same(*hashes)]
    try:
        lines = [set(archive.read(p)) for p in (fresh, store)]
        line.append(same(*lines))
    except AssertionError as reason:
        line.append(str(reason))
    return line


def is_below(entities, name, ancestor):
    while name:
        if name == ancestor:
            return True
        name = entities[name]["parent"]
    return False


def versions(shared):
    """The versions of each model that has several: the folder's path from `coredata` on, and the versions' paths."""
    top = os.path.join(shared, "coredata")
    for folder, names, _ in sorted(os.walk(top)):
        found = sorted(os.path.join(folder, name) for name in names if name.endswith(".xcdatamodel"))
        if len(found) > 1:
            yield os.path.relpath(folder, top), found


def hashed(binary, model):
    """What `model hash` prints of the entities of a model."""
    lines = [line.split("\t") for line in run(binary, "model", "hash", model)[1].splitlines()]
    return {(name, text) for name, text in (line for line in lines if len(line) == 2) if len(text) == 64}


def listed(binary, shared):
    """The hashes of each VersionInfo.plist that Xcode made, beside those of the sources and of the compiled models at hand."""
    sources = {os.path.basename(path)[:-12]: path for _, found in versions(shared) for path in found}
    for folder, _, names in sorted(os.walk(os.path.join(shared, "coredata"))):
        if "VersionInfo.plist" not in names:
            continue
        with open(os.path.join(folder, "VersionInfo.plist"), "rb") as file:
            known = plistlib.load(file)["NSManagedObjectModel_VersionHashes"]
        counts = {"xcdatamodel": [0, 0, 0], "mom": [0, 0, 0]}
        for version, hashes in known.items():
            theirs = {(name, value.hex()) for name, value in hashes.items()}
            for kind, path in (("xcdatamodel", sources.get(version)), ("mom", os.path.join(folder, version + ".mom"))):
                if path and os.path.exists(path):
                    ours = hashed(binary, path)
                    counts[kind] = [a + b for a, b in zip(counts[kind], (1, len(ours & theirs), len(theirs)))]
        yield [os.path.relpath(folder, os.path.join(shared, "coredata")), str(len(known))] + [
            f"{equal} of {all} in {number}" for number, equal, all in counts.values()]


def migrations(binary, shared):
    """Each version of a model with each other one: a new, empty store is migrated and verified."""
    for name, found in versions(shared):
        clean, refused = 0, {}
        for old in found:
            for new in found:
                if old == new:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    entity = next(e.get("name") for e in ElementTree.parse(os.path.join(old, "contents")).iter("entity")
                                  if e.get("isAbstract") != "YES")
                    open(os.path.join(folder, "none.ndjson"), "w").close()
                    with open(os.path.join(folder, "p.yaml"), "w") as file:
                        json.dump({"model": old, "store": "s.sqlite",
                                   "objects": [{"entity": entity, "files": "none.ndjson"}]}, file)
                    run(binary, "run", os.path.join(folder, "p.yaml"), "--quiet")
                    store = os.path.join(folder, "s.sqlite")
                    code, _, error = run(binary, "store", "migrate", store, "--to", new, "--no-backup", "--quiet")
                    if code == 0 and run(binary, "store", "verify", store, "--model", new)[0] == 0:
                        clean += 1
                    else:
                        reason = (re.findall(r"\[(\w+)\]", error) or [f"exit {code}"])[-1]
                        refused[reason] = refused.get(reason, 0) + 1
        words = ", ".join(f"{count} {reason}" for reason, count in sorted(refused.items()))
        yield [name, str(len(found)), str(len(found) * (len(found) - 1)), str(clean), words or "none"]


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head)] + rows) + "\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    binary = os.path.abspath(arguments[0])
    shared = arguments[1] if len(arguments) > 1 else os.path.join(HERE, "../shared")
    rows = []
    for path in stores(shared):
        folder = tempfile.mkdtemp()
        try:
            rows.append(study(binary, path, folder))
        finally:
            shutil.rmtree(folder)
    head = ["store", "framework", "entities", "objects", "errors, warnings, notes of verify", "fetch counts as SQL",
            "tables", "indexes", "triggers", "hashes", "facts of the model's copy"]
    text = table(head, rows)
    head = ["VersionInfo.plist of", "versions", "hashes of the sources that are at hand", "hashes of the compiled models"]
    text += "\n" + table(head, list(listed(binary, shared)))
    head = ["model", "versions", "pairs", "migrated, sound afterwards", "refused"]
    text += "\n" + table(head, list(migrations(binary, shared)))
    if "--write" not in sys.argv:
        print(text)
        return
    page = open(PAGE).read()
    before, rest = page.split(BEGIN)
    with open(PAGE, "w") as file:
        file.write(before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
