"""What a disk may hold when the power goes: a recorded command, cut off anywhere, with writes dropped and torn.

The library records what a command does to files (`SHIM_RECORD`). A file's bytes are on the disk when the file was
synced behind them; names when their folder was. Of all the rest any part may be there: writes come in any order and
halves, lengths change without the bytes, names in order within a folder. So a disk is worse here than one with a
journal, and what holds here holds there.
"""

import os
import pathlib
import random

SECTOR = 512


class Step:
    """One call: a letter, the file it is about (a number of our own), and what is done."""

    def __init__(self, what, file=None, start=0, data=b"", path=None, other=None, is_folder=False, times=None):
        self.what, self.file, self.start, self.data, self.path, self.other = what, file, start, data, path, other
        self.is_folder = is_folder  # Whether it renames a folder, with all that is in it.
        self.times = times  # The system's number of the file that it touched, and when that was changed.


def moved(path, step):
    """Where something is behind the step that renames a folder."""
    return step.other + path[len(step.path):] if (path + "/").startswith(step.path + "/") else path


class Recording:
    """The steps of a command in a folder that was laid out as `base` is now."""

    def __init__(self, log, folder):
        self.folder, self.steps, self.base, self.names = os.path.realpath(folder), [], {}, {}
        self.folders, self.numbers, self.inodes, self.times, self.log = [], {}, {}, {}, log

    def start(self):
        """Notes what the folder holds, before the command."""
        for top, folders, files in os.walk(self.folder):
            self.folders += [self.relative(os.path.join(top, name)) for name in folders
                             if not os.path.islink(os.path.join(top, name))]
            for name in files + [one for one in folders if os.path.islink(os.path.join(top, one))]:
                path = pathlib.Path(top, name)
                inode = path.lstat().st_ino
                if inode not in self.numbers:
                    self.numbers[inode] = file = len(self.base)
                    self.base[file] = os.readlink(path) if path.is_symlink() else path.read_bytes()
                    self.times[file] = times_of(path)
                self.names[self.relative(path)] = self.numbers[inode]
        for name in ["", *self.folders]:
            self.times[name] = times_of(os.path.join(self.folder, name))
            self.inodes[self.times[name][0]] = name

    def relative(self, path):
        """A path within the folder, links followed up to its last part; None outside."""
        path = os.path.join(self.folder, path)
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if path.rstrip("/") == self.folder:
            return ""
        return os.path.relpath(path, self.folder) if path.startswith(self.folder + "/") else None

    def finish(self):
        """Reads what was recorded."""
        data, at, count, folders = self.log.read_bytes(), 0, len(self.base), dict(self.inodes)
        while at < len(data):
            end = data.index(b"\n", at)
            what, inode, start, length, path, other, *times = data[at:end].decode().split("\t")
            inode, start, at, written = int(inode), int(start), end + 1, b""
            times = (inode, *map(int, times))
            if what == "W":
                written = data[at:at + int(length)]
                at += int(length)
            path, other = (self.relative(one) if one else None for one in (path, other))
            if what == "C" and path is not None:
                self.numbers[inode] = count
                count += 1
                self.steps.append(Step("C", self.numbers[inode], path=path, times=times))
            elif what in "WT" and inode in self.numbers:
                self.steps.append(Step(what, self.numbers[inode], start, written, times=times))
            elif what == "t" and path is not None:
                raise SystemExit(f"truncate({path}) by name is not understood")
            elif what == "S" and (inode in self.numbers or inode in folders):
                self.steps.append(Step("S", self.numbers.get(inode), path=folders.get(inode), times=times))
            elif what == "A":
                self.steps.append(Step("A"))
            elif what in "ULRD" and path is not None:
                step = Step(what, self.numbers.get(inode) if what in "LR" else None, path=path, other=other,
                            is_folder=what == "R" and path in folders.values(), times=times)
                self.steps.append(step)
                if what == "D":
                    folders[inode] = path
                elif step.is_folder:
                    folders = {number: moved(one, step) for number, one in folders.items()}
                elif what == "U":
                    folders = {number: one for number, one in folders.items() if one != path}

    # MARK: what a disk may hold

    def cut(self, end, chance, manner):
        """Lays out in the folder what the disk may hold when the power goes behind the first `end` steps."""
        steps = self.steps[:end]
        synced, named = self.synced(steps)
        files = {file: bytearray(data) if isinstance(data, bytes) else data for file, data in self.base.items()}
        for n, step in enumerate(steps):
            if step.what in "WT":
                self.write(files, step, n in synced, chance, manner)
        names, folders = dict(self.names), list(self.folders)
        stopped = set()
        for n, step in enumerate(steps):
            if step.what not in "CULRD":
                continue
            parents = {os.path.dirname(path) for path in (step.path, step.other) if path is not None}
            if n not in named and (parents & stopped or manner == "nothing" or manner != "everything"
                                   and chance.random() < 0.3):
                stopped |= parents
                continue
            self.name(names, folders, step)
        times = dict(self.times)
        for step in steps:
            if step.times and step.file is not None:
                times[step.file] = step.times
            elif step.times and step.what in "SD":
                times[step.path] = step.times
            if step.is_folder:
                times = {moved(key, step) if isinstance(key, str) else key: time for key, time in times.items()}
        return files, names, folders, times

    def synced(self, steps):
        """The numbers of the writes, and of the changes of names, that are on the disk for certain."""
        synced, named, pending, places = set(), set(), {}, {}
        for n, step in enumerate(steps):
            if step.what in "WT":
                pending.setdefault(step.file, []).append(n)
            elif step.what in "CULRD":
                for path in {os.path.dirname(path) for path in (step.path, step.other) if path is not None}:
                    places.setdefault(path, []).append(n)
                if step.is_folder:
                    places = {moved(path, step): numbers for path, numbers in places.items()}
            elif step.what == "S":
                synced.update(pending.pop(step.file, []))
                named.update(places.pop(step.path, []))
            elif step.what == "A":
                for lists, into in ((pending, synced), (places, named)):
                    into.update(n for numbers in lists.values() for n in numbers)
                    lists.clear()
        return synced, named

    @staticmethod
    def write(files, step, is_synced, chance, manner):
        """Writes bytes, some of them, or none."""
        data = files.setdefault(step.file, bytearray())
        draw = chance.random()
        if not is_synced and (manner == "nothing" or manner == "parts" and draw < 0.4):
            return
        if step.what == "T":
            del data[step.start:]
            data.extend(bytes(step.start - len(data)))
            return
        pieces = [(0, len(step.data))]
        if not is_synced and manner in ("parts", "torn") and draw < 0.8:
            edges = [0, *range(SECTOR - step.start % SECTOR, len(step.data), SECTOR), len(step.data)]
            pieces = [piece for piece in zip(edges, edges[1:]) if chance.random() < 0.6]
        for first, last in pieces:
            place = step.start + first
            if len(data) < place:
                data.extend(bytes(place - len(data)))
            data[place:step.start + last] = step.data[first:last]

    @staticmethod
    def name(names, folders, step):
        """Changes names."""
        if step.what == "C":
            names[step.path] = step.file
        elif step.what == "D":
            folders.append(step.path)
        elif step.what == "U":
            names.pop(step.path, None)
            if step.path in folders:
                folders.remove(step.path)
        elif step.is_folder:
            for one in list(names):
                names[moved(one, step)] = names.pop(one)
            folders[:] = [moved(one, step) for one in folders]
        elif step.file is not None:
            # A synced folder holds the new name, also when the folder of the old one was never synced.
            names[step.other] = step.file
            if step.what == "R":
                names.pop(step.path, None)


