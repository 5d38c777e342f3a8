#!/usr/bin/env python3
"""How many cells of polluted CSV files `mergewalk preview` gets right when nobody says how they are written.

The files are made here, the same ones for a seed: invented tables, polluted as "Pollock: A Data Loading Benchmark"
(Vitagliano et al., VLDB 2023) counts it in open data, one kind by itself, and several at once in the kind "mixed". The
program is judged from outside: what `preview --format csv --records all` prints against the table before it was
polluted. With --guess, `guess` writes a pipeline first, and its options are given to `preview`.

A cell is right when its text is the same. Records are aligned, so that one missing record costs its own cells only.
Records that are broken (too short, too long, written otherwise) may be rejected: their cells then count for nothing; if
they are given, as what a person would make of them without making up or losing any text: a record that was padded or cut
is wrong. Every cell that should not be there counts as a wrong one, and so do those of every record, line below the table
or record of another table that is neither given nor among the rejects.

    python3 bench/dialects.py --binary .build/release/mergewalk [--seed N] [--only KIND] [--failures] [--guess]
"""
import argparse, csv, difflib, io, os, random, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

csv.field_size_limit(1 << 30)

# --- Tables ---------------------------------------------------------------------------------------------------------

NOUNS = ("kettle ladder anvil bobbin candle drum easel funnel gasket hammock inkwell jigsaw kayak lathe mitten needle "
         "oar pulley quiver rasp spindle trowel urn vise wrench yoke zither").split()
ADJECTIVES = "amber brisk coarse dense eager frosty gentle hollow ivory jagged keen light muted narrow oval plain".split()
CITIES = ["Zürich", "Malmö", "Besançon", "Poznań", "Oslo", "Bern", "Ghent", "Porto", "Siena", "Tartu"]
PEOPLE = ["Ada", "Bo", "Chloé", "Dag", "Eva", "Finn", "Gül", "Hana", "Ivo", "Jo"]


def words(r, low, high):
    return " ".join(r.choice(ADJECTIVES + NOUNS) for _ in range(r.randint(low, high)))


def sentence(r):
    text = f"{words(r, 3, 6)}, {words(r, 2, 5)}".capitalize()
    if r.random() < 0.4: text += f". It won't {r.choice(NOUNS)}; {words(r, 2, 4)}"
    return text + "."


def tools(r, n):
    head = ["Day", "Hour", "Sold", "Article", "Cost", "Kind", "Details", "Page", "Memo"]
    rows = []
    for i in range(n):
        kind = words(r, 1, 2).title()
        if i % 4 == 1: kind = f"{r.choice(PEOPLE)}'s {kind}"
        if i % 5 == 2: kind = f"{kind}, {r.choice(ADJECTIVES)}"
        if i % 7 == 3: kind = f"{kind}, {r.randint(2, 60)}\""
        text = sentence(r)
        if i % 9 == 4: text = f"{r.randint(2, 9)}\\'{r.randint(1, 11)}\" of {text}"
        rows.append([f"{1 + i % 28:02}/{1 + i % 12:02}/2019", f"{i % 24:02}:{i * 15 % 60:02}", str(r.randint(0, 40)),
                     f"{r.choice('ABCXYZ')}{r.choice('KLM')}-{r.randint(1000, 9999)}", f"${r.randint(0, 99)}.{r.randint(0, 99):02}",
                     kind, text, f"https://tools.example/item/{i}_{r.randint(10, 99)}.html", ""])
    return head, rows, {6, 7}


def loans(r, n):
    head = ["loan", "title", "author", "lent on", "back", "fine", "shelf"]
    rows = [[str(70000 + i), f"The {words(r, 1, 3).title()}" + (", a History" if i % 6 == 0 else ""),
             f"{r.choice(PEOPLE)[::-1].title()}, {r.choice(PEOPLE)}", f"20{20 + i % 5}-{1 + i % 12:02}-{1 + i * 3 % 28:02}",
             r.choice(["true", "false"]), f"{r.randint(0, 9)}.{r.randint(0, 9)}0" if i % 3 else "",
             f"{r.choice('ABC')}{r.randint(1, 40)}"] for i in range(n)]
    return head, rows, {1}


