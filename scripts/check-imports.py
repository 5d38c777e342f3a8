#!/usr/bin/env python3
"""Holds the imports of every source file against the dependencies that its target declares in Package.swift.

A file may import what its target declares, the modules of the toolchain, and nothing else; what a target declares, one of
its files imports. Prints one line for each breach and ends with 1 when there is one.
"""

import json
import pathlib
import re
import subprocess
import sys

# What the toolchain brings. Library targets do without Foundation.
TOOLCHAIN = {"Darwin", "Glibc", "Synchronization"}
IN_TESTS = {"Foundation", "FoundationXML", "Testing", "CoreData"}
# Modules of packages by the names of their products.
PRODUCTS = {"ArgumentParser": "ArgumentParser", "Logging": "Logging"}

IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)(?!\w*\s*:)")


def imports(path):
    """The modules that a file imports, with their lines."""
    in_comment = in_text = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.count('"""') % 2 == 1:
            in_text = not in_text
            continue
        if in_text:
            continue
        if "/*" in line:
            in_comment = True
        if not in_comment and (found := IMPORT.match(line)):
            yield found.group(1), number
        if "*/" in line:
            in_comment = False


def guarded(path, line):
    """Whether an import stands under `#if canImport(Glibc)` or beside one of Darwin."""
    before = path.read_text(encoding="utf-8").splitlines()[:line - 1]
    depth = 0
    for text in reversed(before):
        if text.strip().startswith("#endif"):
            depth += 1
        if text.strip().startswith("#if"):
            if depth == 0:
                return "canImport" in text
            depth -= 1
    return False


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    package = json.loads(subprocess.run(
        ["swift", "package", "--package-path", str(root), "dump-package"], check=True, capture_output=True).stdout)
    names = {target["name"] for target in package["targets"]}
    breaches = []
    for target in package["targets"]:
        name, kind = target["name"], target["type"]
        if kind == "system":
            continue
        declared = {next(iter(each.values()))[0] for each in target["dependencies"]}
        folder = root / (target.get("path") or ("Tests" if kind == "test" else "Sources") + "/" + name)
        allowed = declared | {name} | TOOLCHAIN
        if kind != "regular" or name in {"MergewalkTestSupport", "MergewalkFoundation"}:
            allowed |= IN_TESTS
        # On macOS the name Glibc stands for Darwin, by a flag among the settings that all targets of Swift have.
        has_alias = any("swiftLanguageMode" in each["kind"] for each in target.get("settings", []))
        used = set()
        for path in sorted(folder.rglob("*.swift")):
            for module, line in imports(path):
                used.add(module)
                if module == "Glibc" and not has_alias and not guarded(path, line):
                    breaches.append(f"{path.relative_to(root)}:{line}: error: imports Glibc without an alternative for macOS")
                if PRODUCTS.get(module, module) in allowed:
                    continue
                why = f"{name} does not declare it" if module in names or module in PRODUCTS else "it is not for here"
                breaches.append(f"{path.relative_to(root)}:{line}: error: imports {module}; {why}")
        # An executable is declared by the tests that run it, macros by the module that declares what they expand.
        runs = {each["name"] for each in package["targets"] if each["type"] in ("executable", "macro")}
        for module in sorted(declared - used - runs):
            breaches.append(f"Package.swift: error: {name} declares {module}, which none of its files imports")
    manifest = (root / "Package.swift").read_text(encoding="utf-8")
    if '#if os(macOS)' not in manifest or '"Glibc=Darwin"' not in manifest:
        breaches.append("Package.swift: error: on macOS the name Glibc no longer stands for Darwin")
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
