"""What a run is disturbed by, and what has to be true behind it.

A case is a tuple that says all: the campaign, the scenario, and what is done. It can be run again by `--only`.
"""

import errno
import os
import random
import resource
import signal
import subprocess

import power
from checks import NOTHING, UNNAMED, WHOLE
from command import KILLED

FAILURES = {"ENOSPC-stays": dict(ERRNO=errno.ENOSPC, STAYS=1), "EDQUOT-stays": dict(ERRNO=errno.EDQUOT, STAYS=1),
            "EIO-once": dict(ERRNO=errno.EIO), "EIO-stays": dict(ERRNO=errno.EIO, STAYS=1),
            "EINTR-once": dict(ERRNO=errno.EINTR), "short-once": dict(SHORT=1), "short-stays": dict(SHORT=1, STAYS=1)}
FAILED_SCENARIOS = ("new-store", "new-store-by-pages", "night-update", "night-in-pieces", "sync", "migrate", "lists",
                    "external-data", "rollback-journal", "seed", "family", "export")
SIGNALS = {"TERM": signal.SIGTERM, "INT": signal.SIGINT, "HUP": signal.SIGHUP}
# What a command is ended by when there is no memory, beside what it says itself: Swift and libraries give up.
NO_MEMORY = tuple(-number for number in (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS))
MEMORY = {"address space": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA}
DAYS = (-40_000, -1, 1, 40_000)
ROWS_OF_CALLS = 12  # How many sequences of kills a scenario has for each hundred calls.


