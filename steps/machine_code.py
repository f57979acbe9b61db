"""The machine code of a kernel: the order of its accesses to global memory, from a cubin.

A cubin is an ELF file with a section .text.KERNEL per kernel, an instruction every 16 bytes. Its
lowest 12 bits are the operation. NVIDIA documents the names of these, but not the numbers, which
are those of sm_70 to sm_90.
"""

import pathlib
import struct
import subprocess
import tempfile

ARCHITECTURE = "sm_90"
INSTRUCTION_BYTES = 16
OPERATION = 0xfff
ACCESSES = {0x381: "LDG", 0x981: "LDG", 0x386: "STG", 0x986: "STG"}


class Failure(Exception):
    """nvcc could not compile the file; the text is what it said."""


def cubin_of(nvcc, source):
    """The machine code of a source file."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "code.cubin"
        done = subprocess.run([str(nvcc), "-std=c++20", f"-arch={ARCHITECTURE}", "-cubin", "-x",
                               "cu", str(source), "-o", str(out)], capture_output=True, text=True)
        if done.returncode:
            raise Failure(done.stderr)
        return out.read_bytes()


def sections(elf):
    """(name, bytes) of each section of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in headers:
        begin = headers[names][4] + name
        yield elf[begin:elf.index(b"\0", begin)].decode(), elf[offset:offset + length]


def accesses(cubin, kernel):
    """The kernel's loads and stores of global memory in order: ["LDG", "STG"]."""
    for name, code in sections(cubin):
        if name.startswith(".text.") and f"{len(kernel)}{kernel}" in name:  # a mangled name
            words = (struct.unpack_from("<Q", code, at)[0]
                     for at in range(0, len(code), INSTRUCTION_BYTES))
            return [ACCESSES[word & OPERATION] for word in words if word & OPERATION in ACCESSES]
    raise Failure(f"there is no kernel {kernel}")
