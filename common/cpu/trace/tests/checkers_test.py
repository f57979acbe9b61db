"""Programs with one fault each under the checkers: what is found, where, and what is said."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from reports import too_wide, unwrapped  # noqa: E402

CUCPU = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parent / "memory_faults.cu"
ENVIRONMENTS = (
    {},
    {"CUCPU_ORDER": "descending"},
    {"CUCPU_ORDER": "random:1"},
    {"CUCPU_THREADS": "1"},
)

# Case: tool, kind, how many times it is found, what the report says.
FAULTS = {
    "read_past_end": ("memcheck", "out_of_bounds", 1, "Invalid __global__ read of size 4 bytes"),
    "write_before_begin": ("memcheck", "out_of_bounds", 2, "and is 8 bytes before the nearest"),
    "write_far_away": ("memcheck", "out_of_bounds", 1, "Invalid __global__ write of size 4 bytes"),
    "write_null": ("memcheck", "out_of_bounds", 1, "Address 0 is out of bounds"),
    "host_pointer": ("memcheck", "out_of_bounds", 1, "is in memory of the host, which kernels do not"),
    "read_partly_outside": ("memcheck", "out_of_bounds", 1, "and is partly outside the nearest"),
    "misaligned_float4": ("memcheck", "misaligned", 1, "is misaligned"),
    "misaligned_double": ("memcheck", "misaligned", 8, "Invalid __global__ write of size 8 bytes"),
    "atomic_past_end": ("memcheck", "out_of_bounds", 3, "Invalid __global__ atomic of size 4"),
    "copy_past_end": ("memcheck", "out_of_bounds", 1, "and is 1 bytes after the nearest"),
    "set_past_end": ("memcheck", "out_of_bounds", 1, "Invalid __global__ write of size 4 bytes"),
    "copied_from_past_end": (
        "memcheck", "out_of_bounds", 1, "Invalid __global__ read of size 4 bytes"),
    "moved_uninitialized": (
        "initcheck", "uninitialized", 3, "Uninitialized __global__ memory read of size 4 bytes"),
    "use_after_free": ("memcheck", "use_after_free", 64, "that has been freed"),
    "heap_read_after_free": (
        "memcheck", "use_after_free", 5, "on the device heap that has been freed"),
    "heap_freed_twice": ("memcheck", "use_after_free", 6, "Device-side double free"),
    "heap_deleted_twice": ("memcheck", "use_after_free", 1, "Device-side double free"),
    "heap_frees_global": (
        "memcheck", "out_of_bounds", 1, "Invalid pointer to device-side free"),
    "heap_frees_inside": (
        "memcheck", "out_of_bounds", 1, "Invalid pointer to device-side free"),
    "freed_twice": ("memcheck", "use_after_free", 1, "on CUDA API call to cudaFree"),
    "host_reads": (
        "memcheck", "out_of_bounds", 3, "Invalid host read of device memory of size 4 bytes"),
    "host_writes": (
        "memcheck", "out_of_bounds", 1, "Invalid host write of device memory of size 4 bytes"),
    "static_shared_past_end": (
        "memcheck", "out_of_bounds", 1, "Invalid __shared__ read of size 4 bytes"),
    "static_shared_too_small": (
        "memcheck", "out_of_bounds", 56, "Invalid __shared__ write of size 4 bytes"),
    "dynamic_shared_past_end": (
        "memcheck", "out_of_bounds", 1, "Invalid __shared__ write of size 4 bytes"),
    "local_past_end": ("memcheck", "out_of_bounds", 1, "Index 4 is out of bounds of 'float [4]'"),
    "device_past_end": (
        "memcheck", "out_of_bounds", 4, "Invalid __global__ read of size 4 bytes"),
    "device_before_begin": (
        "memcheck", "out_of_bounds", 1, "Index -2 is out of bounds of 'float [8]'"),
    "device_past_row": (
        "memcheck", "out_of_bounds", 4, "Invalid __global__ read of size 4 bytes"),
    "device_member_past_end": (
        "memcheck", "out_of_bounds", 4, "Invalid __global__ read of size 4 bytes"),
    "constant_past_end": (
        "memcheck", "out_of_bounds", 4, "Invalid __global__ read of size 4 bytes"),
    "uninitialized_global": (
        "initcheck", "uninitialized", 64, "Uninitialized __global__ memory read of size 4 bytes"),
    "uninitialized_tail": ("initcheck", "uninitialized", 4, "by thread (60,0,0) in block (0,0,0)"),
    "uninitialized_accumulator": ("initcheck", "uninitialized", 1, "Uninitialized __global__"),
    "uninitialized_static_shared": (
        "initcheck", "uninitialized", 1, "by thread (7,0,0) in block (0,0,0)"),
    "uninitialized_dynamic_shared": (
        "initcheck", "uninitialized", 64, "Uninitialized __shared__ memory read of size 4 bytes"),
    "left_by_last_block": ("initcheck", "uninitialized", 64, "in block (1,0,0)"),
    "copied_from_the_unwritten": (
        "initcheck", "uninitialized", 2, "on access by cudaMemcpyAsync source"),
    "rows_copied_from_the_unwritten": (
        "initcheck", "uninitialized", 1, "Uninitialized access to"),
    "half_written": ("initcheck", "uninitialized", 8, "Uninitialized __global__"),
    "two_barriers": ("synccheck", "barrier_divergence", 1, "Divergent thread(s) in block"),
    "barrier_in_branch": (
        "synccheck", "barrier_divergence", 1, "by thread (40,0,0) in block (0,0,0)"),
    "barrier_in_loop": ("synccheck", "barrier_divergence", 2, "by thread (0,0,0) in block"),
    "shuffle_in_branch": ("synccheck", "invalid_mask", 2, "by thread (16,0,0) in block"),
    "vote_in_branch": ("synccheck", "invalid_mask", 2, "past this __any_sync of lanes 0-15"),
    "match_in_branch": ("synccheck", "invalid_mask", 2, "past this __match_any_sync"),
    "reduction_in_branch": ("synccheck", "invalid_mask", 2, "past this __reduce_max_sync"),
    "syncwarp_in_branch": ("synccheck", "invalid_mask", 2, "Divergent thread(s) in warp"),
    "tile_in_branch": ("synccheck", "invalid_mask", 2, "with mask 0xffffffff, which names it"),
    "first_shuffle_in_branch": (
        "synccheck", "invalid_mask", 1, "which names it, to the next one"),
    "out_of_step_at_barrier": (
        "synccheck", "deadlock", 1,
        "warp 1, before that: lanes 0-7 at __shfl_down_sync in"),
    "vote_meets_shuffle": (
        "synccheck", "deadlock", 1,
        "lanes 0-7: __shfl_down_sync with mask 0xffffffff waits for lanes 8-31"),
    "outside_mask": ("synccheck", "invalid_mask", 1, "is not in its own mask 0x0000ffff"),
    "overlapping_masks": (
        "synccheck", "deadlock", 1,
        "lanes 0-15: __syncwarp with mask 0x0001ffff waits for lane 16"),
    "takes_from_exited": ("synccheck", "invalid_mask", 16, "reads from lane 20, which has exited"),
    "takes_from_outside_mask": (
        "synccheck", "invalid_mask", 1, "reads from lane 16, which is not in the mask 0x0000ffff"),
    "takes_from_beyond_block": (
        "synccheck", "invalid_mask", 1, "which the block does not have"),
    "takes_from_no_rank": ("synccheck", "invalid_mask", 12, "a rank that its group does not have"),
    "lane_is_missing": ("synccheck", "deadlock", 1, "waits for lane 5"),
}
# Cases that look like one of these and are right.
RIGHT = ("heap_used_right", "unaligned_copy", "flat_index", "copied_from_the_written",
         "set_and_copied", "copied_before_wait", "uses_tables", "shuffles", "exits_early",
         "writes_and_exits", "exits_from_loop", "lanes_return_early", "lanes_return_from_loop",
         "masks_of_branches",
         "both_branches", "part_of_a_warp", "sums_of_eight", "host_uses_managed", "virtual_in_shared")


def lines_of(case):
    """The lines whose comment names the case."""
    comment = re.compile(rf"// .*\b{case}\b")
    lines = SOURCE.read_text().splitlines()
    return [i for i, line in enumerate(lines, 1) if comment.search(line)]


class Checkers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([CUCPU, SOURCE, "-o", cls.path / "faults"], check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, case, tools, *, may_fail=True, **environment):
        """The exit code, what is said, and the findings of a case under the tools."""
        output = self.path / "findings.jsonl"
        ran = subprocess.run(
            [self.path / "faults", case], capture_output=True, text=True, timeout=60,
            env={**os.environ, "CUCPU_TOOLS": tools, "CUCPU_JSON": str(output), **environment})
        if not may_fail:
            self.assertEqual(ran.stdout, "cudaSuccess\n", ran.stderr)
        findings = [json.loads(line) for line in output.read_text().splitlines()]
        for finding in findings:
            self.assertEqual(finding.pop("type"), "finding")
        self.assertEqual(too_wide(ran.stderr), [])
        return ran.returncode, unwrapped(ran.stderr), findings

    def test_faults_are_found(self):
        for case, (tool, kind, count, says) in FAULTS.items():
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.check(case, "memcheck,initcheck,synccheck",
                                                      **environment)
                    self.assertEqual(code, 1, said)
                    self.assertIn(says, said)
                    errors = f"ERROR SUMMARY: {count} error{'s' if count > 1 else ''}\n"
                    self.assertTrue(said.endswith(errors), said)
                    [finding] = findings
                    self.assertEqual((finding["tool"], finding["kind"], finding["count"]),
                                     (tool, kind, count))
                    lines = lines_of(case)
                    self.assertEqual(pathlib.Path(finding["file"]).name, SOURCE.name)
                    self.assertIn(finding["line"], lines)
                    self.assertIn(finding.get("other_line", lines[0]), lines)
                    self.assertIn(f"{SOURCE.name}:{finding['line']}", said)

    def test_leaks_are_errors_on_request(self):
        for tools, code, severity in (("memcheck", 0, "warning"), ("all", 0, "warning"),
                                      ("leakcheck", 1, "finding")):
            with self.subTest(tools=tools):
                output = self.path / "leak.jsonl"
                ran = subprocess.run(
                    [self.path / "faults", "never_freed"], capture_output=True, text=True,
                    timeout=60,
                    env={**os.environ, "CUCPU_TOOLS": tools, "CUCPU_JSON": str(output)})
                self.assertEqual(ran.returncode, code, ran.stderr)
                self.assertIn("LEAK SUMMARY: 100 bytes leaked in 1 allocation", ran.stderr)
                [leak] = [entry for entry in map(json.loads, output.read_text().splitlines())
                          if entry.get("kind") == "leak"]
                self.assertEqual((leak["tool"], leak["type"]), ("memcheck", severity))

    def test_each_tool_finds_its_own_faults_only(self):
        for case, (tool, *_) in FAULTS.items():
            others = {"memcheck", "initcheck", "synccheck", "racecheck"} - {tool}
            with self.subTest(case=case):
                self.assertEqual(self.check(case, tool)[0], 1)
                self.assertEqual(self.check(case, ",".join(others))[::2], (0, []))

    def test_right_programs(self):
        for case in RIGHT:
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.check(
                        case, "memcheck,initcheck,synccheck,racecheck", may_fail=False,
                        **environment)
                    self.assertEqual((code, findings), (0, []), said)
                    self.assertTrue(said.endswith("ERROR SUMMARY: 0 errors\n"), said)

    def test_a_line_is_named_for_every_case(self):
        for case in FAULTS:
            self.assertTrue(lines_of(case), case)


# Programs with a single __shared__ variable, which is too small. A GPU reports no error.
TOO_SMALL = {
    "in a kernel": ("", "__shared__ float few[8];"),
    "outside functions": ("__shared__ float few[8];", ""),
    "in a function": ("__device__ float* its() { __shared__ float few[8]; return few; }",
                      "float* const few = its();"),
}
TOO_SMALL_PROGRAM = """#include <cstdio>
{before}
__global__ void fill(int* sum) {{
  {inside}
  few[threadIdx.x] = 1.0f;
  __syncthreads();
  atomicAdd(sum, static_cast<int>(few[threadIdx.x % 8]));
}}
int main() {{
  int* sum;
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  fill<<<4, 256>>>(sum);
  const char* const error = cudaGetErrorName(cudaDeviceSynchronize());
  std::printf("%s %d\\n", error, *sum);
  cudaFree(sum);
}}
"""


class TooSmall(unittest.TestCase):
    """A write past the end of a __shared__ variable is reported, and harms nothing else."""

    def test_written_past_the_end(self):
        for place, (before, inside) in TOO_SMALL.items():
            with self.subTest(place), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "few.cu").write_text(
                    TOO_SMALL_PROGRAM.format(before=before, inside=inside))
                subprocess.run([CUCPU, "few.cu", "-o", "few"], cwd=folder, check=True, timeout=120)
                ran = subprocess.run([folder / "few"], capture_output=True, text=True, timeout=60)
                self.assertEqual((ran.returncode, ran.stdout), (0, "cudaSuccess 1024\n"), ran)
                watched = subprocess.run(
                    [folder / "few"], capture_output=True, text=True, timeout=60,
                    env={**os.environ, "CUCPU_TOOLS": "memcheck"})
                self.assertEqual(watched.returncode, 1, watched)
                self.assertIn("Invalid __shared__ write of size 4 bytes", watched.stderr)
                self.assertIn(f"ERROR SUMMARY: {4 * 248} errors\n", watched.stderr)


# The program's argument, and the line of the finding. The checker knows it from the instruction,
# from the place where a thread waits, or from the compiler's check of an index.
PLACES = {"read": 1, "wait": 4, "index": 7}
PLACES_PROGRAM = """__global__ void read(const int* x, int* y) { *y = x[1]; }
__global__ void wait(int* y) {
  if (threadIdx.x == 0) __syncthreads();
  __syncthreads();
}
__global__ void index(int* y, int i) {
  int local[2] = {}; local[i] = 1; *y = local[0];
}
int main(int, char** arguments) {
  int* x;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  if (arguments[1][0] == 'r') read<<<1, 1>>>(x, x);
  if (arguments[1][0] == 'w') wait<<<1, 64>>>(x);
  if (arguments[1][0] == 'i') index<<<1, 1>>>(x, 2);
  cudaDeviceSynchronize();
  cudaFree(x);
}
"""


class Paths(unittest.TestCase):
    """Files go by one name, seen from where the program runs, however the checker got to know it."""

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as name:
            top = pathlib.Path(name).resolve()
            for folder in ("source", "build/programs"):
                (top / folder).mkdir(parents=True)
            source = top / "source/places.cu"
            source.write_text(PLACES_PROGRAM)
            subprocess.run([CUCPU, "../source/places.cu", "-o", "programs/places"],
                           cwd=top / "build", check=True, timeout=120)
            for folder, file in ((top, "source/places.cu"), (top / "source", "places.cu"),
                                 (top / "build", str(source))):
                for what, line in PLACES.items():
                    with self.subTest(folder=folder, what=what):
                        self.check(top, folder, what, file, line)

    def check(self, top, folder, what, file, line):
        output = top / "findings.jsonl"
        ran = subprocess.run(
            [top / "build/programs/places", what], cwd=folder, capture_output=True, text=True,
            timeout=60, env={**os.environ, "CUCPU_JSON": str(output), "CUCPU_TOOLS": "all"})
        found = [json.loads(text) for text in output.read_text().splitlines()]
        self.assertEqual({(f["file"], f["line"]) for f in found if f["type"] == "finding"},
                         {(file, line)}, ran.stderr)
        self.assertIn(f" in {file}:{line}\n", unwrapped(ran.stderr))
        self.assertEqual({counted["file"] for launch in found if launch["type"] == "launch"
                          for counted in launch["lines"]} | {file}, {file})


SAME_TEMPLATES_PROGRAM = """#include <string>
__global__ void write(int* x) { x[1] = 1; }
int main(int, char** arguments) {
  std::string text = std::string(arguments[0]) + ": " + std::string(arguments[0]);
  text.append(arguments[0]);
  text = "x" + text;
  int* x;
  cudaMalloc(&x, text.empty() ? 8 : 4);
  write<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
"""


class SameTemplates(unittest.TestCase):
    def test_program_has_templates_that_the_checkers_use(self):
        """Its copies report accesses, and must not stand for the checkers' own."""
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name, "same_templates")
            source = program.with_suffix(".cu")
            source.write_text(SAME_TEMPLATES_PROGRAM)
            subprocess.run([CUCPU, source, "-o", program], check=True, timeout=120)
            ran = subprocess.run([program], capture_output=True, text=True, timeout=60,
                                 errors="replace",
                                 env={**os.environ, "CUCPU_TOOLS": "memcheck"})
            self.assertEqual(ran.returncode, 1, ran)
            self.assertIn("Invalid __global__ write of size 4 bytes", ran.stderr)
            self.assertIn("ERROR SUMMARY: 1 error\n", ran.stderr)


