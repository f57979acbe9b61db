"""Commands of gdb for the CUDA threads of a program that cucpu has compiled.

    gdb -x common/editor/cuda_gdb.py ./program

  info cuda kernels        the launches that run
  info cuda blocks         the blocks that run, one for each thread of the host
  info cuda threads        the threads of the selected block: what they do, or wait for, and where
  cuda thread X,Y,Z        selects a thread of the block, which bt, info locals and so on then show
  cuda block X,Y,Z         selects a block that runs; goes with `thread` and `kernel` on one line
  cuda kernel N            selects a launch, by its number
  cuda thread 5 COMMAND    runs a command of gdb for that thread, and selects nothing
  cuda kernel block thread says what is selected
  cuda next                steps the selected thread to its next line, over barriers, too

Each CUDA thread has a stack of its own (common/cpu/runtime/worker.h), and the one that runs has the
processor's registers. To look at another, its registers are put in their place; whatever lets the
program go on puts the right ones back first.
"""

import contextlib
import pathlib
import re

import gdb
from gdb import FrameDecorator

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "cpu" / "include"
WARP = 32
TICK, TIMEOUT = "SIG41", "SIG40"  # runtime/preemption.h, runtime/report.h
# What a fiber that has no thread to run is in.
BETWEEN_THREADS = ("cucpu::leave_inlined", "cucpu::next_thread", "cucpu::Worker::end_thread",
                   "cucpu::Worker::fiber_main")
# The function that calls a CUDA thread's kernel.
BELOW_KERNEL = "cucpu::run_thread<"
STACKLESS = ("exited", "not begun")
RESUMING = ("continue", "step", "next", "stepi", "nexti", "finish", "until", "advance", "jump",
            "signal", "return", "call", "run", "start", "detach", "kill", "quit",
            "generate-core-file")
# Its commands have no hooks.
HAS_MACHINE_INTERFACE = re.search(rb"\0--?i(nterpreter)?[=\0]mi",
                                  pathlib.Path("/proc/self/cmdline").read_bytes()) is not None


def variable(name):
    """A variable of the selected thread of the host."""
    symbol = gdb.lookup_global_symbol(name)
    if symbol is None:
        raise gdb.GdbError("This program has not been compiled by cucpu.")
    return symbol.value()


def triple(value):
    """A dim3 or a uint3."""
    return tuple(int(value[axis]) for axis in "xyz")


def text_of(index):
    return "({},{},{})".format(*index)


def linear(index, extent):
    return index[0] + extent[0] * (index[1] + extent[1] * index[2])


def index_of(number, extent):
    return number % extent[0], number // extent[0] % extent[1], number // extent[0] // extent[1]


def site_text(site):
    return f"{site['file'].string()}:{int(site['line'])}" if int(site["file"]) else "?"


def lanes_text(lanes):
    """4, or 0-31, or 1,3-5"""
    parts = []
    for lane in (lane for lane in range(WARP) if lanes >> lane & 1):
        if parts and parts[-1][1] == lane - 1:
            parts[-1][1] = lane
        else:
            parts.append([lane, lane])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


# --- registers ------------------------------------------------------------------------------------


class Displaced:
    """Registers and threadIdx of the thread that runs, while another's are in their place."""

    def __init__(self):
        gdb.newest_frame().select()
        self.thread = gdb.selected_thread()
        self.registers = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}"))
                          for name in ("rip", "rsp", "rbp")}
        self.index = triple(variable("threadIdx"))

    def restore(self):
        selected = gdb.selected_thread()
        if not self.thread.is_valid():
            return
        self.thread.switch()
        put(self.registers, self.index)
        if selected is not None and selected.is_valid():
            selected.switch()


def put(registers, index):
    gdb.newest_frame().select()
    for name, value in registers.items():
        gdb.execute(f"set var ${name} = {value}", to_string=True)
    for axis, value in zip("xyz", index):
        address = int(variable("threadIdx")[axis].address)
        gdb.selected_inferior().write_memory(address, value.to_bytes(4, "little"))
    gdb.newest_frame().select()


