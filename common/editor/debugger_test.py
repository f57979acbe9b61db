#!/usr/bin/env python3
"""CUDA threads as gdb shows them, with cuda_gdb.py.

    debugger_test.py CUCPU GDB    (GDB: none, where there is none)
"""

import pathlib
import re
import sys
import tempfile
import unittest

import debugger

CUCPU, GDB = sys.argv[1:3] if len(sys.argv) > 2 else (None, "none")
SKIPPED = 77
RIGHT_SUMS = "block 0: 2016\nblock 1: 6112\nblock 2: 10208\nblock 3: 14304"


def line_of(name, text):
    lines = (debugger.PROGRAMS / f"{name}.cu").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def rows(table):
    """The lines below the heading of `info cuda threads`, their columns' blanks made one."""
    return [" ".join(line.split()) for line in table.splitlines()[2:]]


class Debugger(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.programs = {}
        for flags in (["-G"], ["-g"]):
            inner = pathlib.Path(folder.name) / "".join(flags)
            inner.mkdir()
            for name in ("block_sum", "waits", "blocks"):
                cls.programs[name, flags[0]] = debugger.compiled(CUCPU, name, inner, *flags)

    def session(self, name, *commands, flags="-G", **environment):
        return debugger.session(GDB, self.programs[name, flags], commands, **environment)

    def at(self, name, text, condition=""):
        return f"break {name}.cu:{line_of(name, text)}" + (condition and f" if {condition}")

    def stopped_in_loop(self, *commands, **more):
        """block_sum, in thread 5 of block 0, before it adds."""
        stop = self.at("block_sum", "+=", "threadIdx.x == 5 && blockIdx.x == 0")
        return self.session("block_sum", stop, "run", *commands, **more)[2:]

    def test_a_line_in_a_kernel(self):
        for flags in ("-G", "-g"):
            with self.subTest(flags):
                thread, block, halved, trace = self.stopped_in_loop(
                    "print threadIdx", "print blockIdx", "print half", "bt", flags=flags)
                self.assertEqual(thread, "$1 = {x = 5, y = 0, z = 0}")
                self.assertEqual(block, "$2 = {x = 0, y = 0, z = 0}")
                self.assertEqual(halved, "$3 = 32")
                self.assertRegex(trace, r"^#0  block_sum \(x=.*\) at block_sum.cu:\d+$")

    def test_threads_in_lockstep(self):
        barrier = line_of("block_sum", "__syncthreads")
        loop = line_of("block_sum", "+=")
        for flags in ("-G", "-g"):
            with self.subTest(flags):
                [table] = self.stopped_in_loop("info cuda threads", flags=flags)
                self.assertEqual(table.splitlines()[0], "Block (0,0,0) of kernel 1, block_sum:")
                self.assertEqual(rows(table), [
                    f"(0,0,0) to (4,0,0) 5 waits in __syncthreads block_sum.cu:{loop + 1}",
                    f"* (5,0,0) 1 running block_sum.cu:{loop}",
                    f"(6,0,0) to (63,0,0) 58 can run block_sum.cu:{barrier}"])

    def test_another_thread(self):
        said, index, i, trace, host = self.stopped_in_loop(
            "cuda thread 3", "print threadIdx", "print i", "bt", "cuda kernel block thread")
        self.assertIn("[CUDA kernel 1 block_sum, block (0,0,0), thread (3,0,0)]", said)
        self.assertIn("__syncthreads();", said)
        self.assertEqual([index, i], ["$1 = {x = 3, y = 0, z = 0}", "$2 = 3"])
        self.assertEqual(len(trace.splitlines()), 1)
        self.assertIn("thread (3,0,0)", host)

    def test_it_goes_on_as_if_nothing_had_been_looked_at(self):
        end = line_of("block_sum", "if (threadIdx.x == 0)")
        for resume in ("continue", "next", "step", "finish", "stepi", "cuda next", f"until {end}",
                       f"advance {end}", "print threadIdx.x", "thread 1"):
            for flags in ("-G", "-g"):
                with self.subTest(resume + flags):
                    printed = "\n".join(self.stopped_in_loop(
                        "cuda thread 40", "up", "info cuda threads", "delete", resume, "continue",
                        flags=flags))
                    self.assertIn(RIGHT_SUMS, printed)
        printed = "\n".join(self.stopped_in_loop("cuda thread 40", "delete", "detach",
                                                 "shell sleep 1"))
        self.assertIn(RIGHT_SUMS, printed)

    def test_from_an_editor(self):
        with debugger.MachineInterface(GDB, self.programs["block_sum", "-G"]) as gdb:
            gdb.do("-break-insert -c threadIdx.x==5 block_sum.cu:"
                   f"{line_of('block_sum', '+=')}")
            self.assertIn("breakpoint-hit", gdb.go_on("-exec-run"))
            self.assertIn("^error", gdb.do('-interpreter-exec console "cuda thread 40"'))
            self.assertIn("{x = 40,",
                          gdb.do('-interpreter-exec console "cuda thread 40 print threadIdx"'))
            self.assertIn('value="5"', gdb.do("-data-evaluate-expression threadIdx.x"))
            gdb.do("-break-delete")
            self.assertIn("exited-normally", gdb.go_on("-exec-continue"))

    def test_the_thread_that_runs_is_selected_again(self):
        _, said, index = self.stopped_in_loop("cuda thread 40", "next", "print threadIdx")
        self.assertIn("[Back to CUDA thread (5,0,0), which runs]", said)
        self.assertEqual(index, "$1 = {x = 5, y = 0, z = 0}")

    def test_next_over_a_barrier(self):
        for flags in ("-G", "-g"):
            with self.subTest(flags):
                _, at_barrier, after_it, back, index, half, table = self.stopped_in_loop(
                    "delete", *3 * ["cuda next"], "print threadIdx", "print half",
                    "info cuda threads", flags=flags)
                self.assertIn("__syncthreads();", at_barrier)
                self.assertIn("for (int half", after_it)
                self.assertIn("+=", back)
                self.assertEqual(index, "$1 = {x = 5, y = 0, z = 0}")
                self.assertEqual(half, "$2 = 16")
                self.assertEqual(len(rows(table)), 3)

    def test_next_of_another_thread(self):
        _, _, said, index = self.stopped_in_loop("delete", "cuda thread 40", "cuda next",
                                                 "print threadIdx")
        self.assertIn("for (int half", said)
        self.assertEqual(index, "$1 = {x = 40, y = 0, z = 0}")

    def test_next_ends_at_a_breakpoint(self):
        said, index = self.stopped_in_loop(
            self.at("block_sum", "+=", "threadIdx.x == 9"), "cuda next", "cuda next",
            "print threadIdx")[2:]
        self.assertTrue(said.startswith("Breakpoint 2\n"), said)
        self.assertEqual(index, "$1 = {x = 9, y = 0, z = 0}")

    def test_threads_that_take_turns(self):
        line = line_of("waits", "// plain")
        table, exited, not_begun, none, wrong = self.session(
            "waits", self.at("waits", "// plain", "threadIdx.x == 5"), "run", "info cuda threads",
            "cuda thread 3", "cuda thread 7", "cuda thread 64", "cuda threat 1")[2:]
        self.assertEqual(rows(table), ["(0,0,0) to (4,0,0) 5 exited",
                                       f"* (5,0,0) 1 running waits.cu:{line}",
                                       "(6,0,0) to (63,0,0) 58 not begun"])
        self.assertIn("Thread (3,0,0) has exited", exited)
        self.assertIn("Thread (7,0,0) has not begun", not_begun)
        self.assertIn("A block of plain has (64,1,1) threads", none)
        self.assertIn("Usage: cuda", wrong)

    def waiting(self, line, condition, **environment):
        """The output of `info cuda threads` at that line of waits.cu: {threads: the rest}"""
        table = self.session("waits", f"break waits.cu:{line} if {condition}", "run",
                             "info cuda threads", **environment)[2]
        lines = [re.fullmatch(r"(\* )?(\(.*?\)(?: to \(.*?\))?) (.*)", row).groups()
                 for row in rows(table)]
        return {threads: rest for _, threads, rest in lines}

    def test_threads_that_wait(self):
        first, shuffle, arrival, half_warp, late, last, end = (
            line_of("waits", text) for text in (
                "__syncthreads", "__shfl_xor", "// for 63", "0xfffe0000", "// late", "// the last",
                "// all"))
        with self.subTest("lanes of a warp"):
            self.assertEqual(self.waiting(shuffle, "threadIdx.x == 10"), {
                "(0,0,0) to (7,0,0)": "8 exited",
                "(8,0,0) to (9,0,0)":
                    f"2 waits in __shfl_xor_sync for lanes 10-15 waits.cu:{shuffle}",
                "(10,0,0)": f"1 running waits.cu:{shuffle}",
                "(11,0,0) to (63,0,0)": f"53 can run waits.cu:{first}"})
        with self.subTest("others of the warp, and a barrier in memory"):
            self.assertEqual(self.waiting(half_warp, "threadIdx.x == 20"), {
                "(0,0,0) to (7,0,0)": "8 exited",
                "(8,0,0) to (15,0,0)": f"8 waits in __syncthreads waits.cu:{end}",
                "(16,0,0)": f"1 waits in cuda::barrier::wait waits.cu:{arrival}",
                "(17,0,0) to (19,0,0)":
                    f"3 waits in __syncwarp for lanes 20-31 waits.cu:{half_warp}",
                "(20,0,0)": f"1 running waits.cu:{half_warp}",
                "(21,0,0) to (63,0,0)": f"43 can run waits.cu:{first}"})
        with self.subTest("one that has been woken"):
            before = self.waiting(late, "threadIdx.x == 63")
            after = self.waiting(last, "threadIdx.x == 63")
            self.assertEqual(before["(16,0,0)"],
                             f"1 waits in cuda::barrier::wait waits.cu:{arrival}")
            self.assertEqual(after["(16,0,0)"], f"1 can run waits.cu:{arrival}")
        with self.subTest("another order"):
            self.assertEqual(self.waiting(shuffle, "threadIdx.x == 10", CUCPU_ORDER="descending"), {
                "(0,0,0) to (9,0,0)": f"10 can run waits.cu:{first}",
                "(10,0,0)": f"1 running waits.cu:{shuffle}",
                "(11,0,0) to (15,0,0)":
                    f"5 waits in __shfl_xor_sync for lanes 8-10 waits.cu:{shuffle}",
                "(16,0,0) to (62,0,0)": f"47 waits in __syncthreads waits.cu:{end}",
                "(63,0,0)": f"1 can run waits.cu:{late}"})

    def test_backtraces_of_threads_that_wait(self):
        for stop, running, thread, waits_at in (("__shfl_xor", 10, 8, "__shfl_xor"),
                                                ("// late", 63, 16, "// for 63")):
            with self.subTest(waits_at):
                commands = ("run", f"cuda thread {thread}", "bt", "print t",
                            f"cuda thread {running}", f"cuda thread {thread} print t", "print t")
                _, trace, t, _, applied, own = self.session(
                    "waits", self.at("waits", stop, f"threadIdx.x == {running}"), *commands)[2:]
                self.assertRegex(trace, r"^#\d+ .*ways \(out=[^\n]*\) at waits.cu:"
                                        rf"{line_of('waits', waits_at)}$")
                self.assertEqual(t, f"$1 = {thread}")
                self.assertTrue(applied.endswith(f"$2 = {thread}"), applied)
                self.assertEqual(own, f"$3 = {running}")

    def test_blocks(self):
        line = line_of("blocks", "all others spin")
        stopped, kernels, blocks, said, index, threads, none, _, end = self.session(
            "blocks", f"break blocks.cu:{line} if blockIdx.x == 1 && threadIdx.y == 1", "run",
            "info cuda kernels", "info cuda blocks", "cuda block 0", "print blockIdx",
            "info cuda threads", "cuda block 2", "delete", "continue", CUCPU_THREADS="2")[1:]
        self.assertIn("[Switching to CUDA thread (0,1,0) of block (1,0,0)]", stopped)
        self.assertEqual(rows("\n" + kernels), ["* 1 both (2,1,1) (2,2,1) 2"])
        first, second = rows("\n" + blocks)
        self.assertRegex(first, r"^1 \(0,0,0\) ")
        self.assertRegex(second, r"^\* 1 \(1,0,0\) \(0,1,0\) ")
        self.assertIn("[CUDA kernel 1 both, block (0,0,0), thread (", said)
        self.assertIn("x = 0,", index)
        self.assertTrue(threads.startswith("Block (0,0,0) of kernel 1, both:"), threads)
        self.assertIn("No such block runs", none)
        self.assertIn("no error", end)

    def test_where_no_kernel_runs(self):
        before, _, host, select = self.session(
            "block_sum", "info cuda threads", "break main", "run", "info cuda threads",
            "cuda thread 1")[:1] + self.session(
                "block_sum", "break main", "run", "info cuda threads", "cuda thread 1")[1:]
        self.assertIn("The program is not being run", before)
        self.assertIn("No kernel runs", host)
        self.assertIn("The host is selected", select)

    def test_spinning_threads_take_turns(self):
        end = self.session("blocks", "run")[0]
        self.assertIn("no error", end)


if __name__ == "__main__":
    if GDB == "none" or not debugger.can_run_programs(GDB):
        print("skipped: there is no gdb that can run a program")
        sys.exit(SKIPPED)
    del sys.argv[1:]
    unittest.main()
