#!/usr/bin/env python3
"""Counts the public types of the library targets, by target: what users of the products can see.

    scripts/public-types.py [--list | --check] [FOLDER]

FOLDER is another checkout, to compare with. A type counts once, where it is declared; types inside types count too.
With --check it fails where a public declaration has an unsafe pointer in its signature, or is one of rows and tables.
"""

import pathlib
import re
import sys

# Targets of the products; the command, the compiler's plugin and helpers of tests are not among them.
NOT_LIBRARIES = {"mergewalk", "MergewalkMacroPlugin", "MergewalkTestSupport"}
# How rows, tables and files are kept is nothing that users see.
INSIDE = {"RowBuffer", "RowState", "ByteArena", "CellTag", "CellColumn", "StoreSchema", "StoreFile", "Connection", "Statement"}
TYPE = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:indirect\s+|final\s+)*(struct|class|enum|protocol|actor|typealias)\s+(\w+)")
PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s")


def signatures(path):
    """The public declarations of a file with their lines, each up to its body."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        if not PUBLIC.match(line):
            continue
        text = line
        while text.count("(") > text.count(")") and index + 1 < len(lines):
            index += 1
            text += " " + lines[index].strip()
        yield index + 1, text.split("{")[0]


def declared(text):
    """The type that a line declares, if it does."""
    found = TYPE.match(text)
    return {found.group(2)} if found else set()


def check(root):
    """Prints public declarations that users should not see and returns whether there are none."""
    found = [
        f"{path.relative_to(root)}:{line}: public, but nothing for users: {text.strip()}"
        for folder in sorted((root / "Sources").iterdir())
        if folder.is_dir() and folder.name not in NOT_LIBRARIES
        for path in sorted(folder.rglob("*.swift"))
        for line, text in signatures(path)
        if "Unsafe" in text and "import" not in text or folder.name != "MergewalkImporting" and INSIDE & declared(text)
    ]
    print("\n".join(found) or "no public declaration has an unsafe pointer or shows how rows are kept")
    return not found


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    if "--check" in sys.argv:
        sys.exit(0 if check(root) else 1)
    counts = {}
    for folder in sorted((root / "Sources").iterdir()):
        if folder.name in NOT_LIBRARIES or not folder.is_dir():
            continue
        for path in sorted(folder.rglob("*.swift")):
            for line in path.read_text(encoding="utf-8").splitlines():
                found = TYPE.match(line)
                if found and found.group(1) != "typealias":
                    counts.setdefault(folder.name, []).append(found.group(2))
    for target, names in counts.items():
        print(f"{len(names):5} {target}" + (": " + ", ".join(names) if "--list" in sys.argv else ""))
    print(f"{sum(map(len, counts.values())):5} in all")


if __name__ == "__main__":
    main()
