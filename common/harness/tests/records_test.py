"""Records are never torn, and no output is lost without a word.

    records_test.py BUILD BACKEND [TEST...]

A full disk, a signal, two runs at once: what was recorded before is kept, or replaced by a whole
record, and no part of one is left.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(sys.argv[1])
BACKEND = sys.argv[2]
ADD = BUILD / "steps/01_naive_add/01_naive_add"
NO_DEVICE, BAD_USAGE, NO_VERDICT = 77, 2, 4
BEFORE = "what was recorded before\n"
RESULT = {"step": "05_reduce_warp_shuffle", "variant": "fast", "backend": BACKEND, "device": "d",
          "shape": {"n": 2**28}, "status": "pass", "median_ms": 0.8, "min_ms": 0.7, "max_ms": 0.9,
          "repeats": 20, "bytes": 2**30}
PRINT_RESULT = f"echo '{json.dumps(RESULT)}'\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Under `nohup`, or behind a shell's `&`, some are ignored, here and in all that is started.
for one in SIGNALS:
    signal.signal(one, signal.SIG_DFL)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300, **more)


NEEDS_DEVICE = unittest.skipIf(run(ADD, "--n", 0).returncode == NO_DEVICE, "no device")
MAY_MOUNT = run("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp").returncode == 0 \
    if shutil.which("unshare") else False
NEEDS_MOUNT = unittest.skipUnless(MAY_MOUNT, "file systems cannot be mounted here")


def in_own_mounts(script, *words, **more):
    """Runs a script of the shell in which it may mount what it wants."""
    return run("unshare", "-rm", "sh", "-ec", script, "sh", *words, **more)


class InFolder(unittest.TestCase):
    """With a folder that has the tour and the bench, and scripts in the place of steps."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name in ("tour", "bench"):
            shutil.copy2(BUILD / name, self.folder / name)
        self.record = self.folder / "record.jsonl"
        self.record.write_text(BEFORE, encoding="utf-8")

    def write_steps(self, script):
        steps = [step.relative_to(BUILD) for step in (BUILD / "steps").glob("*/*")
                 if step.name == step.parent.name]
        for name in (*steps, "roofs"):
            fake = self.folder / name
            fake.parent.mkdir(parents=True, exist_ok=True)
            fake.write_text("#!/bin/sh\n" + script, encoding="utf-8")
            fake.chmod(0o755)

    def command(self, program):
        only = ["--only", "05"] if program == "bench" else []
        return [self.folder / program, "--quick", *only, "--record", self.record]

    def recorded(self):
        return [json.loads(line)["variant"] for line in
                self.record.read_text(encoding="utf-8").splitlines()]

    def is_as_before(self, says=None):
        self.assertEqual(self.record.read_text(encoding="utf-8"), BEFORE, says)
        self.assertEqual(list(self.folder.glob("*.part")), [], says)


@NEEDS_DEVICE
class FullDisk(InFolder):
    def refused(self, done, reason):
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, rf"\Aerror: --record [^\n]*: {reason}[^\n]*is kept\n\Z")

    def test_a_file_may_grow_no_more(self):
        self.write_steps(PRINT_RESULT * 10)
        for program in ("tour", "bench"):
            done = run(*self.command(program), preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (1000, 1000)))
            self.refused(done, "File too large")
            self.is_as_before(program)

    def test_full_from_the_beginning(self):
        self.write_steps(PRINT_RESULT)
        for program in ("tour", "bench"):
            self.refused(run(self.folder / program, "--quick", "--record", "/dev/full"),
                         "No space left on device")

    @NEEDS_MOUNT
    def test_a_small_disk(self):
        self.write_steps(PRINT_RESULT)
        script = """mount -t tmpfs -o size=8k none "$1"
            echo before >"$1/record"; head -c 4096 /dev/zero >"$1/filler"
            status=0; "$2" --quick --record "$1/record" >/dev/null || status=$?
            ls "$1"; cat "$1/record"; exit $status"""
        disk = self.folder / "disk"
        disk.mkdir()
        for program in ("tour", "bench"):
            done = in_own_mounts(script, disk, self.folder / program)
            self.refused(done, "No space left on device")
            self.assertEqual(done.stdout, "filler\nrecord\nbefore\n")

    @unittest.skipIf(BACKEND != "cpu", "times of the judge's solutions take long")
    def test_the_judge(self):
        done = run(BUILD / "judge", "relu", "--bench", "--record", "/dev/full", ROOT /
                   "steps/01_naive_add/exercises/relu/solutions/1_scalar.cu",
                   env=os.environ | {"JUDGE_BENCH_ON_CPU": "1"})
        self.refused(done, "No space left on device")


