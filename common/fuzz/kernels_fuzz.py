"""Random kernels, each generated together with a reference for the host.

A kernel has branches, loops, shared memory and atomics, many have shuffles and votes, and none has a race. The reference
runs the same statements one at a time, each for all threads of a block that take part in it. A
program of several kernels is run in three orders of its threads, without tools and with all of
them, which have nothing to report.
"""

import os
import pathlib
import random
import tempfile

KERNELS = 10  # of a program: most of its time is that of the compiler
VARIABLES = 4
ORDERS = ("ascending", "descending", "random:7")

HEAD = """#include <cstdio>
#include <functional>
#include <vector>

using Mask = std::vector<bool>;
using Values = std::vector<unsigned>;

static Mask where(const Mask& mask, const std::function<bool(unsigned)>& condition) {
  Mask result(mask.size());
  for (unsigned t = 0; t < mask.size(); ++t) result[t] = mask[t] && condition(t);
  return result;
}
static Mask without(const Mask& mask, const Mask& taken) {
  return where(mask, [&](unsigned t) { return !taken[t]; });
}
static bool any(const Mask& mask) {
  for (const bool one : mask) if (one) return true;
  return false;
}
static void each(const Mask& mask, const std::function<void(unsigned)>& statement) {
  for (unsigned t = 0; t < mask.size(); ++t) if (mask[t]) statement(t);
}
// The lanes of a thread's warp that are in the mask.
static unsigned lanes(const Mask& mask, unsigned t) {
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (t / 32 * 32 + lane < mask.size() && mask[t / 32 * 32 + lane]) bits |= 1u << lane;
  return bits;
}
static bool check(const char* name, const Values& got, const Values& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (got[i] != wanted[i]) {
      std::printf("%s: element %zu is %u, not %u\\n", name, i, got[i], wanted[i]);
      return false;
    }
  return true;
}
"""


