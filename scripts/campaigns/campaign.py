#!/usr/bin/env python3
"""Runs the campaigns of kills, faults, signals, limits and neighbours over the command, and prints runs and wrong ones.

Cases are known beforehand and come in an order that the seed decides, so that a campaign that is stopped goes on where
it was: finished cases are kept in a file. A full disk needs root. See docs/reliability.md.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import time

import faults
from checks import Subject
from command import Machine
from scenarios import ALL

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description="Runs the campaigns; see docs/reliability.md.")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / ".build" / "release" / "mergewalk")
    parser.add_argument("--budget", type=float, default=3600, help="seconds (3600)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="campaigns and scenarios, separated by commas: kills,night-update")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "campaigns")
    parser.add_argument("--again", action="store_true", help="forget what was finished, and begin anew")
    parser.add_argument("--wrong", action="store_true", help="run only what was wrong, again")
    return parser.parse_args()


class Book:
    """The finished cases: a line of JSON each."""

    def __init__(self, path, is_new):
        self.path, self.cases = path, {}
        if is_new:
            path.unlink(missing_ok=True)
        if path.exists():
            for line in path.read_text().splitlines():
                case, wrong = json.loads(line)
                self.cases[tuple(case)] = wrong

    def note(self, case, wrong):
        self.cases[case] = wrong
        with open(self.path, "a") as file:
            file.write(json.dumps([case, wrong]) + "\n")

    def table(self, everything):
        """The campaigns with how many cases there are, were run and were wrong, for docs/reliability.md."""
        there = collections.Counter(case[0] for case in everything)
        runs = collections.Counter(case[0] for case in self.cases)
        wrong = collections.Counter(case[0] for case, words in self.cases.items() if words)
        lines = ["| campaign | cases | run | wrong |", "| --- | ---: | ---: | ---: |"]
        lines += [f"| {name} | {there[name]:,} | {runs[name]:,} | {wrong[name]:,} |" for name in faults.HANDLERS]
        return "\n".join(lines + [f"| all | {sum(there.values()):,} | {sum(runs.values()):,} | {sum(wrong.values())} |"])


def main():
    options = arguments()
    end = time.monotonic() + options.budget
    machine = Machine(options.binary, options.work)
    book = Book(options.work / f"cases-{options.seed}.ndjson", options.again)
    only = [word for word in options.only.split(",") if word]
    names = [scenario for scenario in ALL if not set(only) & {one.name for one in ALL} or scenario.name in only]
    subjects = {scenario.name: Subject(scenario, machine) for scenario in names}
    everything = faults.cases(subjects.values(), options.seed)
    kinds = set(only) & set(faults.HANDLERS)
    is_root = os.geteuid() == 0
    print(f"{len(subjects)} scenarios, {sum(one.calls for one in subjects.values())} calls, {len(everything)} cases")
    for case in everything:
        if time.monotonic() > end:
            break
        if kinds and case[0] not in kinds or case[0] == "a full disk" and not is_root:
            continue
        if not book.cases.get(case) if options.wrong else case in book.cases:
            continue
        wrong = faults.run(case, subjects[case[1]])
        book.note(case, wrong)
        if wrong:
            print(f"wrong: {case}\n  {wrong}", flush=True)
    print(book.table(everything))
    return 1 if any(book.cases.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
