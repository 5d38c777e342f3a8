#!/usr/bin/env python3
"""Checks the README, the pages and the comments by the rules of CONTRIBUTING.md: words, links, plain English, valid YAML."""
import os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# README: about 700 words beside its examples.
MOST_WORDS = 750
# Translated constructions, and what to write instead.
PLAIN = {"taken back": "rolled back", "gone on with": "resumed", "What becomes what": "say what the file does",
         "Known beforehand": "say what explain does", "Of what is asked for": "say it in the active voice",
         "somebody": "say who: the app, another process, you", "nobody": "say what does not happen", "anybody": "say who", "someone": "say who", "gone on": "resumed, continued",
         "goes on with": "resumes, continues", "go on with": "resume, continue", "takes? back": "roll back, undo",
         "passed over": "skipped", "otherwise than": "differs from", "of what is": "name it", "is held to": "must",
         "comes? of": "results", "beforehand": "in advance"}
# Those that comments, messages and help must avoid, too.
IN_SOURCES = {word: PLAIN[word] for word in PLAIN if word not in ("of what is", "comes? of", "passed over")}


def main():
    failures = []
    pages = ["README.md"] + sorted(
        os.path.relpath(os.path.join(folder, name), HERE)
        for folder, _, names in os.walk(os.path.join(HERE, "docs")) for name in names if name.endswith(".md"))
    headings = {page: anchors(open(os.path.join(HERE, page)).read()) for page in pages}
    for page in pages:
        text = open(os.path.join(HERE, page)).read()
        prose = re.sub(r"(?ms)^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text)
        if page == "README.md":
            words = len(prose.split())
            print(f"README.md: {words} words")
            if words > MOST_WORDS:
                failures.append(f"README.md: {words} words, more than {MOST_WORDS}")
        opening = re.search(r"(?m)^# .*\n\n(.*)", prose)
        if opening and re.match(r"(What|Whatever|Who|Whoever) (?!.*\?)", opening.group(1)):
            failures.append(f"{page}: opens with “{opening.group(1).split()[0]} …”: begin with the subject and a verb")
        for number, line in enumerate(prose.splitlines(), 1):
            place = f"{page}:{number}"
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(os.path.join(HERE, file)):
                    failures.append(f"{place}: there is no {file}")
                elif anchor and file in headings and anchor not in headings[file]:
                    failures.append(f"{place}: {file} has no heading #{anchor}")
            if "(decisions/" not in line:
                failures += [f"{place}: “{old}”: {new}" for old, new in PLAIN.items()
                             if re.search(r"(?i)\b" + old, line)]
    failures += catalogues()
    failures += sources()
    if "--units" in sys.argv:
        failures += units()
    for name in ["packaging/action/action.yml", ".github/workflows/ci.yml", ".github/workflows/release.yml"]:
        if parses(name) is False:
            failures.append(f"{name}: is not YAML")
    print("\n".join(failures) if failures else f"{len(pages)} pages: no findings")
    sys.exit(1 if failures else 0)


def catalogues():
    """Errors in the links of the DocC catalogues, which no other tool checks without docc."""
    failures = []
    for folder, _, names in os.walk(os.path.join(HERE, "Sources")):
        if not folder.endswith(".docc"):
            continue
        articles = {name[:-3] for name in names if name.endswith(".md")}
        for name in sorted(names):
            place = os.path.relpath(os.path.join(folder, name), HERE)
            text = open(os.path.join(folder, name)).read()
            failures += [f"{place}: there is no article {link}" for link in re.findall(r"<doc:(\w+)>", text)
                         if link not in articles]
            failures += [f"{place}: is {page} there?" for page in re.findall(r"`((?:docs|Examples|Tests)/[\w./-]+)`", text)
                         if not os.path.exists(os.path.join(HERE, page))]
            failures += [f"{place}: {address} is no address of ours: write “…/mergewalk.git”"
                         for address in re.findall(r"https?://\S*mergewalk[^\s\")]*", text)]
    return failures


def units():
    """Errors that systemd finds in the units in packaging, if it is installed; the command need not be."""
    if not shutil.which("systemd-analyze"):
        return []
    folder = os.path.join(HERE, "packaging/systemd")
    with tempfile.TemporaryDirectory() as copy:
        paths = []
        for name in sorted(os.listdir(folder)):
            if not name.endswith((".service", ".timer")):
                continue
            paths.append(os.path.join(copy, name))
            with open(paths[-1], "w") as unit:
                unit.write(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", open(os.path.join(folder, name)).read()))
        said = subprocess.run(["systemd-analyze", "verify"] + paths, capture_output=True, text=True)
    # What is wrong with other units of the machine is not ours.
    lines = [line for line in said.stderr.splitlines() if "mergewalk" in line]
    return [f"packaging/systemd: {line}" for line in lines]


def sources():
    """Public docstrings begin with their subject; comments and messages of the sources have no words of PLAIN."""
    failures = []
    for folder, _, names in os.walk(os.path.join(HERE, "Sources")):
        for name in sorted(names):
            if not name.endswith(".swift"):
                continue
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, HERE)
            lines = open(path).read().split("\n")
            for number, line in enumerate(lines, 1):
                failures += [f"{shown}:{number}: “{old}”: {new}" for old, new in IN_SOURCES.items()
                             if re.search(r"(?i)\b" + old + r"\b", line)]
                begins = line.lstrip().startswith("///") and (number == 1 or not lines[number - 2].lstrip().startswith("///"))
                if begins and re.match(r"\s*/// (What|Whatever|Who|Whoever)\b", line) and is_public(lines, number):
                    failures.append(f"{shown}:{number}: a public docstring opens with a question word: begin with the subject")
                if re.search(r"\b(help|abstract|hint|message): \"(What|Whatever|Who|Whoever) ", line):
                    failures.append(f"{shown}:{number}: a text opens with a question word: begin with the subject")
    return failures


def is_public(lines, index):
    """Whether the declaration below a docstring is public, or a case of an enumeration."""
    while index < len(lines) and re.match(r"\s*(///|@(?!.*\b(func|var|let|init|struct|enum|class)\b))", lines[index]):
        index += 1
    return index < len(lines) and bool(re.match(r"\s*(@.* )?(public|open|case)\b", lines[index]))


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text)):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


def parses(name):
    """Whether a file is YAML; None where Python has no parser for it."""
    try:
        import yaml
    except ImportError:
        return None
    try:
        return isinstance(yaml.safe_load(open(os.path.join(HERE, name))), dict)
    except yaml.YAMLError:
        return False


if __name__ == "__main__":
    main()