class Kernel:
    """One kernel's text and its reference's."""

    def __init__(self, chance, number):
        self.chance, self.name = chance, f"kernel{number}"
        self.threads = chance.choice([1, 7, 32, 33, 64, 90, 128])
        # Threads that meet at barriers alone may be run by plain loops.
        self.has_exchanges = chance.random() < 0.5
        self.blocks = chance.choice([1, 2, 5])
        self.device, self.host, self.names = [], [], 0
        self.statements("active", "mask", 2, chance.randrange(4, 9), True)

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def say(self, device, host):
        self.device.append(device)
        self.host.append(host)

    def expression(self, depth=2):
        """As device code; `of_thread` makes the reference's of it."""
        chance = self.chance
        if depth == 0 or chance.random() < 0.3:
            return chance.choice([f"@{chance.randrange(VARIABLES)}", "thread", "block",
                                  f"{chance.choice([0, 1, 2, 3, 31, 32, 0xffffffff, 77777])}u"])
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        match chance.randrange(8):
            case 0:
                return f"({left} >> ({right} & 31u))"
            case 1:
                return f"({left} << ({right} & 31u))"
            case 2:
                return f"({left} / ({right} | 1u))"
            case 3:
                return f"({left} < {right} ? {left} : {right})"
            case _:
                return f"({left} {chance.choice('+-*^&|')} {right})"

    def condition(self):
        return f"({self.expression()} % 3u {self.chance.choice(['==', '!=', '<'])} " \
               f"{self.chance.randrange(3)}u)"

    def statements(self, active, mask, depth, count, uniform):
        """`active` is the device's name of the lanes that take part, `mask` the reference's of the
        threads; `uniform`: all threads of the block do."""
        for _ in range(count):
            kinds = [self.assign, self.assign, self.add]
            if self.has_exchanges:
                kinds += [self.shuffle, self.vote]
            if uniform:
                kinds += [self.share, self.share]
            if depth:
                kinds += [self.branch, self.branch, self.loop]
            kind = self.chance.choice(kinds)
            if kind in (self.branch, self.loop):
                kind(active, mask, depth, uniform)
            else:
                kind(active, mask)

    def assign(self, active, mask):
        into, value = f"@{self.chance.randrange(VARIABLES)}", self.expression(3)
        self.say(on_device(f"{into} = {value};"),
                 f"each({mask}, [&](unsigned thread) {{ {on_host(f'{into} = {value};')} }});")

    def exchanged(self, active, mask, into, on_gpu, on_cpu, value):
        """An exchange of `value` between the lanes: both see what it was before."""
        old = self.fresh("old")
        self.say(on_device(f"{{ const unsigned {old} = {value}; {into} = {on_gpu(old)}; }}"),
                 f"{{ Values {old}(mask.size()); each({mask}, [&](unsigned thread) {{ "
                 f"{old}[thread] = {on_host(value)}; }}); each({mask}, [&](unsigned thread) {{ "
                 f"const unsigned active_lanes = lanes({mask}, thread), lane = thread % 32; "
                 f"{on_host(into)} = {on_cpu(old)}; }}); }}")

    def shuffle(self, active, mask):
        distance = self.chance.choice([1, 2, 4, 8, 16, 3, 31])
        into, value = f"@{self.chance.randrange(VARIABLES)}", self.expression()
        way = self.chance.randrange(3)
        # A lane that takes no part has nothing to give; then one's own.
        peer = [f"(lane ^ {distance}u)", f"((lane + {distance}u) & 31u)", "(lane / 4 * 4)"][way]
        own = "({0} >> " + peer + " & 1u ? " + peer + " : lane)"
        self.exchanged(active, mask, into,
                       lambda old: f"__shfl_sync({active}, {old}, {own.format(active)})",
                       lambda old: f"{old}[thread / 32 * 32 + {own.format('active_lanes')}]", value)

    def vote(self, active, mask):
        into, value = f"@{self.chance.randrange(VARIABLES)}", self.condition()
        lanes_of = "lanes(where({0}, [&](unsigned t) {{ return {1}[t] != 0; }}), thread)"
        kind = self.chance.choice(["ballot", "any", "all"])

        def on_cpu(old):
            ballot = lanes_of.format(mask, old)
            return {"ballot": ballot, "any": f"({ballot} != 0)",
                    "all": f"({ballot} == active_lanes)"}[kind]
        self.exchanged(active, mask, into, lambda old: f"(unsigned)__{kind}_sync({active}, {old})"
                       if kind == "ballot" else f"(unsigned)(__{kind}_sync({active}, {old}) != 0)",
                       on_cpu, value)

    def add(self, active, mask):
        value = self.expression()
        self.say(on_device(f"atomicAdd(&sums[block], {value});"),
                 f"each({mask}, [&](unsigned thread) {{ sums[block] += {on_host(value)}; }});")

    def share(self, active, mask):
        """Each writes its own element, and reads another's."""
        into, value = f"@{self.chance.randrange(VARIABLES)}", self.expression()
        other = f"((thread * {self.chance.choice([1, 3, 5])}u + {self.chance.randrange(200)}u) % " \
                f"{self.threads}u)"
        self.say(on_device(f"shared[thread] = {value}; __syncthreads(); {into} = shared[{other}]; "
                           "__syncthreads();"),
                 f"each({mask}, [&](unsigned thread) {{ shared[thread] = {on_host(value)}; }}); "
                 f"each({mask}, [&](unsigned thread) {{ {on_host(into)} = shared[{other}]; }});")

    def branch(self, active, mask, depth, _):
        condition, taken, lanes = self.condition(), self.fresh("taken"), self.fresh("lanes")
        holds = self.fresh("holds")
        others = self.fresh("others")
        lanes_of = (f"const unsigned {lanes} = __ballot_sync({active}, {holds}), {others} = "
                    f"{active} & ~{lanes};\n  (void){others};\n  " if self.has_exchanges else "")
        self.say(on_device(f"const bool {holds} = {condition}; {lanes_of}if ({holds}) {{"),
                 f"const Mask {taken} = where({mask}, [&](unsigned thread) {{ return "
                 f"{on_host(condition)}; }}), not_{taken} = without({mask}, {taken}); {{")
        self.statements(lanes, taken, depth - 1, self.chance.randrange(1, 4), False)
        self.say("} else {", "} {")
        self.statements(others, f"not_{taken}", depth - 1, self.chance.randrange(3), False)
        self.say("}", "}")

    def loop(self, active, mask, depth, uniform):
        """All threads as often, or each on its own."""
        together = uniform and self.chance.random() < 0.5
        times = f"{self.chance.randrange(1, 4)}u" if together else f"({self.expression()} & 3u)"
        count, limit, lanes, taken = map(self.fresh, ("count", "limit", "lanes", "taken"))
        head = (f"unsigned {lanes} = {active};\n  for (unsigned {count} = 0;; ++{count}) {{\n"
                f"  {lanes} = __ballot_sync({lanes}, {count} < {limit});\n"
                f"  if ({count} >= {limit}) break;" if self.has_exchanges else
                f"for (unsigned {count} = 0; {count} < {limit}; ++{count}) {{")
        self.say(on_device(f"const unsigned {limit} = {times}; {head}"),
                 f"Values {limit}(mask.size()); each({mask}, [&](unsigned thread) {{ "
                 f"{limit}[thread] = {on_host(times)}; }}); Mask {taken} = {mask}; for (unsigned {count} = 0;; "
                 f"++{count}) {{ {taken} = where({taken}, [&](unsigned thread) {{ return {count} < "
                 f"{limit}[thread]; }}); if (!any({taken})) break;")
        self.statements(lanes, taken, depth - 1, self.chance.randrange(1, 4), together)
        self.say("}", "}")

    def text(self):
        every = ", ".join(f"v{i}" for i in range(VARIABLES))
        total = self.blocks * self.threads
        start = "\n  ".join(f"{{0}}v{i}{{1}} = thread * {2 * i + 3}u + block * {i + 5}u;"
                            for i in range(VARIABLES))
        result = " ^ ".join(f"v{i}{{0}} * {i + 1}u" for i in range(VARIABLES))
        values = "\n  ".join(f"Values v{i}(mask.size());" for i in range(VARIABLES))
        return f"""
__global__ void {self.name}(unsigned* out, unsigned* sums) {{
  __shared__ unsigned shared[{self.threads}];
  const unsigned thread = threadIdx.x, block = blockIdx.x, lane = thread % 32;
  const unsigned warp_begin = thread / 32 * 32;
  const unsigned left = {self.threads}u - warp_begin;
  const unsigned active = left >= 32 ? 0xffffffffu : (1u << left) - 1;
  unsigned {every};
  {start.format("", "")}
  (void)lane; (void)active;
  shared[thread] = 0;
  __syncthreads();
  {chr(10).join(self.device)}
  out[block * {self.threads}u + thread] = {result.format("")};
}}
static void reference_{self.name}(unsigned block, Values& out, Values& sums) {{
  const Mask mask({self.threads}, true);
  Values shared({self.threads});
  {values}
  each(mask, [&](unsigned thread) {{ {start.format("", "[thread]")} }});
  {chr(10).join(self.host)}
  each(mask, [&](unsigned thread) {{
    out[block * {self.threads}u + thread] = {result.format("[thread]")};
  }});
}}
static bool check_{self.name}() {{
  Values got({total}), wanted({total}), sums({self.blocks}), wanted_sums({self.blocks});
  unsigned *out, *total;
  cudaMalloc(&out, {total} * sizeof(unsigned));
  cudaMalloc(&total, {self.blocks} * sizeof(unsigned));
  cudaMemset(total, 0, {self.blocks} * sizeof(unsigned));
  {self.name}<<<{self.blocks}, {self.threads}>>>(out, total);
  cudaMemcpy(got.data(), out, {total} * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), total, {self.blocks} * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaFree(total);
  for (unsigned block = 0; block < {self.blocks}; ++block)
    reference_{self.name}(block, wanted, wanted_sums);
  return check("{self.name}", got, wanted) & check("{self.name}, sums", sums, wanted_sums);
}}
"""


