"""Programs built by cucpu, run with CUCPU_TOOLS as a user does."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from reports import unwrapped  # noqa: E402

CUCPU = pathlib.Path(sys.argv[1]).resolve()

PROGRAM = """#include <cstdio>

__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main(int argc, char** argv) {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  twice<<<4, 256>>>(x, 1000);
  cudaDeviceSynchronize();
  std::printf("%d arguments, %s\\n", argc, argv[argc - 1]);
  return 3;
}
"""

SHARED = """__global__ void pick(float* x) {
  __shared__ float words[64];
  words[2 * threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 1 || threadIdx.x == 3) x[threadIdx.x] = words[8 - 2 * threadIdx.x];
}
int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  pick<<<1, 32>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""

LIMITED = """#include <cstdio>
__global__ void reverse(float* p) {
  __shared__ float words[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  words[threadIdx.x] = p[i];
  __syncthreads();
  p[i] = words[63 - threadIdx.x];
}
int main() {
  float* p;
  cudaMalloc(&p, 1 << 20);
  cudaMemset(p, 0, 1 << 20);
  reverse<<<1024, 64>>>(p);
  std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(p);
}
"""

# A frame that leaves little of a thread's stack of 64 KiB, and shared memory in rows of its own.
LARGE_FRAME = """__global__ void sum(float* x, int last) {
  __shared__ float words[1024];
  float a[15000];
  for (int i = 0; i <= last; ++i) a[i] = x[i % 32];
  words[33 * threadIdx.x % 1024] = a[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = words[33 * (31 - threadIdx.x)] + a[last];
}
int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  sum<<<1, 32>>>(x, 14999);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(x);
  return error;
}
"""


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "twice.cu").write_text(PROGRAM)
        command = [CUCPU, "twice.cu", "-o", "twice"]
        subprocess.run(command, cwd=cls.path, check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, program="./twice", **environment):
        return subprocess.run([program, "last"], cwd=self.path, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=60)

    def test_without_tools(self):
        ran = self.run_program()
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (3, "2 arguments, last\n", ""))

    def test_counters_are_printed_and_change_nothing_else(self):
        ran = self.run_program(CUCPU_TOOLS="counters")
        self.assertEqual((ran.returncode, ran.stdout), (3, "2 arguments, last\n"))
        self.assertIn("twice <<<(4), (256)>>>", ran.stderr)
        self.assertIn("twice.cu:5", ran.stderr)
        for line in ran.stderr.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_json(self):
        ran = self.run_program(CUCPU_TOOLS="counters", CUCPU_JSON="out.jsonl")
        self.assertEqual(ran.returncode, 3)
        [line] = (self.path / "out.jsonl").read_text().splitlines()
        launch = json.loads(line)
        self.assertEqual(launch["type"], "launch")
        self.assertEqual(launch["kernel"], "twice")
        self.assertEqual((launch["grid"], launch["block"]), ([4, 1, 1], [256, 1, 1]))
        counters = launch["counters"]
        for kind in ("global_load", "global_store"):
            self.assertEqual(counters[kind]["requests"], 32)
            self.assertEqual(counters[kind]["sectors"], 125)
            self.assertEqual(counters[kind]["threads"], 1000)
        self.assertEqual(counters["shared_load"]["requests"], 0)
        self.assertEqual(counters["barriers"], 0)

    def accesses(self, **environment):
        ran = self.run_program(CUCPU_TOOLS="accesses", CUCPU_JSON="out.jsonl", **environment)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (3, "2 arguments, last\n", ""))
        lines = map(json.loads, (self.path / "out.jsonl").read_text().splitlines())
        return [line for line in lines if line["type"] == "access"]

    def test_files_are_found_from_where_they_were_compiled(self):
        work, elsewhere = self.path / "work", self.path / "elsewhere"
        for folder in (work, elsewhere):  # which has another file of that name
            (folder / "src").mkdir(parents=True)
            (folder / "src" / "twice.cu").write_text(PROGRAM)
        program = elsewhere / "twice"
        subprocess.run([CUCPU, "-O1", "src/twice.cu", "-o", program], cwd=work, check=True, timeout=120)
        for folder, name in ((work, "src/twice.cu"), (elsewhere, f"{work}/src/twice.cu"),
                             (work / "src", "twice.cu")):
            with self.subTest(folder=folder):
                output = self.path / "places.jsonl"
                subprocess.run([program], cwd=folder, timeout=60,
                               env={**os.environ, "CUCPU_TOOLS": "accesses",
                                    "CUCPU_JSON": str(output)})
                files = {json.loads(line)["file"] for line in output.read_text().splitlines()
                         if '"access"' in line}
                self.assertEqual(files, {name})

    def test_a_history_that_runs_out_of_room_says_so_once(self):
        source = pathlib.Path(__file__).resolve().parent / "lost_history.cu"
        subprocess.run([CUCPU, "-O1", source, "-o", self.path / "lost"], check=True, timeout=120)
        ran = self.run_program("./lost", CUCPU_TOOLS="racecheck")
        self.assertEqual((ran.returncode, ran.stdout), (0, "cudaSuccess\n"), ran.stderr)
        self.assertEqual(ran.stderr.count("racecheck ran out of room"), 1)
        self.assertRegex(unwrapped(ran.stderr),
                         r"\d+ accesses were not remembered: races with them are not found")

    def test_limits_of_memory_are_named_in_one_line(self):
        """Under any limit the program runs, or one line says what there is no room for."""
        (self.path / "limited.cu").write_text(LIMITED)
        subprocess.run([CUCPU, "-O1", "limited.cu", "-o", "limited"], cwd=self.path, check=True)
        codes = {}
        for tools in ("", "memcheck", "racecheck", "all"):
            for mebibytes in (24, 100, 300, 400, 700, 2000, 16000):
                with self.subTest(tools=tools, mebibytes=mebibytes):
                    limit = mebibytes << 20
                    ran = subprocess.run(
                        ["./limited"], cwd=self.path, capture_output=True, text=True, timeout=60,
                        env={**os.environ, "CUCPU_TOOLS": tools, "CUCPU_THREADS": "2"},
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                    codes.setdefault(tools, set()).add(ran.returncode)
                    if ran.returncode == 0:
                        self.assertEqual(ran.stdout, "cudaSuccess\n")
                        continue
                    self.assertEqual(ran.returncode, 2, ran.stderr)
                    lines = [line for line in ran.stderr.splitlines() if "=====" not in line]
                    self.assertEqual(len(lines), 1, ran.stderr)
                    self.assertRegex(lines[0], r"^error: no (addresses left for|further thread of) .*"
                                               r"\(ulimit -v\)")
        self.assertEqual(set(map(frozenset, codes.values())), {frozenset({0, 2})})

    def test_no_proc(self):
        """Neither the twin nor the lines of the source are found by way of /proc alone."""
        hidden = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if shutil.which("unshare") is None or subprocess.run(
                [*hidden, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no right to hide /proc")
        for program in ("./twice", self.path / "twice"):
            ran = subprocess.run([*hidden, program], cwd=self.path, capture_output=True, text=True,
                                 timeout=60, env={**os.environ, "CUCPU_TOOLS": "initcheck"})
            self.assertEqual(ran.returncode, 1, ran.stderr)
            self.assertIn("at twice in twice.cu:5", unwrapped(ran.stderr))

    def test_accesses_are_those_of_the_first_block(self):
        accesses = self.accesses()
        self.assertEqual(len(accesses), 2 * 8)  # 8 warps load and store
        self.assertEqual([(one["warp"], one["kind"]) for one in accesses],
                         [(warp, kind) for warp in range(8) for kind in ("load", "store")])
        for one in accesses:
            self.assertEqual((one["launch"], one["kernel"], one["space"]), (0, "twice", "global"))
            self.assertEqual((one["bytes"], one["lanes"], one["sectors"]), (4, 2**32 - 1, 4))
            self.assertEqual(one["offsets"], [4 * (32 * one["warp"] + i) for i in range(32)])
            self.assertEqual((pathlib.Path(one["file"]).name, one["line"]), ("twice.cu", 5))

    def test_accesses_do_not_depend_on_the_order_of_threads(self):
        in_order = self.accesses()
        self.assertEqual(self.accesses(CUCPU_THREADS="1"), in_order)
        other = self.accesses(CUCPU_ORDER="descending")
        self.assertEqual(sorted(other, key=lambda one: (one["warp"], one["kind"])), in_order)

    def test_accesses_to_shared_memory(self):
        (self.path / "shared.cu").write_text(SHARED)
        subprocess.run([CUCPU, "shared.cu", "-o", "shared"], cwd=self.path, check=True, timeout=120)
        self.run_program("./shared", CUCPU_TOOLS="accesses", CUCPU_JSON="out.jsonl")
        lines = [json.loads(line) for line in (self.path / "out.jsonl").read_text().splitlines()]
        shared = [line for line in lines if line.get("space") == "shared"]
        self.assertEqual([one["kind"] for one in shared], ["store", "load"])
        self.assertEqual(shared[0]["offsets"], [8 * i for i in range(32)])
        self.assertEqual([one["wavefronts"] for one in shared], [2, 1])
        self.assertEqual((shared[1]["lanes"], shared[1]["offsets"]), (0b1010, [24, 8]))
        self.assertNotIn("memory", shared[0])

    def test_what_writes_nothing_says_so(self):
        ran = self.run_program(CUCPU_TOOLS="accesses")
        self.assertEqual((ran.returncode, ran.stderr), (
            3, "note: CUCPU_TOOLS=accesses: nothing is written without CUCPU_JSON=FILE\n"))
        ran = self.run_program(CUCPU_JSON="unasked.jsonl")
        self.assertEqual((ran.returncode, ran.stderr), (
            3, "note: CUCPU_JSON=unasked.jsonl: nothing is written without CUCPU_TOOLS\n"))
        self.assertFalse((self.path / "unasked.jsonl").exists())

    def test_equal_launches_in_a_row_are_shown_once(self):
        (self.path / "often.cu").write_text(PROGRAM.replace(
            "  twice<<<4, 256>>>(x, 1000);\n",
            "  for (int i = 0; i < 20; ++i) twice<<<4, 256>>>(x, 1000);\n"
            "  twice<<<4, 256>>>(x, 8);\n  twice<<<4, 256>>>(x, 1000);\n"))
        subprocess.run([CUCPU, "often.cu", "-o", "often"], cwd=self.path, check=True, timeout=120)
        ran = self.run_program("./often", CUCPU_TOOLS="counters", CUCPU_JSON="out.jsonl")
        heads = [line for line in ran.stderr.splitlines() if "<<<" in line]
        head = "twice <<<(4), (256)>>>"
        self.assertEqual(heads, [head + " x 20", head, head])
        self.assertEqual(len((self.path / "out.jsonl").read_text().splitlines()), 22)

    def test_tools_need_nothing_of_a_threads_stack(self):
        (self.path / "large.cu").write_text(LARGE_FRAME)
        subprocess.run([CUCPU, "large.cu", "-o", "large"], cwd=self.path, check=True, timeout=120)
        for tools in ("counters", "memcheck,racecheck,initcheck,synccheck", "all"):
            ran = self.run_program("./large", CUCPU_TOOLS=tools)
            self.assertEqual((ran.returncode, ran.stdout), (0, ""), ran.stderr)
            self.assertNotIn("Stack overflow", ran.stderr)

    def test_all_tools_are_not_accesses(self):
        self.run_program(CUCPU_TOOLS="all", CUCPU_JSON="out.jsonl")
        self.assertNotIn('"access"', (self.path / "out.jsonl").read_text())

    def test_unknown_tool(self):
        ran = self.run_program(CUCPU_TOOLS="counters,luck")
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(ran.stderr.count("\n"), 1)
        self.assertIn("error: CUCPU_TOOLS=counters,luck: ", ran.stderr)
        self.assertIn("counters", ran.stderr.split("must be")[1])

    def test_number_of_multiprocessors_that_makes_no_sense(self):
        ran = self.run_program(CUCPU_SMS="0")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertEqual(ran.stderr, "error: CUCPU_SMS=0: must be a number from 1 to 1024\n")

    def test_no_twin(self):
        (self.path / "alone").write_bytes((self.path / "twice").read_bytes())
        (self.path / "alone").chmod(0o755)
        ran = self.run_program("./alone", CUCPU_TOOLS="counters")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("alone.traced", ran.stderr)

    def test_file_that_cannot_be_written(self):
        ran = self.run_program(CUCPU_TOOLS="counters", CUCPU_JSON="no/such/folder")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("error: CUCPU_JSON=no/such/folder", ran.stderr)


FIRST = """#include "both.h"
__global__ void first(float* x) { x[threadIdx.x] = 1; }
void run_first(float* x, float4 v) { first<<<1, 32>>>(x); x[40] = v.w; }
"""
SECOND = """__device__ int scale = 2;
__global__ void second(float* x) { x[threadIdx.x] *= scale; }
void run_second(float* x) { second<<<1, 64>>>(x); }
"""
MAIN = """#include "both.h"
__global__ void third(float* x) { x[threadIdx.x] += 3; }
int main() {
  float* x;
  cudaMallocManaged(&x, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) x[i] = 0;
  run_first(x, make_float4(1, 2, 3, 4));
  cudaDeviceSynchronize();
  run_second(x);
  third<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  const bool right = x[0] == 5 && x[40] == 11;
  cudaFree(x);
  return right ? 0 : 1;
}
"""
BOTH = """#include <cuda_runtime.h>
void run_first(float* x, float4 v);
void run_second(float* x);
"""


class Parts(unittest.TestCase):
    """Programs of several files: all kernels are seen, however they come into the program."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name, text in (("first.cu", FIRST), ("second_with_a_long_name.cu", SECOND),
                           ("main.cu", MAIN), ("both.h", BOTH)):
            (self.path / name).write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_here(self, *command, **environment):
        ran = subprocess.run([str(word) for word in command], cwd=self.path, capture_output=True,
                             text=True, env={**os.environ, **environment}, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""), ran.stderr)
        return ran.stderr

    def cucpu(self, *arguments):
        return self.run_here(CUCPU, "-O1", *arguments)

    def check_program(self, kernels=("first", "second", "third"), program="./a.out"):
        self.assertEqual(self.run_here(program), "")
        self.run_here(program, CUCPU_TOOLS="counters", CUCPU_JSON="out.jsonl")
        launches = [json.loads(line) for line in (self.path / "out.jsonl").read_text().splitlines()]
        self.assertEqual([launch["kernel"] for launch in launches], list(kernels))
        for launch in launches:
            self.assertGreater(launch["counters"]["global_store"]["requests"], 0)
        self.assertNotIn(b".cucpu.traced", (self.path / program).read_bytes())

    def test_sources(self):
        self.cucpu("main.cu", "first.cu", "second_with_a_long_name.cu")
        self.check_program()

    def test_objects(self):
        (self.path / "objects").mkdir()
        self.cucpu("-c", "first.cu", "-o", "objects/first.o")
        self.cucpu("-c", "main.cu", "second_with_a_long_name.cu")
        self.cucpu("main.o", "second_with_a_long_name.o", "objects/first.o")
        self.check_program()
        self.cucpu("main.cu", "second_with_a_long_name.o", "objects/first.o")
        self.check_program()

    def test_archives(self):
        self.cucpu("-c", "first.cu", "second_with_a_long_name.cu")
        (self.path / "odd.c").write_text("int odd = 1;")
        self.run_here("cc", "-c", "odd.c")
        self.run_here("ar", "rcs", "libkernels.a", "odd.o", "first.o", "second_with_a_long_name.o")
        self.cucpu("main.cu", "libkernels.a")
        self.check_program()
        (self.path / "lib").mkdir()
        (self.path / "libkernels.a").rename(self.path / "lib/libkernels.a")
        self.cucpu("main.cu", "-Llib", "-lkernels")
        self.check_program()
        self.cucpu("-lkernels", "-L", "lib", "main.cu", "-Xlinker", "--start-group", "-lkernels")
        self.check_program()

    def test_host_sources(self):
        """Vectors go by value between a file of the host and one with kernels."""
        text = MAIN.replace("__global__ void third(float* x) { x[threadIdx.x] += 3; }", "")
        text = text.replace("third<<<1, 64>>>(x);", "for (int i = 0; i < 64; ++i) x[i] += 3;")
        (self.path / "main.cpp").write_text(text.replace("run_second(x);",
                                                         "run_second(x); cudaDeviceSynchronize();"))
        self.cucpu("main.cpp", "first.cu", "second_with_a_long_name.cu")
        self.check_program(("first", "second"))

    def test_other_objects_stay_as_they_are(self):
        (self.path / "host.cpp").write_text("int value() { return 3; }")
        (self.path / "main.cu").write_text(
            "int value(); int main() { return cudaFree(0) + value() - 3; }")
        self.cucpu("-c", "host.cpp")
        self.assertNotIn(b".cucpu.traced", (self.path / "host.o").read_bytes())
        self.run_here("ar", "rcs", "libhost.a", "host.o")
        for library in ("host.o", "libhost.a"):
            self.cucpu("main.cu", library)
            self.check_program(())

    def test_warnings_are_given_once(self):
        (self.path / "warned.cu").write_text(
            "#include <string.h>\n#warning here\n__global__ void k(float4* p) { int unused; }\n"
            "int main() { float4 v[2], w[2] = {}; memcpy(v, w, sizeof v); k<<<1, 1>>>(v); }\n")
        for options in (["-c"], []):
            said = self.cucpu("warned.cu", "-Wall", *options)
            self.assertEqual(said.count("unused variable"), 1, said)
            self.assertEqual(said.count("warning: #warning"), 1, said)
        (self.path / "strict.cu").write_text(
            "#include <string.h>\nint main() { float4 v[2] = {}, w[2]; memcpy(w, v, sizeof v); "
            "memset(v, 0, sizeof v); return w[1].x != 0; }\n")
        self.assertEqual(self.cucpu("strict.cu", "-Wall", "-Wextra", "-Werror"), "")

    def test_what_cannot_be_traced_is_compiled_all_the_same(self):
        (self.path / "first.cu").write_text("#ifdef CUCPU_TRACED\n#error no\n#endif\n" + FIRST)
        said = self.cucpu("-c", "first.cu", "second_with_a_long_name.cu")
        self.assertIn("warning: first.o: cannot be traced", said)
        self.cucpu("first.o", "main.cu", "second_with_a_long_name.o")
        self.assertEqual(self.run_here("./a.out"), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
