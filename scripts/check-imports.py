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
TOOLCHAIN = {"Synchronization"}
# The C library has another name on each platform: one target knows them, and all others import that target.
C_LIBRARY, C_LIBRARIES = "MergewalkSystem", {"Darwin", "Glibc", "Musl"}
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


def outside():
    """The imports of the C library in programs that are no targets of the package: each needs an alternative for macOS."""
    root = pathlib.Path(__file__).resolve().parent.parent
    for folder in ["bench/Sources", "Examples", "Plugins", "Tests/Consumer"]:
        for path in sorted((root / folder).rglob("*.swift")):
            if ".build" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            for module, line in imports(path):
                if module in C_LIBRARIES and not ("import Glibc" in text and "import Darwin" in text):
                    yield f"{path.relative_to(root)}:{line}: error: imports {module} without an alternative"


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
        if kind != "regular" or name in {"MergewalkTestSupport", "MergewalkFoundation", "CoreData"}:
            allowed |= IN_TESTS
        if name == C_LIBRARY:
            allowed |= C_LIBRARIES
        used = set()
        for path in sorted(folder.rglob("*.swift")):
            for module, line in imports(path):
                used.add(module)
                if PRODUCTS.get(module, module) in allowed:
                    continue
                why = (f"import {C_LIBRARY}, which builds on macOS too" if module in C_LIBRARIES
                       else f"{name} does not declare it" if module in names or module in PRODUCTS else "it is not for here")
                breaches.append(f"{path.relative_to(root)}:{line}: error: imports {module}; {why}")
        # An executable is declared by the tests that run it, macros by the module that declares what they expand.
        runs = {each["name"] for each in package["targets"] if each["type"] in ("executable", "macro")}
        for module in sorted(declared - used - runs):
            breaches.append(f"Package.swift: error: {name} declares {module}, which none of its files imports")
    if "unsafeFlags" in (root / "Package.swift").read_text(encoding="utf-8"):
        breaches.append("Package.swift: error: unsafe flags; a package with them cannot be depended on by version")
    breaches += outside()
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