displaced = None


def is_displaced(thread):
    return displaced is not None and displaced.thread.num == thread.num


def go_back():
    """To the thread that runs. True if it was not selected."""
    global displaced
    if displaced is None:
        return False
    before, displaced = displaced, None
    before.restore()
    return True


# --- frames ---------------------------------------------------------------------------------------


def is_users(frame):
    """Neither the runtime, which has no debug information, nor its headers."""
    symtab = frame.find_sal().symtab
    return symtab is not None and HEADERS not in pathlib.Path(symtab.fullname()).parents


def users_frame():
    """The innermost frame of the user's code, or None."""
    frame = gdb.newest_frame()
    while frame is not None and not is_users(frame):
        frame = frame.older()
    return frame


def place_of(frame):
    sal = frame.find_sal()
    return f"{sal.symtab.filename}:{sal.line}"


class UsersFrame(FrameDecorator.FrameDecorator):
    """As gdb shows it by itself."""

    def function(self):
        return self.inferior_frame().name()


class KernelFrames:
    """Leaves of a CUDA thread's backtrace what the user wrote. `bt -no-filters` shows it all."""

    name, priority, enabled = "cuda", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        names = [frame.inferior_frame().name() or "" for frame in frames]
        end = next((i for i, name in enumerate(names) if name.startswith(BELOW_KERNEL)), None)
        if end is None:
            return iter(frames)
        while end > 0 and names[end - 1].startswith("std::"):
            end -= 1
        if end > 1 and names[end - 1].startswith("operator()"):  # made of the launch
            end -= 1
        begin = next((i for i in range(end) if is_users(frames[i].inferior_frame())), 0)
        return map(UsersFrame, frames[begin:end])


# --- blocks and their threads ---------------------------------------------------------------------