def sensors(r, n):
    head = ["at", "device", "celsius", "lux", "state"]
    rows = [[f"2023-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:{i * 7 % 60:02}:00Z", ":".join(f"{r.randint(0, 255):02x}" for _ in range(6)),
             f"{r.uniform(-20, 40):.2f}", str(r.randint(0, 60000)), r.choice(["ok", "ok", "low battery", "off"])] for i in range(n)]
    return head, rows, set()


def members(r, n):
    head = ["No", "Name", "Mail", "Phone", "Street", "Born", "Remark"]
    rows = [[str(i + 1), f"{r.choice(PEOPLE)} {r.choice(NOUNS).title()}", f"{r.choice(NOUNS)}{i}@post.example", f"+49 30 {r.randint(100000, 999999)}",
             f"{r.choice(NOUNS).title()} Lane {r.randint(1, 99)}, {r.choice(CITIES)}", f"{1 + i % 28:02}.{1 + i % 12:02}.{1950 + i % 50}",
             ("called twice\nno answer" if i % 11 == 3 else f"says \"{words(r, 1, 2)}\"" if i % 8 == 5 else words(r, 0, 4))] for i in range(n)]
    return head, rows, {4}


def bookings(r, n):
    head = ["account", "booked", "amount", "currency", "purpose"]
    rows = [[f"DE{r.randint(10, 99)} {r.randint(1000, 9999)} {r.randint(1000, 9999)}", f"{1 + i % 28:02}.{1 + i % 12:02}.24",
             f"{'-' if i % 2 else ''}{r.randint(1, 9)}.{r.randint(100, 999)},{r.randint(0, 99):02}", r.choice(["EUR", "SEK", "PLN"]),
             f"{words(r, 1, 3)} / ref {r.randint(100, 999)}+{i}"] for i in range(n)]
    return head, rows, {4}


def terms(r, n):
    head = ["term", "language", "meaning", "see also"]
    rows = [[f"{words(r, 1, 1)}{chr(97 + i % 26)}", r.choice(["Danish", "Finnish", "Basque"]), sentence(r),
             r.choice(["", r.choice(NOUNS), f"{r.choice(NOUNS)}, {r.choice(NOUNS)}"])] for i in range(n)]
    return head, rows, {2}


def pairs(r, n):
    return ["key", "value"], [[f"{r.choice(NOUNS)}.{i}", words(r, 1, 4)] for i in range(n)], set()


def counts(r, n):
    head = ["region"] + [f"y{1990 + i}" for i in range(18)]
    return head, [[f"{r.choice(CITIES)} {i}"] + [str(r.randint(0, 99999)) for _ in range(18)] for i in range(n)], set()


def places(r, n):
    head = ["place", "lat", "lon", "people", "code", "mayor"]
    rows = [[f"{r.choice(CITIES)}-{r.choice(NOUNS)}", f"{r.uniform(-90, 90):.5f}", f"{r.uniform(-180, 180):.5f}", str(r.randint(50, 3000000)),
             r.choice(["CH", "SE", "FR", "PL"]), f"{r.choice(PEOPLE)} O'{r.choice(NOUNS).title()}"] for i in range(n)]
    return head, rows, {5}


def events(r, n):
    head = ["when", "level", "part", "message"]
    rows = [[f"2024-05-{1 + i % 28:02} {i % 24:02}:{i % 60:02}:{i * 7 % 60:02}", r.choice(["INFO", "WARN", "ERROR"]), f"app.{r.choice(NOUNS)}",
             f"{words(r, 2, 4)}: \"{r.choice(NOUNS)}\" took {r.randint(1, 900)} ms" if i % 3 else f"{words(r, 3, 6)} [{i}]"] for i in range(n)]
    return head, rows, set()


TABLES = [tools, loans, sensors, members, bookings, terms, pairs, counts, places, events]


# --- Writing --------------------------------------------------------------------------------------------------------

