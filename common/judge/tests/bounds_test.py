"""Bounds of a verdict's time and memory, and tools that are missing: named as such, never blamed on the
solution, and nothing is left behind.

    bounds_test.py JUDGE BACKEND WATCHES [TEST...]
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest

import judge_test
from judge_test import FAIL, JUDGE, NEEDS_CHECKERS, NEEDS_DEVICE, PASS, RELU, InFolder

CANNOT_JUDGE = 4

LASTING = r"""#include <cuda_runtime.h>
#include <unistd.h>
extern "C" void solve(float* x, int n) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      setsid();
      sleep(1000);
    }
    _exit(0);
  }
  %s
}
"""


class Scratch(InFolder):
    """With a folder of its own for temporary files."""

    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir()

    def processes(self):
        """Those that run a program of the folder for temporary files."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if str(self.scratch) in os.readlink(entry / "exe"):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertTrue(condition())

    def assert_nothing_left(self):
        self.wait_until(lambda: not self.processes() and not list(self.scratch.iterdir()))


@NEEDS_DEVICE
class NothingIsLeft(Scratch):
    def test_after_a_verdict(self):
        code, _ = self.verdict(LASTING % "", TMPDIR=str(self.scratch))
        self.assertEqual(code, FAIL)
        self.assertEqual((self.processes(), list(self.scratch.iterdir())), ([], []))

    def test_after_a_timeout(self):
        said = self.assert_rejected("timeout", LASTING % "for (;;) pause();", "--timeout", "1",
                                    TMPDIR=str(self.scratch))
        self.assertEqual(said["reasons"], ["timeout"])
        self.assertEqual((self.processes(), list(self.scratch.iterdir())), ([], []))

    def started(self):
        self.write(LASTING % "for (;;) pause();")
        child = subprocess.Popen([JUDGE, "relu", "my.cu", "--timeout", "1000"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "TMPDIR": str(self.scratch)})
        self.addCleanup(child.communicate)
        self.wait_until(lambda: len(self.processes()) >= 2)
        return child

    def test_after_the_judge_was_killed(self):
        child = self.started()
        child.kill()
        self.wait_until(lambda: not self.processes())

    def test_after_the_judges_worker_was_killed(self):
        child = self.started()
        workers = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        os.kill(int(workers[0]), signal.SIGKILL)
        _, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, CANNOT_JUDGE)
        self.assertIn("killed", errors)
        self.assert_nothing_left()

    def test_after_requests_to_end(self):
        for request in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(request):
                child = self.started()
                child.send_signal(request)
                child.communicate(timeout=60)
                self.assertEqual(child.returncode, -request)
                self.assert_nothing_left()


@NEEDS_DEVICE
class Missing(Scratch):
    def error(self, text=RELU, preexec_fn=None, **environment):
        """The judge's words when it cannot judge."""
        self.write(text)
        done = subprocess.run([JUDGE, "relu", "my.cu", "--json"], capture_output=True, text=True,
                              timeout=300, cwd=self.folder, preexec_fn=preexec_fn,
                              env={**os.environ, "TMPDIR": str(self.scratch), **environment})
        self.assertEqual(done.returncode, CANNOT_JUDGE, done)
        self.assertRegex(done.stderr, r"\Aerror: ")
        said = json.loads(done.stdout)
        self.assertEqual(said["status"], "error")
        self.assertEqual(list(self.scratch.iterdir()), [])
        return said["message"]

    def with_compiler(self, script, **environment):
        """With other programs in place of the compiler's."""
        bin_folder = self.folder / "bin"
        bin_folder.mkdir(exist_ok=True)
        for name in ("g++", "clang++", "c++", "nvcc", "cc1plus"):
            program = bin_folder / name
            program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            program.chmod(0o755)
        return {"PATH": f"{bin_folder}:{os.environ['PATH']}", **environment}

    def test_compiler(self):
        self.assertIn("cannot be run", self.error(PATH=str(self.folder)))

    def test_killed_compiler(self):
        self.assertIn("killed", self.error(**self.with_compiler("kill -9 $$")))

    def test_full_disk(self):
        says = "echo 'fatal error: error writing to /tmp/x.s: No space left on device' >&2; exit 1"
        self.assertIn("disk is full", self.error(**self.with_compiler(says)))

    def test_disk_that_is_really_full(self):
        tried = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
        if tried.returncode != 0:
            self.skipTest("no mounts of our own")
        self.write(RELU)
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=64k none '{self.scratch}' && "
             f"TMPDIR='{self.scratch}' '{JUDGE}' relu my.cu"],
            capture_output=True, text=True, timeout=300, cwd=self.folder, check=False)
        if "mount:" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, CANNOT_JUDGE, done)
        self.assertRegex(done.stderr, "disk|space")

    def test_files_that_may_not_grow(self):
        self.assertIn("ulimit -f", self.error(
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))))

    @NEEDS_CHECKERS
    def test_addresses(self):
        limit = 8 << 30
        self.assertIn("ulimit -v", self.error(
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))

    def test_folder_for_temporary_files(self):
        self.assertIn("gone", self.error(TMPDIR=str(self.folder / "gone")))

    def test_odd_folder_for_temporary_files(self):
        odd = self.folder / "it's \"odd\""
        odd.mkdir()
        self.assertIn("TMPDIR", self.error(TMPDIR=str(odd)))

    def test_words_of_the_solution_are_no_excuse(self):
        said = self.assert_rejected("compile", "#error No space left on device\n")
        self.assertIn("No space left", said["message"])

    def test_compiler_without_end(self):
        said = self.assert_rejected("compile", RELU, TMPDIR=str(self.scratch),
                                    JUDGE_SECONDS_TO_BUILD="1",
                                    **self.with_compiler("sleep 1000 & setsid sleep 1000 & wait"))
        self.assertIn("stopped after 1 s", said["message"])
        self.assertEqual(list(self.scratch.iterdir()), [])


@NEEDS_DEVICE
class OddPaths(InFolder):
    NAMES = ("it's.cu", 'say "x".cu', "two words.cu", "new\nline.cu", "back\\slash.cu", "ü ö.cu",
             "$(HOME)#%;&.cu", b"\xff\xfe.cu")

    def test_each_is_judged(self):
        for name in self.NAMES:
            with self.subTest(name):
                folder = os.fsencode(self.folder) + b"/" + os.fsencode(name) + b".folder"
                os.mkdir(folder)
                with open(folder + b"/mine.h", "w", encoding="utf-8") as out:
                    out.write("#define LEAST 0.0f\n")
                path = folder + b"/" + os.fsencode(name)
                with open(path, "w", encoding="utf-8") as out:
                    out.write('#include "mine.h"\n' + RELU.replace("0.0f", "LEAST"))
                done = subprocess.run([os.fsencode(JUDGE), b"relu", path], capture_output=True,
                                      timeout=300, check=False)
                self.assertEqual(done.returncode, PASS, done)

    def test_findings_have_the_name(self):
        name = "it's \"mine\".cu"
        self.write(RELU.replace("if (i < n) ", ""), name)
        done = subprocess.run([JUDGE, "relu", name], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, FAIL)
        self.assertNotIn("/tmp/judge", done.stdout)
        if judge_test.WATCHES:
            self.assertIn(f"{name}:5", done.stdout)
            self.assertIn("    5 |   x[i] = fmaxf(x[i], 0.0f);", done.stdout)


if __name__ == "__main__":
    judge_test.main(sys.modules[__name__])