@NEEDS_DEVICE
class Signals(InFolder):
    """Whenever a signal comes, the record is as before or whole."""

    def test_every_signal(self):
        self.write_steps(PRINT_RESULT + "exec sleep 30\n")
        for program in ("tour", "bench"):
            for sent in SIGNALS:
                with subprocess.Popen(list(map(str, self.command(program))),
                                      stdout=subprocess.PIPE) as child:
                    part = pathlib.Path(f"{self.record}.part")
                    deadline = time.monotonic() + 60
                    while not (part.exists() and part.stat().st_size):
                        self.assertLess(time.monotonic(), deadline)
                        time.sleep(0.01)
                    self.assertGreater(part.stat().st_size, 0)
                    child.send_signal(sent)
                    self.assertEqual(child.wait(60), -sent)
                self.is_as_before((program, sent))

    def test_at_any_time(self):
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        self.write_steps(PRINT_RESULT)
        for _ in range(30):
            with subprocess.Popen(list(map(str, self.command("tour"))), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as child:
                time.sleep(chance.uniform(0, 0.15))
                child.send_signal(signal.SIGTERM)
            self.assertEqual(list(self.folder.glob("*.part")), [], seed)
            text = self.record.read_text(encoding="utf-8")
            self.assertTrue(text == BEFORE or self.recorded() == ["fast"] * 12, (seed, text))

    def test_the_reader_is_gone(self):
        """tour | head"""
        self.write_steps("sleep 0.1\n" + PRINT_RESULT)
        command = list(map(str, self.command("tour")))
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            child.stdout.close()
            self.assertEqual(child.wait(60), -signal.SIGPIPE)
        self.is_as_before()

    def test_what_a_killed_run_left_is_taken_over(self):
        left = pathlib.Path(f"{self.record}.part")
        left.write_text("torn", encoding="utf-8")
        self.write_steps(PRINT_RESULT)
        self.assertEqual(run(*self.command("tour")).returncode, 0)
        self.assertEqual(self.recorded(), ["fast"] * 12)
        self.assertFalse(left.exists())


@NEEDS_DEVICE
class TwoAtOnce(InFolder):
    def test_the_second_is_refused(self):
        self.write_steps(PRINT_RESULT + "sleep 0.1\n")
        commands = [list(map(str, self.command("tour"))) for _ in range(3)]
        children = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     text=True) for command in commands]
        ends = [(child.communicate(timeout=60)[1], child.returncode) for child in children]
        self.assertEqual(sorted(code for _, code in ends), [0, BAD_USAGE, BAD_USAGE], ends)
        for said, code in ends:
            if code:
                self.assertRegex(said, r"\Aerror: --record [^\n]*another process[^\n]*\n\Z")
        self.assertEqual(self.recorded(), ["fast"] * 12)
        self.assertFalse(pathlib.Path(f"{self.record}.part").exists())