class Way:
    """How a file is written."""

    def __init__(self, **change):
        self.delimiter, self.quote, self.escape, self.end, self.last = ",", '"', None, "\n", True
        self.always, self.all = set(), False
        self.__dict__.update(change)

    def cell(self, text, column):
        quote, escape = self.quote, self.escape or self.quote[0]
        # `" text "`: the blank belongs to the quote.
        needs = self.delimiter in text or self.delimiter[0] in text or quote[0] in text or "\n" in text or "\r" in text
        if self.delimiter == "\\t" and not any(c in text for c in ('"', "\n", "\\t")): needs = False
        if self.delimiter == ", " and not any(c in text for c in ('"', "\n", ", ")) and not text.endswith(","): needs = False
        if not (needs or self.all or column in self.always): return text
        if self.escape == "none": return quote + text + quote[::-1]
        text = text.replace("\\", "\\\\") if escape == "\\" else text
        return quote + text.replace(quote[0], escape + quote[0]) + quote[::-1]

    def line(self, row): return self.delimiter.join(self.cell(text, i) for i, text in enumerate(row))

    def join(self, lines): return self.end.join(lines) + (self.end if self.last else "")


class File:
    def __init__(self, kind, text, rows, optional=None, encoding="utf-8", name="", others=0):
        self.kind, self.rows, self.name = kind, rows, name
        self.data = text if isinstance(text, bytes) else text.encode(encoding)
        # Row index -> the ways in which it may be read, besides being rejected.
        self.optional = optional or {}
        # Records that belong to no table that is read: they must be rejects.
        self.others = others


def bare(row):
    """A record without the empty fields at its end."""
    row = list(row)
    while row and not row[-1]: row.pop()
    return row


DELIMITERS = [",", ";", "|", "\t", " ", ":", "\t\t", ", ", "\\t", "||", "::", "; ", " | ", "|~|", "~~", "§", "¦", "¬", "→", "\x1f", "^", "~", ";;", "#|#"]


