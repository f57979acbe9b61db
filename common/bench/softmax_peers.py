#!/usr/bin/env python3
"""Our softmax beside those of PyTorch, torch.compile and Triton, all in one process.

    softmax_peers.py LIBRARY [--runs N] [--shape ROWSxCOLS]... [--record FILE]

For `bench --peers FILE`, on the same machine. LIBRARY is build-cuda/libsoftmax.so. At a few
microseconds, times of two processes can be compared to no better than 2 %: where the memory lies
and which stream it is make as much of a difference. So all of them have the same inputs here, and
take turns. fp32, random inputs, every result checked against fp64; CUDA events, warm-up, a cold L2
cache, the median of 100 launches. torch.compile counts with the faster of two modes, a Triton kernel
with the fastest size of its blocks; the fastest of all others is the baseline of ours.

Prints a table, and writes JSON lines with the bench's fields. If a result is wrong or the clock
fell, nothing is recorded for that shape, and the exit code is 1. It is 77 where there
is no PyTorch, no Triton or no GPU.
"""

import argparse
import ctypes
import datetime
import json
import pathlib
import statistics
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import commit  # noqa: E402
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "steps"))
import ladder  # noqa: E402

NO_DEVICE = 77
STEP = "06_softmax_warp"
# The sizes at which the manifest has goals beside peers.
SHAPES = ["x".join(map(str, goal.size)) for goal in ladder.read().goals
          if (goal.step, goal.against) == (STEP, "peers")]
TURNS, REPEATS = 10, 10  # and launches in each; together as many as in the bench's plan
# Of the L2 cache's size. Four times would empty it; more keeps the GPU busy until Python has come
# from the first event to the launch.
FLUSH = 16
TOLERANCE = 0.97  # of the highest clock
EPS = 2.0**-24


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(NO_DEVICE)


try:
    import torch
    import triton
except ImportError as error:
    skip(f"{error.name} is not installed")


class Clock:
    """The clock of the SMs in MHz, as the driver's management library tells it."""

    MULTIPROCESSORS = 1  # NVML_CLOCK_SM

    def __init__(self):
        self.device = None
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        properties = torch.cuda.get_device_properties(0)
        bus = (f"{properties.pci_domain_id:08x}:{properties.pci_bus_id:02x}:"
               f"{properties.pci_device_id:02x}.0").encode()
        device = ctypes.c_void_p()
        if self.library.nvmlInit_v2() == 0 and self.library.nvmlDeviceGetHandleByPciBusId_v2(
                bus, ctypes.byref(device)) == 0:
            self.device = device

    def mhz(self):
        """None where it is not told."""
        value = ctypes.c_uint()
        if self.device and self.library.nvmlDeviceGetClockInfo(
                self.device, self.MULTIPROCESSORS, ctypes.byref(value)) == 0:
            return value.value
        return None


class OurSoftmax:
    """Step 06's softmax as a function of a tensor."""

    def __init__(self, path):
        self.launch = ctypes.CDLL(str(path.resolve())).softmax_rows
        self.launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t,
                                ctypes.c_void_p]

    def __call__(self, x):
        y = torch.empty_like(x)
        error = self.launch(x.data_ptr(), y.data_ptr(), *x.shape,
                            torch.cuda.current_stream().cuda_stream)
        if error:
            raise RuntimeError(f"softmax_rows: error {error}")
        return y


class Bench:
    def __init__(self):
        self.clock = Clock()
        properties = torch.cuda.get_device_properties(0)
        self.device = properties.name
        self.scratch = torch.empty(FLUSH * properties.L2_cache_size, dtype=torch.int8,
                                   device="cuda")
        self.driver = ctypes.CDLL("libcuda.so.1")

    def flush(self):
        """As the bench: what is launched behind a kernel of PyTorch's takes 0.1 to 0.2 us less."""
        stream = torch.cuda.current_stream().cuda_stream
        error = self.driver.cuMemsetD8Async(ctypes.c_uint64(self.scratch.data_ptr()),
                                            ctypes.c_ubyte(0),
                                            ctypes.c_size_t(self.scratch.numel()),
                                            ctypes.c_void_p(stream))
        if error:
            raise RuntimeError(f"cuMemsetD8Async: error {error}")

    def launches(self, function, x, repeats):
        """(milliseconds, clock in MHz or None) of each launch."""
        result = []
        for _ in range(repeats):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.flush()
            start.record()
            function(x)
            stop.record()
            mhz = self.clock.mhz()
            stop.synchronize()
            result.append((start.elapsed_time(stop), mhz))
        return result

    def measure(self, functions, x):
        """A result for each of [(name, function)], which take turns."""
        launches = {name: [] for name, _ in functions}
        for _ in range(TURNS):
            for name, function in functions:
                function(x)  # warms it up
                launches[name] += self.launches(function, x, REPEATS)
        return [self.result(name, function, x, launches[name]) for name, function in functions]

    def result(self, name, function, x, launches):
        rows, cols = x.shape
        times = [ms for ms, _ in launches]
        clocks = [mhz for _, mhz in launches if mhz]
        median = statistics.median(times)
        error, bound = worst_error(function(x), x)
        result = {
            "step": STEP, "variant": name, "backend": "cuda", "device": self.device,
            "shape": {"rows": rows, "cols": cols}, "status": "pass" if error <= bound else "fail",
            "median_ms": median, "min_ms": min(times), "max_ms": max(times), "repeats": len(times),
            "bytes": 8 * rows * cols, "gb_per_s": 8e-6 * rows * cols / median,
            "max_error": error, "error_bound": bound,
        }
        if clocks:
            result["sm_clock_mhz"] = min(clocks)
            if min(clocks) < TOLERANCE * max(clocks):
                result["measuring_error"] = (f"measuring error: the clock fell from "
                                             f"{max(clocks)} to {min(clocks)} MHz")
        return result

    def fastest(self, launches, x):
        """The fastest of functions that do the same, by a few launches of each."""
        for function in launches:
            function(x)  # compiles it
        return min(launches, key=lambda launch: statistics.median(
            ms for ms, _ in self.launches(launch, x, 5)))


