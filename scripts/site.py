#!/usr/bin/env python3
"""Builds a site out of the README and docs, with the six chapters of docs/README.md as its navigation.

    scripts/site.py [--out build/site] [--sources-only]

Needs MkDocs (PyPI), which `make site` installs into build/site-env. MkDocs runs with --strict: a link that leads nowhere, or a
page that no chapter names, is an error. The site needs no network: no fonts, no scripts of others.
"""
import argparse, json, os, posixpath, re, shutil, subprocess, sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Pages outside of docs, and where they are in the site.
OTHERS = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
          "bench/README.md": "bench.md", "fixtures/README.md": "fixtures.md"}


def placed(path):
    """Where a file of the repository is in the site; None for what is not in it."""
    if path in OTHERS:
        return OTHERS[path]
    if path == "docs/README.md":
        return "chapters.md"
    return path[len("docs/"):] if path.startswith("docs/") else None


def pages():
    found = list(OTHERS)
    for folder, _, names in os.walk(os.path.join(HERE, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), HERE) for name in names if not name.startswith(".")]
    return sorted(found)


def text_of(path):
    """A page with its links as they are in the site; what is not in the site is named without a link."""
    folder, target = posixpath.dirname(path), posixpath.dirname(placed(path))

    def link(match):
        words, to = match.groups()
        if re.match(r"[a-z]+:|#", to):
            return match.group(0)
        file, mark, anchor = to.partition("#")
        site = placed(posixpath.normpath(posixpath.join(folder, file)))
        if site is None:
            return words if words.startswith("`") else f"{words} (`{posixpath.normpath(posixpath.join(folder, file))}`)"
        return f"[{words}]({posixpath.relpath(site, target or '.')}{mark}{anchor})"

    text, inside = [], False
    for line in open(os.path.join(HERE, path), encoding="utf-8").read().split("\n"):
        if line.lstrip().startswith("```"):
            inside = not inside
            # Names of files behind the language are for the tests.
            line = re.sub(r"^(\s*```\w+) .*", r"\1", line)
        elif not inside:
            line = re.sub(r"\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^)\s]+)\)", link, line)
            # MkDocs wants a blank line before a list.
            if re.match(r"(\*|\d+\.) ", line) and text and text[-1].strip() and not re.match(r"\s*(\*|\d+\.) |\s+\S", text[-1]):
                text.append("")
        text.append(line)
    return "\n".join(text)


def navigation():
    """The chapters of docs/README.md with their pages, and the decisions."""
    chapters = [{"Home": "index.md"}]
    text = open(os.path.join(HERE, "docs/README.md"), encoding="utf-8").read()
    for heading, body in re.findall(r"(?ms)^## (.*?)\n(.*?)(?=^## |\Z)", text):
        entries = []
        for path in re.findall(r"(?m)^\| \[[^\]]*\]\(([^)#]+)\)", body):
            site = placed(posixpath.normpath(posixpath.join("docs", path)))
            title = re.search(r"(?m)^# (.*)", open(os.path.join(HERE, posixpath.normpath("docs/" + path)), encoding="utf-8").read())
            entries.append({title.group(1): site})
        if entries:
            chapters.append({re.sub(r"^\d+\. ", "", heading): entries})
    chapters.append({"More": [{"All pages": "chapters.md"}, {"Contributing": "contributing.md"}, {"Changes": "changelog.md"}]})
    return chapters


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(HERE, "build/site"))
    parser.add_argument("--sources-only", action="store_true", help="make the sources, and do not call MkDocs")
    options = parser.parse_args()
    sources = os.path.abspath(options.out) + "-source"
    shutil.rmtree(sources, ignore_errors=True)
    for path in pages():
        target = os.path.join(sources, "docs", placed(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if path.endswith(".md"):
            with open(target, "w", encoding="utf-8") as file:
                file.write(text_of(path))
        else:
            shutil.copy(os.path.join(HERE, path), target)
    config = {"site_name": "Mergewalk", "docs_dir": "docs", "site_dir": os.path.abspath(options.out),
              "theme": {"name": "mkdocs", "highlightjs": False, "navigation_depth": 2, "user_color_mode_toggle": True},
              "use_directory_urls": False, "nav": navigation(), "plugins": ["search"],
              "markdown_extensions": ["tables", "fenced_code", "toc", "sane_lists"],
              "validation": {"nav": {"omitted_files": "warn", "not_found": "warn"},
                             "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}}}
    # JSON is YAML.
    with open(os.path.join(sources, "mkdocs.yml"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=1, ensure_ascii=False)
    if options.sources_only:
        print(f"{sources}: {len(pages())} files")
        return
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f",
                           os.path.join(sources, "mkdocs.yml")], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    print(f"{options.out}/index.html")


if __name__ == "__main__":
    main()