def cases(subjects, seed):
    """All cases of all campaigns, in an order that a seed decides."""
    found = []
    for subject in subjects:
        name, calls = subject.name, range(1, subject.calls + 1)
        if not subject.scenario.beside:
            found += [("kills", name, side, k) for k in calls for side in ("before", "after")]
            found += [("kills in a row", name, seed, n) for n in range(max(4, subject.calls * ROWS_OF_CALLS // 100))]
            found += [("signals", name, kind, k) for k in calls for kind in SIGNALS if k % len(SIGNALS) == len(kind) % 3]
            found += [("clocks", name, days, max(1, subject.calls * part // 4)) for days in DAYS for part in range(4)]
            found += [("files that are too long", name, size) for size in range(0, 140_000, 9_000)]
            found += [("few descriptors", name, limit) for limit in range(4, 24)]
            found += [("a full disk", name, size) for size in range(0, 400, 24)]
            found += [("little memory", name, kind, part) for kind in MEMORY for part in range(20)]
            found += [("power", name, seed, n) for n in range(80)]
        if name in FAILED_SCENARIOS:
            found += [("calls that fail", name, kind, k) for k in calls for kind in FAILURES]
        if subject.scenario.beside:
            found += [("processes beside", name, seed, n) for n in range(250)]
    random.Random(seed).shuffle(found)
    return found


def run(case, subject):
    """Runs a case; returns what is wrong, or an empty text."""
    subject.fresh()
    return HANDLERS[case[0]](subject, *case[2:])


def finish(subject, is_new=False, is_told=False):
    """Runs the command to its end and says what is wrong then."""
    return subject.end(subject.machine.run(subject.folder, subject.command), is_new, is_told)


def killed(subject, **shim):
    """Kills a run; returns what is wrong behind it, and whether everything is new."""
    outcome = subject.machine.run(subject.folder, subject.command, **shim)
    if outcome.status not in (KILLED, subject.status):
        return f"exit code {outcome.status}: {outcome}", False
    return subject.between()


def kill(subject, side, k):
    wrong, is_new = killed(subject, **{"KILL_AT" if side == "before" else "KILL_AFTER": k})
    return wrong or finish(subject, is_new)


def kill_in_a_row(subject, seed, n):
    chance = random.Random(f"{subject.name} {seed} {n}")
    for _ in range(chance.randint(2, 5)):
        wrong, is_new = killed(subject, **{chance.choice(("KILL_AT", "KILL_AFTER")): chance.randint(1, subject.calls)})
        if wrong:
            return wrong
        if is_new:  # The next one would be a second run into the store.
            break
    return finish(subject, is_new)


def judged(subject, outcome):
    """What is wrong behind a run that ended by itself, and after the next one."""
    if outcome.status not in WHOLE + NOTHING:
        return f"ended by {outcome.status}: {outcome}"
    is_whole = outcome.status in WHOLE or outcome.status == subject.status
    # Commands other than `run` are ended by a signal as by a kill: what they make is there as a whole, or not at all.
    is_open = outcome.status == 2 or outcome.status == 4 and subject.command[0] != "run"
    wrong, is_new = subject.between(subject.new if is_whole else None if is_open else subject.old)
    if wrong:
        return f"{wrong} (exit code {outcome.status}) {outcome}"
    return finish(subject, is_new=is_whole or is_new, is_told=False)


def fail(subject, kind, k):
    return judged(subject, subject.machine.run(subject.folder, subject.command, FAIL_AT=k, **FAILURES[kind]))


def interrupt(subject, kind, k):
    outcome = subject.machine.run(subject.folder, subject.command, SIGNAL_AT=k, SIGNAL=int(SIGNALS[kind]))
    if outcome.status not in (4, subject.status):
        return f"SIG{kind} ended it with {outcome.status}: {outcome}"
    return judged(subject, outcome)


def jump(subject, days, k):
    outcome = subject.machine.run(subject.folder, subject.command, AHEAD=days * 86_400, AHEAD_AT=k)
    return subject.end(outcome, False, False)


def limit_length(subject, size):
    limits = [(resource.RLIMIT_FSIZE, size)]
    return judged(subject, subject.machine.run(subject.folder, subject.command, limits=limits))


def limit_descriptors(subject, number):
    outcome = subject.machine.run(subject.folder, subject.command, limits=[(resource.RLIMIT_NOFILE, number)])
    if outcome.status == 127 or b"error while loading shared libraries" in outcome.err:
        return ""  # The command itself could not be loaded.
    return judged(subject, outcome)


def limit_memory(subject, kind, part):
    """Runs with less memory than it takes: from what a command without work takes to what this one takes."""
    least, most = subject.memory(kind, MEMORY[kind])
    limit = least + (most - least) * part // 20
    outcome = subject.machine.run(subject.folder, subject.command, limits=[(MEMORY[kind], limit)])
    if outcome.status not in NO_MEMORY:
        return judged(subject, outcome)
    wrong, is_new = subject.between()
    return f"{wrong} {outcome}" if wrong else finish(subject, is_new)


def lose_power(subject, seed, n):
    """Lays out what the disk may hold when the power goes at some moment of the command, and goes on from there."""
    recording = subject.recorded()
    end, state = power.drawn(recording, f"{subject.name} {seed} {n}")
    subject.empty(subject.folder)
    subject.folder.mkdir()
    files = subject.machine.work / "files"
    files.write_text(power.lay_out(subject.folder, state))
    wrong, is_new = subject.between(subject.new if end == len(recording.steps) else None)
    if wrong:
        return f"{wrong} (step {end} of {len(recording.steps)})"
    boot = subject.machine.other_boot
    outcome = subject.machine.run(subject.folder, subject.command, BOOT=boot, FILES=files)
    # What was rejected before, with holes, is set aside and not thrown away.
    wrong = subject.end(outcome, is_new, False, aside="rejects.TIME")
    # Which files were written for nothing is not on the disk: they are found by looking at all of them.
    return subject.cleaned(outcome, is_new) if wrong == UNNAMED else wrong


def fill_disk(subject, room):
    """Runs on a file system of its own with so many KiB of room beside what is there."""
    template = subject.folder
    used = sum(path.lstat().st_size // 4096 * 4 + 8 for path in template.rglob("*")) + 8
    aside = template.parent / "before-mount"
    subject.empty(aside)
    template.rename(aside)
    template.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={used + room}k", "tmpfs", template], check=True)
    try:
        subprocess.run(["cp", "-a", f"{aside}/.", template], check=True)
        outcome = subject.machine.run(template, subject.command)
        subprocess.run(["mount", "-o", "remount,size=100m", template], check=True)
        return judged(subject, outcome)
    finally:
        subprocess.run(["umount", template], check=True)


def beside(subject, seed, n):
    """Another process reads, writes or checkpoints the store all the time."""
    neighbour = subprocess.Popen(
        ["python3", os.path.join(os.path.dirname(__file__), "neighbour.py"), subject.scenario.beside,
         subject.folder / "s.sqlite", f"{seed} {n}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        neighbour.stdout.readline()
        outcome = subject.machine.run(subject.folder, subject.command)
        while outcome.status == 6:  # The neighbour was in between: the same command again.
            outcome = subject.machine.run(subject.folder, subject.command)
    finally:
        neighbour.terminate()
        words = neighbour.communicate()[1].decode()
    return words or subject.end(outcome, False, False)


HANDLERS = {"kills": kill, "kills in a row": kill_in_a_row, "calls that fail": fail, "signals": interrupt,
            "clocks": jump, "files that are too long": limit_length, "few descriptors": limit_descriptors,
            "a full disk": fill_disk, "little memory": limit_memory, "power": lose_power, "processes beside": beside}
