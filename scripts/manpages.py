#!/usr/bin/env python3
"""Makes a man page of each command from what the command says of itself.

    mergewalk --experimental-dump-help | scripts/manpages.py FOLDER
"""
import json, os, re, sys


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def names(argument):
    shown = []
    for name in argument.get("names", []):
        shown.append(("--" if name["kind"] == "long" else "-") + name["name"])
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f"<{value}>"
    text = ", ".join(shown)
    return text if argument["kind"] == "flag" else f"{text} <{value}>"


def synopsis(path, command):
    parts = [" ".join(path)]
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    if any(a["kind"] != "positional" for a in arguments):
        parts.append("[options]")
    for argument in arguments:
        if argument["kind"] != "positional":
            continue
        text = names(argument) + (" ..." if argument.get("isRepeating") else "")
        parts.append(f"[{text}]" if argument.get("isOptional") else text)
    if command.get("subcommands"):
        parts.append("<subcommand>")
    return " ".join(parts)


def discussion(text):
    """Paragraphs stay; lines that are indented, and those below a heading in capitals, stay as they are."""
    out, open_ = [], False
    for line in text.splitlines():
        if re.fullmatch(r"[A-Z ]{4,}", line):
            if open_:
                out.append(".fi")
                open_ = False
            out.append(".SH " + line)
            continue
        is_plain = line.startswith("  ")
        if is_plain != open_ and line:
            out.append(".nf" if is_plain else ".fi")
            open_ = is_plain
        out.append(escape(line) if line else ".PP" if not open_ else "")
    if open_:
        out.append(".fi")
    return out


def shown_arguments(command):
    """The arguments that help shows; an option --version with a value hides the flag of that name."""
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]

    def is_version(argument):
        return any(name["name"] == "version" for name in argument.get("names") or [])

    has_own = any(is_version(a) and a["kind"] == "option" for a in arguments)
    return [a for a in arguments if not (has_own and is_version(a) and a["kind"] == "flag")]


def page(path, command, version):
    name = "-".join(path)
    lines = [f'.TH {name.upper()} 1 "" "mergewalk {version}" "User Commands"', ".SH NAME",
             f"{escape(name)} \\- {escape(command.get('abstract', '')).rstrip('.')}", ".SH SYNOPSIS",
             escape(synopsis(path, command))]
    text = command.get("discussion", "")
    if text:
        # What begins with a heading has no description before it.
        lines += ([] if re.match(r"[A-Z ]{4,}\n", text) else [".SH DESCRIPTION"]) + discussion(text)
    arguments = shown_arguments(command)
    if arguments:
        lines.append(".SH OPTIONS")
        for argument in arguments:
            lines += [".TP", ".B " + escape(names(argument))]
            words = " ".join(filter(None, [argument.get("abstract", ""), argument.get("discussion", "")]))
            if argument.get("allValues"):
                words += f" Values: {', '.join(argument['allValues'])}."
            if argument.get("defaultValue"):
                words += f" Default: {argument['defaultValue']}."
            lines.append(escape(" ".join(words.split())))
    children = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if children:
        lines.append(".SH SUBCOMMANDS")
        for child in children:
            lines += [".TP", f".BR {escape(name)}\\-{escape(child['commandName'])} (1)", escape(child.get("abstract", ""))]
    if len(path) > 1:
        lines += [".SH SEE ALSO", ".BR mergewalk (1)"]
    return "\n".join(lines) + "\n"


def pages(dump, version):
    """The pages by their file names."""
    found = {}

    def walk(command, path):
        path = path + [command["commandName"]]
        if command["commandName"] == "help":
            return
        found["-".join(path) + ".1"] = page(path, command, version)
        for child in command.get("subcommands", []):
            walk(child, path)

    walk(dump["command"], [])
    return found


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, text in pages(json.load(sys.stdin), os.environ.get("MERGEWALK_VERSION", "")).items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
