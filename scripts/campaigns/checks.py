"""Prepares scenarios and holds what commands leave against an undisturbed run."""

import pathlib
import shutil
import subprocess

import oracle
from power import Recording

# What a store has after each exit code (docs/reliability.md).
WHOLE, NOTHING = (0, 1, 7), (2, 3, 4, 5, 6)
UNNAMED = "external data that no row names is there"


class Subject:
    """A scenario with what its undisturbed command leaves: before it, behind it, and behind a second one."""

    def __init__(self, scenario, machine):
        self.scenario, self.machine = scenario, machine
        self.name, self.command = scenario.name, scenario.command
        self.template = machine.work / "templates" / scenario.name
        shutil.rmtree(self.template, ignore_errors=True)
        self.template.mkdir(parents=True)
        scenario.prepare(self.template, self.mergewalk)
        self.folder, self.aside = machine.work / "run", machine.work / "aside"
        self.verified, self.recording, self.memories, self.unimportant = set(), None, {}, None
        self.old = oracle.copied(self.template, self.aside)
        self.fresh()
        first, self.calls = machine.counted(self.folder, self.command)
        self.status, self.counts, self.new = first.status, oracle.counts(first), oracle.copied(self.folder, self.aside)
        second = machine.run(self.folder, self.command)
        self.later = second.status, oracle.counts(second), oracle.copied(self.folder, self.aside)
        if self.status not in (0, 1, 3) or self.calls == 0:
            raise SystemExit(f"{self.name} does not run: {first}")

    def mergewalk(self, *arguments):
        """Prepares something with the command."""
        done = subprocess.run([self.machine.binary, *arguments], cwd=self.template, capture_output=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{self.name}: {arguments}: {done.returncode} {done.stderr.decode()}")

    @staticmethod
    def empty(folder):
        """Removes a folder with what is in it."""
        shutil.rmtree(folder, ignore_errors=True)

    def fresh(self):
        """Lays out the folder as it is before the command."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder, symlinks=True)
        if self.name == "hard-link":  # A copy has lost that both names are one file.
            pathlib.Path(self.folder, "second.sqlite").unlink()
            pathlib.Path(self.folder, "second.sqlite").hardlink_to(self.folder / "s.sqlite")

    def recorded(self):
        """What the undisturbed command does to files, call by call."""
        if self.recording is None:
            self.fresh()
            log = self.machine.work / "recording"
            log.unlink(missing_ok=True)
            self.recording = Recording(log, self.folder)
            self.recording.start()
            self.machine.run(self.folder, self.command, RECORD=log)
            self.recording.finish()
        return self.recording

    def memory(self, kind, limit):
        """Between which limits of memory a command comes to run, and comes to its end, in bytes."""
        if kind not in self.memories:
            least = self.machine.least(limit, lambda value: self.machine.run(
                self.folder, ["--version"], limits=[(limit, value)]).status == 0)

            def ends(value):
                self.fresh()
                return self.machine.run(self.folder, self.command, limits=[(limit, value)]).status == self.status

            self.memories[kind] = least, self.machine.least(limit, ends)
            self.fresh()
        return self.memories[kind]

    def grows(self, key):
        """Whether a file may be in the making while the command goes on."""
        return (key + "$").startswith(self.scenario.growing) or key.endswith("-mergewalk")

    def between(self, wanted=None):
        """What is wrong with the folder behind a process that ended on the way, and whether all is new.

        Every file is as before the command or as behind it; `wanted` says which, when the exit code did.
        """
        state = oracle.copied(self.folder, self.aside)
        sides = [wanted] if wanted is not None else [self.old, self.new]
        keys = {key for key in state.keys() | self.old.keys() | self.new.keys()
                if oracle.is_visible(key) and not self.grows(key) and key not in UNNAMED}
        for key in sorted(keys):
            if not any(state.get(key) == side.get(key) for side in sides):
                mine = {key: state[key]} if key in state else {}
                theirs = {key: sides[-1][key]} if key in sides[-1] else {}
                return f"neither as before nor as behind: {oracle.difference(mine, theirs)}", False
        return "", all(state.get(key) == self.new.get(key) for key in keys)

    def end(self, outcome, is_new, is_told, aside=None):
        """What is wrong with a run that was to come to its end.

        Where everything was new before it, it may also have been the second run into the store. Files whose names begin
        with `aside` do not matter.
        """
        self.unimportant = aside
        state = oracle.copied(self.folder, self.aside)
        if not is_told or not is_new:
            wrong = self.differs(outcome, state, (self.status, self.counts, self.new))
            if not wrong or (not is_new):
                return wrong or self.verify(state)
        # A result that nobody has read may be told again; which of both it is, the counts say.
        if self.differs(outcome, state, (self.status, self.counts, self.new)):
            wrong = self.differs(outcome, state, self.later)
            # A second run has no counts to tell when the first one's are told already.
            if wrong:
                return wrong
        return self.verify(state)

    def cleaned(self, outcome, is_new):
        """What is wrong when external data that no row names was removed."""
        done = subprocess.run([self.machine.binary, "store", "clean", "s.sqlite"], cwd=self.folder, capture_output=True)
        return self.end(outcome, is_new, False) if done.returncode == 0 else f"store clean: {done.stderr.decode()}"

    def differs(self, outcome, state, wanted):
        """How a finished run differs from an undisturbed one."""
        status, counts, content = wanted
        if outcome.status != status:
            return f"exit code {outcome.status} in place of {status}: {outcome}"
        # What a run that ended at its limit had rejected is set aside by the next one, as far as it had come.
        aside = self.unimportant or "rejects.TIME" * (self.status == 3)
        kept = {key for key in state.keys() | content.keys() if not aside or not key.startswith(aside)}
        if words := oracle.difference(*({key: value for key, value in one.items() if key in kept}
                                        for one in (state, content))):
            return words
        mine = oracle.counts(outcome)
        return "" if mine == counts else f"counts {mine} in place of {counts}"

    def verify(self, state):
        """What `store verify` finds in the stores of a folder; each content is asked about once."""
        for key, values in state.items():
            if not isinstance(values[0], dict) or key.endswith("-mergewalk") or not oracle.is_visible(key):
                continue
            if (digest := hash(str(values))) in self.verified:
                continue
            done = subprocess.run([self.machine.binary, "store", "verify", key], cwd=self.folder, capture_output=True)
            if done.returncode != 0:
                return f"store verify {key}: {done.returncode} {done.stdout.decode()[-500:]} {done.stderr.decode()}"
            self.verified.add(digest)
        return ""