def on_device(text):
    return text.replace("@", "v")


def on_host(text):
    for i in range(VARIABLES):
        text = text.replace(f"@{i}", f"v{i}[thread]")
    return text


def program(seed):
    chance = random.Random(seed)
    kernels = [Kernel(chance, number) for number in range(KERNELS)]
    calls = " & ".join(f"check_{kernel.name}()" for kernel in kernels)
    return HEAD + "".join(kernel.text() for kernel in kernels) + f"""
int main() {{
  if (!({calls})) return 1;
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}}
"""


def fault(cucpu, seed, has_tools, run):
    """The fault of the program of this seed; None: none."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text(program(seed), encoding="utf-8")
        built = run([cucpu, "-O1", source, "-o", source.with_suffix("")])
        if built.returncode:
            return f"kernels of seed {seed} cannot be compiled: {built.stderr[-3000:]}"
        for order in ORDERS:
            for tools in ("", "all") if has_tools else ("",):
                try:
                    done = run([source.with_suffix("")], env={
                        **os.environ, "CUCPU_ORDER": order, "CUCPU_TOOLS": tools,
                        "CUCPU_JSON": os.path.join(folder, "report"), "CUCPU_TIMEOUT": "60"})
                except Exception as error:  # of a hang
                    return f"kernels of seed {seed}, {order}, tools '{tools}': {error}"
                if done.returncode:
                    return (f"kernels of seed {seed}, {order}, tools '{tools}': exit code "
                            f"{done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return None
