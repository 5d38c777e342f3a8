"""Runs a command with the shim and says how it ended."""

import json
import os
import pathlib
import resource
import signal
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
STUCK = 60


class Outcome:
    """How a command ended: its exit code (below 0: the signal; None: it hung), words, and result."""

    def __init__(self, arguments, status, out, err, shim):
        self.arguments, self.status, self.out, self.err, self.shim = arguments, status, out, err, shim

    @property
    def result(self):
        """The JSON result; None where it was not printed."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    def __str__(self):
        words = self.err.decode(errors="replace").strip()[-600:]
        return f"{' '.join(self.arguments)} {self.shim} -> {self.status}\n{words}"


class Machine:
    """The binary under test, the library, and where runs take place."""

    def __init__(self, binary, work):
        self.binary, self.work = str(pathlib.Path(binary).resolve()), pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.library = self.work / "shim.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "shim.c", "-ldl"], check=True)
        self.count = self.work / "count"
        self.other_boot = self.work / "boot"
        self.other_boot.write_text("00000000-0000-4000-8000-000000000000\n")
        # Times and words do not depend on who runs the campaigns.
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        # Where memory is limited, so is that of the program which describes a crash: it may hang.
        self.environment["SWIFT_BACKTRACE"] = "enable=no"

    def run(self, folder, arguments, limits=(), **shim):
        """Runs the binary in a folder; `shim` are variables of the library without their prefix, `limits` are pairs
        of a resource and its limit."""
        environment = dict(self.environment, LD_PRELOAD=str(self.library), SHIM_ALL="1", SHIM_NO_SYNC="1")
        environment.update({f"SHIM_{name}": str(value) for name, value in shim.items()})

        def limit():
            for what, value in limits:
                resource.setrlimit(what, (value, value))

        process = subprocess.Popen(
            [self.binary, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit if limits else None)
        try:
            out, err = process.communicate(timeout=STUCK)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            status = None
        return Outcome(arguments, status, out, err, shim)

    @staticmethod
    def least(limit, is_enough):
        """The least limit, to 256 KiB, that is enough."""
        low, high = 0, 1 << 12
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle << 18) else (middle, high)
        return high << 18

    def counted(self, folder, arguments, **shim):
        """Runs a command without a fault and counts its calls."""
        self.count.unlink(missing_ok=True)
        outcome = self.run(folder, arguments, COUNT=self.count, **shim)
        return outcome, int(self.count.read_text()) if self.count.exists() else 0


KILLED = -signal.SIGKILL