def times_of(path):
    """A file's number, and when its bytes and its entry were changed."""
    status = os.lstat(path)
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def lay_out(folder, state):
    """Writes what a disk holds into an empty folder.

    Returns lines that let the library show the files with the numbers and times that they had (`SHIM_FILES`).
    """
    files, names, folders, times = state
    first, paths = {}, []
    for name in sorted(folders):
        pathlib.Path(folder, name).mkdir(parents=True, exist_ok=True)
        paths.append((name, pathlib.Path(folder, name)))
    for name, file in sorted(names.items()):
        path = pathlib.Path(folder, name)
        if not path.parent.is_dir():  # The folder's own name did not come to the disk.
            continue
        data = files.get(file, b"")
        if isinstance(data, str):
            os.symlink(data, path)
        elif file in first:
            os.link(first[file], path)
        else:
            path.write_bytes(data)
            first[file] = path
            if file in times:
                os.utime(path, ns=(times[file][1], times[file][1]))
            paths.append((file, path))
    lines = ""
    for key, path in paths:
        if key in times:
            inode, changed, _ = times_of(path)
            lines += f"{inode} {changed} {times[key][0]} {times[key][1]} {times[key][2]}\n"
    return lines


MANNERS = ("nothing", "parts", "torn", "names", "everything")


def drawn(recording, seed):
    """Where the power goes, and what is on the disk: half of the cuts come right before or behind a sync."""
    chance = random.Random(seed)
    syncs = [n for n, step in enumerate(recording.steps) if step.what in "SA"]
    end = chance.randrange(len(recording.steps) + 1)
    if syncs and chance.random() < 0.5:
        end = chance.choice(syncs) + chance.randrange(2)
    if chance.random() < 0.08:
        end = len(recording.steps)
    return end, recording.cut(end, chance, chance.choice(MANNERS))
