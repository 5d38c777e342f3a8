#!/usr/bin/env python3
"""Counts the public types of the library targets, by target: what users of the products can see.

    scripts/public-types.py [--list] [FOLDER]

FOLDER is another checkout, to compare with. A type counts once, where it is declared; types inside types count too.
"""

import pathlib
import re
import sys

# Targets of the products; the command, the compiler's plugin and helpers of tests are not among them.
NOT_LIBRARIES = {"mergewalk", "MergewalkMacroPlugin", "MergewalkTestSupport"}
TYPE = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:indirect\s+|final\s+)*(struct|class|enum|protocol|actor|typealias)\s+(\w+)")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
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