def files(seed, scale):
    made = []
    for number, make in enumerate(TABLES):
        r = random.Random(seed * 1000 + number)
        head, body, always = make(r, r.choice([30, 60, 90]) if make is not counts else 25)
        rows = [head] + body
        width = len(head)

        def add(kind, text, rows=rows, optional=None, encoding="utf-8", note="", others=0):
            made.append(File(kind, text, rows, optional, encoding, f"{make.__name__}{'-' + note if note else ''}", others))

        def way(**change): return Way(**{"always": always, **change})

        def text(w, rows=rows): return w.join([w.line(row) for row in rows])

        plain = way()
        add("clean", text(plain))
        add("clean", text(way(all=True)), note="all")
        for d in DELIMITERS:
            add("delimiter " + repr(d), text(way(delimiter=d)), note="needed")
            add("delimiter " + repr(d), text(way(delimiter=d, all=True)), note="all")
        for q in ['"', "'", '" ']:
            for all in [False, True]:
                for d in [",", ";"]:
                    add("quote " + repr(q), text(way(quote=q, all=all, delimiter=d)), note=f"{d}{all}")
        for e in ["\\", None, "none"]:
            # A quote by itself at the end of a field, or next to what could be a delimiter, has no right reading.
            clean = rows
            if e == "none": clean = [[c if not re.search(r'"[,;\n]|"$|^"', c) or c.endswith('"') and c.count('"') == 1 else c.replace('"', "'") for c in row] for row in rows]
            if e == "\\": clean = [[c.replace("\\", "") for c in row] for row in rows]
            for all in [False, True]:
                for d in [",", ";"]:
                    add(f"escape {e}", text(way(escape=e, all=all, delimiter=d), clean), clean, note=f"{d}{all}")
        for end in ["\r\n", "\r"]:
            lines = [[c.replace("\n", end) for c in row] for row in rows]
            add("line ends", text(way(end=end), lines), lines, note=repr(end))
        lines = [plain.line(row) for row in rows]
        for at in [0, 1, len(rows) // 2, len(rows) - 1]:
            for end, other in [("\n", "\r\n"), ("\r\n", "\n"), ("\r\n", "\r")]:
                ends = [end] * len(rows)
                ends[at] = other
                add("line end of a row", "".join(a + b for a, b in zip(lines, ends)), note=f"{at}{other!r}")
        for d in [",", ";", "\t"]:
            w = way(delimiter=d)
            empty = d * (width - 1)
            table = text(w)
            for blank in ["", "\n", empty + "\n"]:
                add("preamble", "PREAMBLE\n" * 3 + blank + table, note=f"{d!r}{blank!r}")
                add("preamble delimited", ("PREAMBLE" + empty + "\n") * 3 + blank + table, note=f"{d!r}{blank!r}")
                add("footnote", table + blank + "FOOTNOTE\n" * 3, note=f"{d!r}{blank!r}", others=3)
                add("footnote delimited", table + blank + ("FOOTNOTE" + empty + "\n") * 3, note=f"{d!r}{blank!r}", others=3)
            add("preamble", f"Sales of the {words(r, 2, 3)}\nExported: 2024-03-01 10:00\nby {r.choice(PEOPLE)}\n\n" + table, note=f"{d!r}words")
            add("footnote", table + f"\nNote: {words(r, 4, 6)}.\n(c) {words(r, 2, 2)}\n", note=f"{d!r}words", others=2)
        for at in [0, 1, 2, len(rows) // 2, len(rows) - 1]:
            row = rows[at]
            for count in [0, max(1, width // 2), width - 1, width + 1, width + 6]:
                if count == width: continue
                changed = (row + [row[-1]] * 6)[:count]
                alternatives = [changed] if count > width else []
                lines2 = list(lines)
                lines2[at] = plain.line(changed)
                add("row with 0 cells" if count == 0 else "row with fewer cells" if count < width else "row with more cells",
                    plain.join(lines2), rows[:at] + ([] if not count else [row if bare(changed) == bare(row) or count < width else changed])
                    + rows[at + 1:], {at: alternatives} if count else None, note=f"{at}x{count}")
            for d in [";", "|", "\t"]:
                if "\n" in "".join(row): continue
                lines2 = list(lines)
                lines2[at] = way(delimiter=d).line(row)
                # Where its cells have commas, pieces of it are cells; that is a record of another width, and rejected.
                add("row delimiter", plain.join(lines2), rows, {at: [row, lines2[at].split(",")]}, note=f"{at}{d!r}")
            lines2 = list(lines)
            lines2[at] = way(quote="'").line(row)
            add("row quote", plain.join(lines2), rows, {at: [row, way(quote="'").line(row).split(",")]}, note=f"{at}")
            lines2 = list(lines)
            quoted = [c.replace("\\", "") + '"' for c in row]
            lines2[at] = way(escape="\\", all=True).line(quoted)
            add("row escape", plain.join(lines2), rows, {at: [quoted, [c.replace('"', '\\"') for c in quoted]]}, note=f"{at}")
        for count in [2, 3]:
            add("header rows", text(plain, [head] * count + body), [[" ".join([h] * count) for h in head]] + body, note=str(count))
        for column in sorted({0, min(2, width - 1), width - 1}):
            upper = [""] * width
            upper[column] = "HEADER"
            lower = [("HEADER" if i == column else h) for i, h in enumerate(head)]
            joined = [(f"HEADER HEADER HEADER" if i == column else h) for i, h in enumerate(head)]
            add("header rows, mostly empty", text(plain, [upper, upper, lower] + body), [joined] + body, {0: [joined, lower]}, note=str(column))
            for kind, name in [("header empty", ""), ("header odd", "HEAD/%R"), ("header odd", "#1 (€) *?"), ("header large", "HEADER" * 100000)]:
                changed = [(name if i == column else h) for i, h in enumerate(head)]
                # A column without a name is called by its number.
                called = [h or str(i + 1) for i, h in enumerate(changed)]
                add(kind, text(plain, [changed] + body), [changed] + body, {0: [changed, called]}, note=f"{column}{name[:9]}")
        if width > 3:
            changed = [head[0], "HEADER", "HEADER"] + head[3:]
            called = [head[0], "HEADER", "HEADER 2"] + head[3:]
            add("header repeated", text(plain, [changed] + body), [changed] + body, {0: [changed, called]})
        for d in [",", ";", "\t", "|"]:
            w = way(delimiter=d)
            add("no header", text(w, body), body, note=repr(d))
            add("header only", text(w, [head]), [head], note=repr(d))
            add("header only", w.line(head), [head], note=repr(d) + "no end")
            add("one record", text(w, rows[:2]), rows[:2], note=repr(d))
            add("two records", text(w, rows[:3]), rows[:3], note=repr(d))
        add("no final line end", text(way(last=False)))
        add("doubled final line end", text(plain) + "\n")
        if not any("\n" in c for row in rows for c in row):
            add("doubled final line end", text(way(end="\r\n")) + "\r\n", note="CRLF")
        short = rows[:11]
        seconds = {"fewer": [row[:max(1, width - 2)] for row in short], "same": short,
                   "more": [row + [("col" if i == 0 else str(i)) + str(k) for k in range(3)] for i, row in enumerate(short)]}
        for name, second in seconds.items():
            if len(second[0]) < 2: continue
            for between in ["", "\n", "," * (len(second[0]) - 1) + "\n"]:
                # The header again, and its records: they are of the same table.
                both = rows + short[1:] if name == "same" else rows
                add("several tables", text(plain) + between + text(plain, second), both, note=f"{name}{between!r}",
                    others=0 if name == "same" else len(second) - 1)
        add("one column", text(way(always=set()), [[row[0]] for row in rows]), [[row[0]] for row in rows])
        lone = max(range(width), key=lambda i: sum(len(row[i]) for row in body))
        add("one column", text(way(always={0}), [[row[lone]] for row in rows]), [[row[lone]] for row in rows], note="text")
        flat = [[c.replace("\n", " ") for c in row] for row in rows]
        many = [row + [f"col{k}" if i == 0 else row[-1] for k in range(width, 1024)] for i, row in enumerate(flat[:12])]
        add("many columns", text(plain, many), many, note="1024")
        if number < 3:
            many = [row + [f"col{k}" if i == 0 else row[-1] for k in range(width, 17000)] for i, row in enumerate(flat[:6])]
            add("many columns", text(plain, many), many, note="17000")
        if all_fit(rows, "latin-1"):
            for d in [",", ";", "§"]: add("encoding latin-1", text(way(delimiter=d)), encoding="latin-1", note=repr(d))
        for code in ["utf-8-sig", "utf-16", "utf-16-le"]: add("encoding " + code, text(plain), encoding=code)
        for turn in range(12 * scale):
            d = r.choice([";", "|", "\t", ":", ",", "||", ", ", "\t\t", "§"])
            w = way(delimiter=d, quote=r.choice(['"', '"', "'"]), end=r.choice(["\n", "\r\n"]), last=r.random() < 0.7, all=r.random() < 0.3,
                    escape=r.choice([None, None, "\\"]))
            table = [[c.replace("\\", "") for c in row] for row in flat]
            optional = {}
            out = [w.line(row) for row in table]
            note = f"{d!r}{w.quote}{w.escape}"
            if r.random() < 0.4:
                at = r.randint(1, len(out) - 1)
                out[at] = w.line(table[at][:max(1, width // 2)])
                optional[at] = []
                note += "short"
            above, below = [], []
            if r.random() < 0.5: above = [f"Report {words(r, 1, 2)}", words(r, 2, 3)] + r.choice([[], [""]]); note += "above"
            if r.random() < 0.3: below = [""] + [f"End of {words(r, 1, 2)}"]; note += "below"
            code = r.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
            add("mixed", w.join(above + out + below), table, optional, code, note + code, others=len(below[1:]))
    return made + [File("no payload", "", [], name="empty")]


def all_fit(rows, encoding):
    try: "".join(c for row in rows for c in row).encode(encoding)
    except UnicodeEncodeError: return False
    return True


# --- Judging --------------------------------------------------------------------------------------------------------

def compare(found, file, rejected):
    """Right cells and all cells."""
    right = cells = 0
    lost = file.others - rejected
    keys = [tuple(row) for row in file.rows]
    optional = {i: [tuple(a) for a in ways] for i, ways in file.optional.items()}
    width = max((len(row) for row in file.rows), default=0)
    found = [tuple(row) for row in found]
    # What a broken record may look like stands for the record.
    for i, ways in optional.items():
        for k, row in enumerate(found):
            if any(bare(row) == bare(w) for w in ways) and row not in keys:
                found[k] = keys[i]
                break
    matcher = difflib.SequenceMatcher(None, keys, found, autojunk=False)
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            n = sum(len(keys[i]) for i in range(a0, a1))
            right += n
            cells += n
            continue
        expected, given = [i for i in range(a0, a1)], list(range(b0, b1))
        lost += max(0, len(expected) - len(given)) - max(0, len(given) - len(expected))
        if len(given) < len(expected): expected = [i for i in expected if i not in optional] if len(given) <= sum(i not in optional for i in expected) else expected
        for k in range(max(len(expected), len(given))):
            want = keys[expected[k]] if k < len(expected) else ()
            have = found[given[k]] if k < len(given) else ()
            cells += len(want) + sum(1 for c in have[len(want):] if c)
            right += sum(1 for a, b in zip(want, have) if a == b)
    return right, cells + max(0, lost) * max(1, width)


def rejects(words):
    """How many records were rejected, as the program says."""
    more = re.search(r"^\.\.\. and ([0-9,]+) more reject", words, re.M)
    return len(re.findall(r": error: .* \[\w+\]$", words, re.M)) + (int(more[1].replace(",", "")) if more else 0)


def preview(binary, path, options=()):
    arguments = [binary, "preview", path, "--format", "csv", "--records", "all"]
    for option in options: arguments += ["--option", option]
    run = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = run.stdout.decode("utf-8", "replace")
    return [row for row in csv.reader(io.StringIO(text, newline=""))], run.stderr.decode("utf-8", "replace")


def guessed(binary, path, folder):
    run = subprocess.run([binary, "guess", path, "--out", folder, "--force"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    names = [n for n in os.listdir(folder) if n.endswith(".yaml") and n != "model.yaml"] if os.path.isdir(folder) else []
    if run.returncode or not names: return None
    options, inside = [], False
    for line in open(os.path.join(folder, names[0]), encoding="utf-8", newline="\n").read().split("\n"):
        if not line.startswith(" "): inside = line.startswith("source:")
        match = re.match(r'  ("?[a-z_]+"?): (.*)$', line)
        if not inside or not match: continue
        key, value = match[1].strip('"'), match[2]
        value = re.sub(r'("(?:[^"\\]|\\.)*"|[^"#]*?)\s+# .*$', r"\1", value) if not value.startswith("[") else re.sub(r"\]\s+# .*$", "]", value)
        if key not in ("files", "null", "dialect"): options.append(f"{key}={value}")
    return options


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=".build/release/mergewalk")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--guess", action="store_true")
    parser.add_argument("--keep", help="a folder for the files")
    given = parser.parse_args()
    made = [f for f in files(given.seed, given.scale) if given.only in f.kind]
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or scratch
        os.makedirs(folder, exist_ok=True)

        def judge(item):
            number, file = item
            path = os.path.join(folder, f"f{number:05}.csv")
            with open(path, "wb") as out: out.write(file.data)
            options = []
            if given.guess:
                options = guessed(given.binary, path, os.path.join(folder, f"g{number:05}"))
                if options is None: return file, 0, sum(map(len, file.rows)), "guess refused", path
            rows, words = preview(given.binary, path, options)
            right, cells = compare(rows, file, rejects(words))
            return file, right, cells, words, path

        kinds = {}
        with ThreadPoolExecutor(2) as pool:
            for file, right, cells, words, path in pool.map(judge, enumerate(made)):
                total = kinds.setdefault(file.kind, [0, 0, 0, 0])
                total[0] += right
                total[1] += cells
                total[2] += 1
                total[3] += right < 0.97 * cells
                if given.failures and right < 0.97 * cells:
                    print(f"  {file.kind} {file.name} {os.path.basename(path)}: {right}/{cells}  {words.splitlines()[0][:150] if words else ''}")
        shares = []
        for kind, (right, cells, count, bad) in kinds.items():
            share = right / cells if cells else 1
            shares.append(share)
            print(f"{100 * share:7.2f} %  {'below' if share < 0.97 else '     '}  {kind}: {right} of {cells} cells, {count} files, {bad} below 97 %")
        right, cells = sum(k[0] for k in kinds.values()), sum(k[1] for k in kinds.values())
        print(f"{100 * right / max(1, cells):7.2f} %  all cells; mean of kinds {100 * sum(shares) / max(1, len(shares)):.2f} %; {len(made)} files, seed {given.seed}")


if __name__ == "__main__":
    main()