class Block:
    """One that a thread of the host runs: the selected one, when this is made."""

    def __init__(self):
        self.thread = gdb.selected_thread()
        self.worker = variable("cucpu::this_worker").dereference()
        self.turns = variable("cucpu::turns")
        self.turns.fetch_lazy()
        self.pace = str(self.turns["pace"]).rpartition("::")[2]
        self.grid = self.worker["grid_"].dereference()
        self.kernel = int(self.grid["serial"])
        self.index = triple(variable("blockIdx"))
        self.extent = triple(variable("blockDim"))
        self.size = self.extent[0] * self.extent[1] * self.extent[2]
        index = triple(variable("threadIdx"))
        self.selected = linear(index, self.extent)
        self.running = linear(displaced.index, self.extent) if is_displaced(self.thread) \
            else self.selected
        self._functions = {}  # that fibers are left in, by address
        self._places = {}  # where the user's code is then, by address

    @property
    def name(self):
        return self.grid["task"]["name"].string()

    def fiber(self, number):
        return self.worker["fiber_of_"]["_M_elems"][number].dereference()

    def _functions_at(self, address):
        """Those that the address is in, inlined ones first."""
        if address not in self._functions:
            names = []
            block = gdb.block_for_pc(address)
            while block is not None and not block.is_global and not block.is_static:
                if block.function is not None:
                    names.append(block.function.name)
                block = block.superblock
            symbol = gdb.execute(f"info symbol {address}", to_string=True)
            self._functions[address] = [*names, symbol]
        return self._functions[address]

    def is_between_threads(self, fiber):
        return any(name.startswith(BETWEEN_THREADS)
                   for name in self._functions_at(int(fiber["context"]["resume_at"])))

    def _lane(self, number, lanes):
        """Whether the thread is among these lanes of its warp."""
        warp = self.worker["warps_"]["_M_elems"][number // WARP]
        return int(warp[lanes]) >> number % WARP & 1

    def _exchange_of(self, number):
        """The rendezvous that the thread waits in, or None."""
        lane = 1 << number % WARP
        if self.pace == "exchanging":
            under_way = int(self.worker["under_way_"])
            exchange = self.worker["shared_"]["_M_elems"][under_way]
            same_warp = number // WARP == self.running // WARP
            return exchange if same_warp and number < self.running else None
        if self.pace != "free":
            return None
        pending = self.worker["rendezvous_"]["pending_"]["_M_elems"][number // WARP]
        while int(pending):
            if int(pending["arrived"]) & lane:
                return pending.dereference()
            pending = pending["next"]
        return None

    def _arrived_at(self, exchange):
        """The lanes that wait there; while they exchange in lockstep, those before the one that
        runs."""
        if self.pace == "exchanging":
            return (1 << self.running % WARP) - 1
        return int(exchange["arrived"])

    def state(self, number):
        """The thread's state, and its place if that is known without a look at its stack."""
        if number == self.running:
            return "running", ""
        if self.pace == "plain":
            return ("exited" if number < self.running else "not begun"), ""
        leaves = self.pace == "leaving" and number < self.running
        if leaves or not self._lane(number, "live"):
            return "exited", ""
        if exchange := self._exchange_of(number):
            missing = int(exchange["mask"]) & ~self._arrived_at(exchange)
            missing &= int(self.worker["warps_"]["_M_elems"][number // WARP]["live"])
            return (f"waits in {exchange['what'].string()} for lanes {lanes_text(missing)}",
                    site_text(exchange["site"]))
        if self.is_between_threads(self.fiber(number)):
            return "not begun", ""
        stay = self.worker["stays_"]["_M_elems"][number]
        if self._lane(number, "parked"):
            return f"waits in {stay['what'].string()}", site_text(stay["site"])
        if self._lane(number, "spinning"):
            return "spins", ""
        if self._lane(number, "at_active_mask"):
            return "waits in __activemask()", ""
        if self._is_at_barrier(number):
            return (f"waits in {self.turns['barrier_what'].string()}",
                    site_text(self.turns["barrier_site"]))
        return "can run", ""

    def _is_at_barrier(self, number):
        """In lockstep, those have arrived that come before the one that runs."""
        return not self._lane(number, "ready") if self.pace == "free" else number < self.running

    def place(self, number):
        """The thread's place in the user's code."""
        key = number
        if number != self.running:
            address = int(self.fiber(number)["context"]["resume_at"])
            # The address of a fiber that was left in the user's code says it all.
            key = f"at {address}" if gdb.block_for_pc(address) is not None else number
        if key not in self._places:
            self.show(number)
            frame = users_frame()
            self._places[key] = place_of(frame) if frame is not None else "?"
        return self._places[key]

    def show(self, number):
        """Puts the thread's registers in the place of those of the one that runs."""
        global displaced
        if number == self.running:
            go_back()
            return
        context = self.fiber(number)["context"]
        if "stack_pointer" not in {field.name for field in context.type.fields()}:
            raise gdb.GdbError("Threads that do not run can be looked at on x86-64 only.")
        if not is_displaced(self.thread):
            go_back()
            displaced = Displaced()
        put({"rip": int(context["resume_at"]), "rsp": int(context["stack_pointer"]),
             "rbp": int(context["frame_pointer"])}, triple(self.fiber(number)["index"]))

    def select(self, index):
        if any(i >= n for i, n in zip(index, self.extent)):
            raise gdb.GdbError(f"A block of {self.name} has {text_of(self.extent)} threads.")
        number = linear(index, self.extent)
        state, _ = self.state(number)
        if state in STACKLESS:
            raise gdb.GdbError(f"Thread {text_of(index)} has {state}: it has no frames.")
        self.show(number)


def stack_in_use():
    """Begin and end of the CUDA thread's stack that the selected thread of the host is on. None: it
    runs no CUDA thread, but at most what surrounds it."""
    worker = variable("cucpu::this_worker")
    if not int(worker) or not int(worker["grid_"]):
        return None
    pointer = gdb.lookup_type("cucpu::FiberPool").pointer()  # all that a unique_ptr is
    pool = worker["fibers_"].address.cast(pointer.pointer()).dereference()
    if not int(pool):
        return None
    begin, stride = int(pool["memory_"]), int(pool["stride_"])
    number = (int(gdb.parse_and_eval("(unsigned long)$sp")) - begin) // stride
    if not 0 <= number < int(pool["capacity_"]):
        return None
    return begin + number * stride, begin + (number + 1) * stride


def runs_block():
    return stack_in_use() is not None


@contextlib.contextmanager
def keeping_selection():
    """Host thread, CUDA thread and frame are those that were selected, in the end."""
    thread = gdb.selected_thread()
    level = gdb.selected_frame().level()
    index = triple(variable("threadIdx")) if is_displaced(thread) else None
    try:
        yield
    finally:
        thread.switch()
        if index is None:
            go_back()
        else:
            block = Block()
            block.show(linear(index, block.extent))
        frame = gdb.newest_frame()
        for _ in range(level):
            frame = frame.older()
        frame.select()


def running_blocks():
    """Those of the first launch first. Selects other threads of the host."""
    found = []
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        if runs_block():
            found.append(Block())
    if not found:
        raise gdb.GdbError("No kernel runs.")
    return sorted(found, key=lambda block: (block.kernel, block.index[::-1]))


def selected_block():
    """None: the host is selected."""
    if gdb.selected_thread() is None:
        raise gdb.GdbError("The program is not being run.")
    return Block() if runs_block() else None


def print_table(heading, rows, is_marked):
    """Columns as wide as they must be, with a star before those rows that are marked."""
    widths = [max(map(len, column)) for column in zip(heading, *rows)]
    for row, mark in [(heading, False), *zip(rows, is_marked)]:
        cells = "  ".join(cell.ljust(width) for cell, width in zip(row, widths))
        print(f"{'*' if mark else ' '} {cells}".rstrip())


# --- commands -------------------------------------------------------------------------------------


class InfoCuda(gdb.Command):
    """Lists CUDA kernels, blocks or threads that run."""

    def __init__(self):
        super().__init__("info cuda", gdb.COMMAND_STATUS, prefix=True)


class InfoCudaKernels(gdb.Command):
    """Lists the launches that run."""

    def __init__(self):
        super().__init__("info cuda kernels", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        here = selected_block()
        with keeping_selection():
            running = running_blocks()
        launches = {block.kernel: block for block in running}
        print_table(
            ("kernel", "name", "grid", "block", "running blocks"),
            [(str(number), block.name, text_of(triple(block.grid["config"]["grid"])),
              text_of(block.extent), str(sum(other.kernel == number for other in running)))
             for number, block in launches.items()],
            [here is not None and number == here.kernel for number in launches])


class InfoCudaBlocks(gdb.Command):
    """Lists the blocks that run, one for each thread of the host that runs any."""

    def __init__(self):
        super().__init__("info cuda blocks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        here = selected_block()
        with keeping_selection():
            running = running_blocks()
        print_table(
            ("kernel", "block", "running thread", "host's thread"),
            [(str(block.kernel), text_of(block.index),
              text_of(index_of(block.running, block.extent)), str(block.thread.num))
             for block in running],
            [here is not None and block.thread.num == here.thread.num for block in running])


class InfoCudaThreads(gdb.Command):
    """Lists the threads of the selected block: what each does, or waits for, and where. Neighbors
    that do the same share a line."""

    def __init__(self):
        super().__init__("info cuda threads", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        block = selected_block()
        if block is None:
            with keeping_selection():
                index = running_blocks()[0].index
            raise gdb.GdbError("The host is selected; `cuda block {},{},{}` selects a block that "
                               "runs.".format(*index))
        groups = []  # first, last, state, place
        with keeping_selection():
            for number in range(block.size):
                state, place = block.state(number)
                if not place and state not in STACKLESS:
                    place = block.place(number)
                # The selected one has a line of its own.
                alike = groups and number - 1 != block.selected != number
                if alike and groups[-1][2:] == [state, place]:
                    groups[-1][1] = number
                else:
                    groups.append([number, number, state, place])
        rows = []
        for first, last, state, place in groups:
            name = text_of(index_of(first, block.extent))
            if last != first:
                name += " to " + text_of(index_of(last, block.extent))
            rows.append((name, str(last - first + 1), state, place))
        print(f"Block {text_of(block.index)} of kernel {block.kernel}, {block.name}:")
        print_table(("threads", "count", "state", "at"), rows,
                    [first == block.selected for first, *_ in groups])


class Cuda(gdb.Command):
    """Selects a CUDA thread, or says which is selected.

    cuda [kernel N] [block X,Y,Z] [thread X,Y,Z] [COMMAND]

Indices that are left out are 0. Without a thread it is the one that runs. Without numbers, says
what is selected. With a command of gdb, runs that for the thread, and then selects what was
selected before."""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, argument, _from_tty):
        wanted, command = self._parse(argument)
        if command:
            with keeping_selection():
                self._select(wanted)
                gdb.execute(command)
        elif wanted and HAS_MACHINE_INTERFACE:
            raise gdb.GdbError("An editor lets the program go on without notice: here the command "
                               "to run for a thread has to follow, as in `cuda thread 5 bt`.")
        else:
            self._select(wanted)
            if wanted and users_frame() is not None:
                gdb.execute("frame")

    def _select(self, wanted):
        block = selected_block()
        if "kernel" in wanted or "block" in wanted:
            block = self._find(block, wanted)
            go_back()
            block.thread.switch()
        elif block is None:
            raise gdb.GdbError("The host is selected.")
        if "thread" in wanted:
            block.select(wanted["thread"])
        elif wanted:
            go_back()
        print(f"[CUDA kernel {block.kernel} {block.name}, block {text_of(block.index)}, "
              f"thread {text_of(triple(variable('threadIdx')))}]")
        if wanted and (frame := users_frame()) is not None:
            frame.select()

    @staticmethod
    def _parse(argument):
        """{"thread": (5, 0, 0)}, and the command."""
        word = r"(kernel|block|thread)\b(?:\s+\(?(\d+(?:\s*,\s*\d+){0,2})\)?)?\s*"
        line = re.fullmatch(rf"((?:{word})+)(.*)", argument)
        if line is None or (line[4] and not re.search(r"\d", line[1])):
            raise gdb.GdbError("Usage: cuda [kernel N] [block X,Y,Z] [thread X,Y,Z] [COMMAND]")
        wanted = {}
        for name, numbers in re.findall(word, line[1]):
            if numbers:
                index = [int(number) for number in numbers.split(",")]
                wanted[name] = (*index, *(3 - len(index)) * [0])
        return wanted, line[4]

    @staticmethod
    def _find(here, wanted):
        with keeping_selection():
            running = running_blocks()
        kernel = wanted["kernel"][0] if "kernel" in wanted else here.kernel if here else None
        found = [block for block in running
                 if kernel in (None, block.kernel) and wanted.get("block") in (None, block.index)]
        if not found:
            raise gdb.GdbError("No such block runs; `info cuda blocks` lists those that do.")
        return found[0]


class CudaNext(gdb.Command):
    """Steps the selected CUDA thread to its next line, as `next` does. If it has to wait, the
    others run until it goes on, unless one of them hits a breakpoint."""

    MOST_STEPS = 1000  # inside a call of the runtime's

    def __init__(self):
        super().__init__("cuda next", gdb.COMMAND_RUNNING)

    def invoke(self, _argument, _from_tty):
        block = selected_block()
        if block is None:
            raise gdb.GdbError("The host is selected.")
        stack = stack_in_use()
        waits = go_back()
        fiber = block.fiber(block.selected) if waits else block.turns["current"].dereference()
        gdb.execute("set suppress-cli-notifications on")
        try:
            for _ in range(self.MOST_STEPS):
                if waits:
                    is_done = self._run_until_resumed(fiber, stack)
                    waits = False
                else:
                    is_done, waits = self._step(fiber)
                if not is_done:
                    print(stops.why())
                    break
                if waits and block.is_between_threads(fiber):
                    print(f"[CUDA thread {text_of(index_of(block.selected, block.extent))} has "
                          "exited]")
                    return
                if not waits and is_users(gdb.newest_frame()):
                    break
        finally:
            gdb.execute("set suppress-cli-notifications off")
        if gdb.selected_thread() is not None:
            gdb.execute("frame")

    @staticmethod
    def _step(fiber):
        """Whether nothing has come between, and whether the fiber is being left: gdb's `next` would
        go on with another's steps."""
        stops.event = None
        place = fiber["context"]["resume_at"]
        left = gdb.Breakpoint(f"*({place.type.pointer()}){int(place.address)}", gdb.BP_WATCHPOINT,
                              gdb.WP_ACCESS, internal=True)
        try:
            gdb.execute("next", to_string=True)
            is_left = left.hit_count > 0
            return is_left or type(stops.event) is gdb.StopEvent, is_left
        finally:
            left.delete()

    @staticmethod
    def _run_until_resumed(fiber, stack):
        """Whether nothing has come between."""
        stops.event = None
        here = gdb.Breakpoint(f"*{int(fiber['context']['resume_at'])}", internal=True)
        here.condition = f"$sp >= {stack[0]} && $sp < {stack[1]}"
        try:
            gdb.execute("continue", to_string=True)
            return here.hit_count > 0
        finally:
            here.delete()


class Back(gdb.Command):
    """Before the program goes on: the CUDA thread that runs is selected again."""

    def __init__(self):
        super().__init__("cuda-back", gdb.COMMAND_RUNNING)
        for name in RESUMING:
            gdb.execute(f"define hook-{name}\ncuda-back\nend")

    def invoke(self, _argument, _from_tty):
        if go_back():
            print(f"[Back to CUDA thread {text_of(triple(variable('threadIdx')))}, which runs]")


# --- stops ----------------------------------------------------------------------------------------


class Stops:
    """Called when the program stops."""

    def __init__(self):
        self.event = None  # the last one
        self._last = None  # CUDA thread
        gdb.events.stop.connect(self.on_stop)
        gdb.events.exited.connect(self.on_exit)

    def on_stop(self, event):
        self.event = event
        if gdb.lookup_global_symbol("cucpu::this_worker") is None:
            return
        block = Block() if runs_block() else None
        thread = block and (block.kernel, block.index, block.selected)
        if thread is not None and thread != self._last:
            print(f"[Switching to CUDA thread {text_of(triple(variable('threadIdx')))} of block "
                  f"{text_of(block.index)}]")
        self._last = thread

    def why(self):
        """The event that has stopped the program, if that was no step."""
        if isinstance(self.event, gdb.BreakpointEvent):
            # All breakpoints at the place, whatever their conditions.
            numbers = [str(one.number) for one in self.event.breakpoints
                       if not one.condition or int(gdb.parse_and_eval(one.condition))]
            return f"Breakpoint {', '.join(numbers)}"
        if isinstance(self.event, gdb.SignalEvent):
            return f"Program received signal {self.event.stop_signal}"
        return "The program has ended."

    def on_exit(self, _event):
        global displaced
        displaced = self._last = self.event = None


stops = Stops()
for command in (InfoCuda, InfoCudaKernels, InfoCudaBlocks, InfoCudaThreads, Cuda, CudaNext, Back,
                KernelFrames):
    command()
for signal in (TICK, TIMEOUT):
    gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
# Nothing takes too long as long as somebody looks at it.
gdb.execute("set environment CUCPU_TIMEOUT 0")