def worst_error(y, x):
    """Error and bound of the element whose error is the largest part of its bound."""
    expected = torch.softmax(x.double(), dim=-1)
    # An exponent's rounding is its size times eps; the sum adds some more.
    span = x.double().amax(-1, keepdim=True) - x.double()
    bound = EPS * (span + 32) * expected + 2.0**-149
    error = (y.double() - expected).abs()
    worst = (error / bound).argmax()  # a NaN is the largest
    error, bound = error.flatten()[worst].item(), bound.flatten()[worst].item()
    return (error if error == error else float("inf")), bound


def softmax(x):
    return torch.softmax(x, dim=-1)


def compiled(mode, x):
    """Softmax by torch.compile, for matrices of this shape."""
    # Under a name of its own: what is compiled belongs to the code of a function, and would be
    # looked through for the right shape at each call.
    name = f"softmax_{mode.replace('-', '_')}_{x.shape[0]}_{x.shape[1]}"
    function = types.FunctionType(softmax.__code__.replace(co_name=name), globals(), name)
    return torch.compile(function, dynamic=False, mode=mode)


def peers(bench, x):
    """[(name, function)]"""
    import softmax_triton

    modes = [compiled(mode, x) for mode in ("default", "max-autotune-no-cudagraphs")]
    return [("PyTorch", softmax), ("torch.compile", bench.fastest(modes, x)),
            ("Triton", bench.fastest(softmax_triton.launches(*x.shape), x))]


def compare(ours, others):
    """Makes the fastest of the others the baseline of ours."""
    fastest = min(others, key=lambda peer: peer["median_ms"])
    ours["baseline"], ours["baseline_ms"] = fastest["variant"], fastest["median_ms"]
    ours["percent_of_baseline"] = 100 * fastest["median_ms"] / ours["median_ms"]


def fault(result):
    """Why it is not recorded; empty if it may be."""
    return "wrong" if result["status"] != "pass" else result.get("measuring_error", "")


def circumstances():
    driver = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(driver))
    result = {"driver": f"{driver.value // 1000}.{driver.value % 1000 // 10}",
              "toolkit": torch.version.cuda, "torch": torch.__version__,
              "triton": triton.__version__,
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}
    if commit.commit():
        result["commit"] = commit.commit()
    return result


def shape_of(text):
    rows, cols = text.split("x")
    return int(rows), int(cols)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("softmax", type=pathlib.Path, metavar="LIBRARY")
    parser.add_argument("--runs", type=int, default=1, metavar="N")
    parser.add_argument("--shape", action="append", type=shape_of, metavar="ROWSxCOLS")
    parser.add_argument("--record", metavar="FILE")
    options = parser.parse_args()
    if not options.softmax.is_file():
        parser.error(f"{options.softmax}: no such file")
    return options


def main():
    options = arguments()
    if not torch.cuda.is_available():
        skip("no CUDA device was found")
    bench, about = Bench(), circumstances()
    ours = ("softmax", OurSoftmax(options.softmax))
    record = open(options.record, "w", encoding="utf-8") if options.record else None
    all_right = True
    print(f"{'softmax':<16} {'by':<14} {'status':<7} {'median ms':>9} {'GB/s':>6}")
    functions = {}
    for run in range(1, options.runs + 1):
        for rows, cols in options.shape or map(shape_of, SHAPES):
            torch.manual_seed(run)
            x = torch.randn(rows, cols, device="cuda")
            if (rows, cols) not in functions:
                functions[rows, cols] = [ours, *peers(bench, x)]
            results = bench.measure(functions[rows, cols], x)
            compare(results[0], results[1:])
            for result in results:
                print(f"{f'{rows}x{cols}':<16} {result['variant']:<14} {result['status']:<7} "
                      f"{result['median_ms']:9.4f} {result['gb_per_s']:6.0f}", flush=True)
            faults = [said for said in map(fault, results) if said]
            for said in faults:
                print(f"    not recorded: {said}")
                all_right = False
            if record and not faults:
                for result in results:
                    record.write(json.dumps({**result, "run": run, **about}) + "\n")
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
