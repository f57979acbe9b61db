"""gdb with cuda_gdb.py, run command by command."""

import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
SCRIPT = HERE / "cuda_gdb.py"
MARK = "--- next command"


def compiled(cucpu, name, folder, *flags):
    """A program of common/editor/programs; its sources are in the folder, too."""
    source = folder / f"{name}.cu"
    source.write_text((PROGRAMS / source.name).read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([pathlib.Path(cucpu).resolve(), *flags, source.name, "-o", name], cwd=folder, check=True)
    return folder / name


def can_run_programs(gdb):
    """Not so in a container without ptrace."""
    done = subprocess.run([gdb, "-nx", "-batch", "-ex", "run", "/bin/true"], capture_output=True,
                          text=True, check=False)
    return "exited normally" in done.stdout


def session(gdb, program, commands, **environment):
    """The output of gdb and the program after each of the commands."""
    setup = ["set pagination off", "set width 0", "set print thread-events off",
             "set breakpoint pending off"]
    line = [gdb, "-nx", "-q", "-batch", "-x", SCRIPT]
    for command in [*setup, *(one for each in commands for one in (f"echo {MARK}\\n", each))]:
        line += ["-ex", command]
    done = subprocess.run([*line, program.name], cwd=program.parent, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          env={**os.environ, "CUCPU_THREADS": "1", **environment})
    return [tidy(part) for part in done.stdout.split(f"{MARK}\n")[1:]]


def tidy(text):
    """Without what differs from run to run, or is about threads of the host. (When a program that
    has several ends, gdb 13 may ask too late for their registers.)"""
    lines = [line for line in text.splitlines() if not re.match(
        r"\[Thread debugging|Using host libthread_db|\[Switching to Thread|warning: |"
        r"\[Inferior 1 \(process \d+\) exited normally|\[New process |"
        r"Couldn't get registers: No such", line)]
    text = "\n".join(lines).strip("\n")
    text = re.sub(r"\b0x[0-9a-f]{5,}", "0x…", text)
    text = re.sub(r"^Breakpoint (\d+) at 0x[0-9a-f…]+", r"Breakpoint \1 at 0x…", text, flags=re.M)
    return re.sub(r'^Thread \d+ "', 'Thread 2 "', text, flags=re.M)


class MachineInterface:
    """gdb as editors talk to it: each command has a number, and so has its answer. (Prompts do not
    tell where an answer ends: gdb 13 may leave one out when the program ends.)"""

    def __init__(self, gdb, program):
        self._commands = 0
        self._gdb = subprocess.Popen(
            [gdb, "-nx", "-q", "-i=mi", "-x", SCRIPT, program.name], cwd=program.parent, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "CUCPU_THREADS": "1"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._gdb.communicate("-gdb-exit\n", timeout=60)

    def _read_until(self, begin):
        text = ""
        for line in self._gdb.stdout:
            text += line
            if line.startswith(begin):
                return text
        raise RuntimeError(f"gdb has ended: {text}")

    def do(self, command):
        """Its answer."""
        self._commands += 1
        self._gdb.stdin.write(f"{self._commands}{command}\n")
        self._gdb.stdin.flush()
        return self._read_until(f"{self._commands}^")

    def go_on(self, command):
        """How the program stops, after that."""
        self.do(command)
        return self._read_until("*stopped").splitlines()[-1]