API_PROGRAM = """__device__ int table[4];
__global__ void nothing() {}
__global__ void spin(volatile int* flag) { while (*flag == 0) {} }
__global__ void write(int* x) { x[1] = 1; }
int main() {
  int host = 0, *x = nullptr, *flag = nullptr;
  cudaMalloc(&x, 4);
  cudaMemset(&host, 0, 4);
  for (int i = 0; i < 3; ++i) cudaMemcpy(x, &host, 8, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(table, &host, 4, 16);
  nothing<<<1, 2048>>>();
  cudaGetLastError();
  cudaLaunchKernel(nothing, dim3(0), dim3(1), nullptr);
  cudaEvent_t event, never;
  cudaEventCreate(&event);
  cudaEventCreate(&never);
  float ms = 0;
  cudaEventElapsedTime(&ms, event, never);
  cudaMallocHost(&flag, 4);
  *flag = 0;
  spin<<<1, 1>>>(flag);
  cudaEventRecord(event);
  cudaEventQuery(event);  // cudaErrorNotReady is an answer
  *static_cast<volatile int*>(flag) = 1;
  cudaFreeHost(flag);
  cudaFree(&host);  // reported as a bad free
  cudaFree(x);
}
"""
# (line, function, error, kernel, how often)
API_ERRORS = {
    (8, "cudaMemset", "cudaErrorInvalidValue", "", 1),
    (9, "cudaMemcpy", "cudaErrorInvalidValue", "", 3),
    (10, "cudaMemcpyToSymbol", "cudaErrorInvalidValue", "", 1),
    (11, "cudaLaunchKernel", "cudaErrorInvalidConfiguration", "nothing", 1),
    (13, "cudaLaunchKernel", "cudaErrorInvalidConfiguration", "nothing", 1),
    (18, "cudaEventElapsedTime", "cudaErrorInvalidResourceHandle", "", 1),
}