@NEEDS_DEVICE
class Paths(InFolder):
    def setUp(self):
        super().setUp()
        self.write_steps(PRINT_RESULT)

    def test_a_link_stays_one(self):
        link = self.folder / "link.jsonl"
        link.symlink_to(self.record.name)
        self.assertEqual(run(self.folder / "tour", "--quick", "--record", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.recorded(), ["fast"] * 12)

    def test_its_mode_is_kept(self):
        self.record.chmod(0o640)
        self.assertEqual(run(*self.command("tour")).returncode, 0)
        self.assertEqual(self.record.stat().st_mode & 0o777, 0o640)

    def test_standard_output(self):
        """Also where it is a file, which the record must not replace. By a name that a program that
        tries to cannot harm, as root could /dev/stdout."""
        out = self.folder / "out"
        with open(out, "w", encoding="utf-8") as file:
            done = subprocess.run([self.folder / "tour", "--quick", "--json", "--record",
                                   "/proc/self/fd/1"], stdout=file, check=False)
        self.assertEqual(done.returncode, 0)
        # Each result, and each line of the record.
        self.assertEqual(len(out.read_text(encoding="utf-8").splitlines()), 24)

    def test_what_cannot_be_written(self):
        for path in ("/nowhere/record", str(self.folder), "/proc/nowhere"):
            done = run(self.folder / "tour", "--quick", "--record", path)
            self.assertEqual(done.returncode, BAD_USAGE, (path, done))
            self.assertRegex(done.stderr, rf"\Aerror: --record {path}: [^\n]+; allowed: [^\n]+\n\Z")


class LostOutput(unittest.TestCase):
    """Output that a full disk does not take is an error."""

    def lose(self, code, *command):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([str(word) for word in command], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, code, (command, done))
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z", command)

    def test_answers(self):
        for program in (ADD, *(BUILD / name for name in ("tour", "bench", "roofs", "ladder"))):
            for option in ("--help", "--version"):
                self.lose(1, program, option)
        self.lose(1, BUILD / "ladder")
        self.lose(NO_VERDICT, BUILD / "judge", "--help")
        self.lose(NO_VERDICT, BUILD / "judge", "--list")
        if BACKEND == "cpu":
            for option in ("--help", "--version"):
                self.lose(1, BUILD / "cucpu", option)

    @NEEDS_DEVICE
    def test_runs(self):
        self.lose(1, ADD, "--quick")
        self.lose(1, ADD, "--quick", "--json")
        self.lose(1, BUILD / "tour", "--quick")
        self.lose(NO_VERDICT, BUILD / "judge", "relu")


class WithoutProc(unittest.TestCase):
    """A chroot or a container may have no /proc. A GPU's driver does not work there."""

    def run_without(self, *command):
        return in_own_mounts('mount -t tmpfs none /proc; exec "$@"', *command)

    def check_that_no_gpu_is_found(self, done):
        self.assertEqual((done.returncode, done.stdout), (NO_DEVICE, ""))
        self.assertRegex(done.stderr,
                         r"\Aerror: no CUDA device was found: /proc is not mounted, [^\n]+\n\Z")

    @NEEDS_MOUNT
    @NEEDS_DEVICE
    def test_the_tour_works(self):
        done = self.run_without(BUILD / "tour", "--quick")
        if BACKEND == "cuda":
            return self.check_that_no_gpu_is_found(done)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        there = run(BUILD / "tour", "--quick").stdout
        ends = [text.splitlines()[-1].rsplit(",", 1)[0] for text in (done.stdout, there)]
        self.assertEqual(*ends)

    @NEEDS_MOUNT
    @NEEDS_DEVICE
    def test_the_judge_says_what_it_lacks(self):
        done = self.run_without(BUILD / "judge", "relu")
        if BACKEND == "cuda":
            return self.check_that_no_gpu_is_found(done)
        self.assertEqual((done.returncode, done.stdout), (NO_VERDICT, ""))
        self.assertRegex(done.stderr, r"\Aerror: /proc is not mounted: [^\n]+\n\Z")
        self.assertEqual(self.run_without(BUILD / "judge", "--list").returncode, 0)


class JudgesProgress(unittest.TestCase):
    """Its memory of a verdict may have been written by anybody."""

    def test_malformed(self):
        with tempfile.TemporaryDirectory() as folder:
            memory = pathlib.Path(folder) / "relu.json"
            for text in ("", "[", "5", '{"status": 5}', '{"status": "pass", "file": 1, "hash": 1}',
                         '{"status": "pass", "file": "/nowhere", "hash": "x"}',
                         '{"status": "pass", "file": "\\u0000", "hash": -1}', "\0" * 100):
                memory.write_text(text, encoding="utf-8")
                done = run(BUILD / "judge", "--list", env=os.environ | {"JUDGE_PROGRESS": folder})
                self.assertEqual((done.returncode, done.stderr), (0, ""), text)
                self.assertRegex(done.stdout, r"  relu +todo ", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
