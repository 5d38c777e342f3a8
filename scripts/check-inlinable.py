#!/usr/bin/env python3
"""Checks that what says `@inlinable` can be inlined.

The compiler ignores the attribute, without a word, in a type of the package's own access that is not
`@usableFromInline`: every call from another module stays a call, `@inline(__always)` or not (Swift 6.3).
"""
import pathlib
import re
import sys

TYPE = re.compile(r"^(\s*)((?:@\w+(?:\([^)]*\))?\s+)*)((?:[a-z]+\s+)*)(struct|class|enum|actor|extension)\s+([\w.]+)")


def members(path):
    """The lines with `@inlinable`, each with the names of the types that it stands in."""
    stack = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text and not text.startswith(("//", "#")):
            while stack and (indent < stack[-1][0] or indent == stack[-1][0] and not text.startswith("{")):
                stack.pop()
        if found := TYPE.match(line):
            stack.append((indent, found.group(5)))
        if "@inlinable" in line.split("//")[0]:
            yield number, [name for _, names in stack for name in names.split(".")]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "Sources"
    failures = []
    for module in sorted(folder for folder in root.iterdir() if folder.is_dir()):
        files = sorted(module.rglob("*.swift"))
        hidden = set()
        for path in files:
            for line in path.read_text(encoding="utf-8").splitlines():
                found = TYPE.match(line)
                if not found or found.group(4) == "extension" or "@usableFromInline" in line:
                    continue
                if not re.search(r"\b(public|open)\b", found.group(3)):
                    hidden.add(found.group(5))
        for path in files:
            for number, names in members(path):
                for name in names:
                    if name in hidden:
                        place = f"{path.relative_to(root.parent)}:{number}"
                        failures.append(f"{place}: error: {name} is not @usableFromInline, so that @inlinable does nothing")
    print("\n".join(failures) or "All that says @inlinable can be inlined.")
    sys.exit(1 if failures else 0)


main()