STOPS_PROGRAM = """#include <cassert>
__global__ void asserts(int n) { assert(n != 0); }
__global__ void traps() { __trap(); }
int main(int arguments, char**) {
  if (arguments > 1)
    asserts<<<1, 1>>>(0);
  else
    traps<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaDeviceSynchronize();
}
"""


class ApiErrors(unittest.TestCase):
    def run_program(self, text, *arguments):
        """How it ended under memcheck, and the findings."""
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name, "api")
            program.with_suffix(".cu").write_text(text)
            subprocess.run([CUCPU, "api.cu", "-o", "api"], cwd=name, check=True, timeout=120)
            output = pathlib.Path(name, "findings.jsonl")
            ran = subprocess.run([program, *arguments], cwd=name, capture_output=True, text=True,
                                 timeout=60, env={**os.environ, "CUCPU_JSON": str(output),
                                                  "CUCPU_TOOLS": "memcheck"})
            findings = [json.loads(line) for line in output.read_text().splitlines()]
        self.assertEqual(ran.returncode, 1, ran)
        return ran, findings

    def test_kernels_that_stop_themselves(self):
        for arguments, error, number, meaning in (
                ((), "cudaErrorLaunchFailure", 719, "unspecified launch failure"),
                (("assert",), "cudaErrorAssert", 710, "device-side assert triggered")):
            with self.subTest(error=error):
                ran, findings = self.run_program(STOPS_PROGRAM, *arguments)
                self.assertEqual([(f["line"], f["call"], f["error"]) for f in findings],
                                 [(9, "cudaDeviceSynchronize", error)], ran.stderr)
                self.assertIn(f'Program hit {error} (error {number}) due to "{meaning}" on CUDA API '
                              "call to cudaDeviceSynchronize.\n", unwrapped(ran.stderr))
                self.assertIn("ERROR SUMMARY: 1 error\n", ran.stderr)

    def test_functions_of_the_api_that_fail(self):
        ran, findings = self.run_program(API_PROGRAM)
        self.assertEqual({(f["line"], f["call"], f["error"], f["kernel"], f["count"])
                          for f in findings if f["kind"] == "api_error"}, API_ERRORS, ran.stderr)
        self.assertEqual(len(findings), len(API_ERRORS) + 1, findings)
        said = unwrapped(ran.stderr)
        self.assertIn('Program hit cudaErrorInvalidConfiguration (error 9) due to "invalid '
                      'configuration argument" on CUDA API call to cudaLaunchKernel.\n'
                      "=========     for a launch of nothing\n=========     at api.cu:11\n", said)
        self.assertIn("ERROR SUMMARY: 9 errors\n", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
