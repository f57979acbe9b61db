#!/usr/bin/env python3
"""Adds the CUDA files of the source tree to a build folder's compile_commands.json, for clangd.

    compile_commands.py SOURCE BUILD

Meson writes that file, with an entry for each C++ file that it compiles, and runs this script after
it. A .cu file is compiled in another form, and a .cuh file is not compiled by itself: clangd gets to
see either in clang's CUDA mode, with the headers of common/cpu/include instead of the Toolkit's.
"""

import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from source_files import source_files  # noqa: E402

SUFFIXES = (".cu", ".cuh")

# Clang looks for no Toolkit, and minds neither functions with an ellipsis that are for the device,
# nor what nvcc does not mind either.
CUDA_MODE = [
    "clang++", "-xcuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version",
    "-Xclang", "-fcuda-allow-variadic-functions", "-std=c++20", "-D__CUDACC__", "-D__CUCPU__",
    "-Wno-pragma-once-outside-header", "-Wno-undefined-internal", "-Wno-deprecated-volatile"]


def cuda_files(source):
    """All .cu and .cuh files, less those of build folders and the like."""
    paths = (source / name for name in source_files(source))
    return sorted(path for path in paths if path.suffix in SUFFIXES)


def made_folder(source, build, path):
    """The folder that steps/meson.build makes for a file's step: the one with the longest name."""
    parts = path.relative_to(source).parts
    for end in range(len(parts) - 1, 1, -1):
        folder = build / "steps" / ("_".join(parts[1:end]) + ".made")
        if parts[0] == "steps" and folder.is_dir():
            return [folder]
    return []


def include_folders(source, build, path):
    common = source / "common"
    folders = made_folder(source, build, path)
    if path.is_relative_to(common / "cpu"):
        folders.append(common / "cpu" / "tests")
    if (path.parent / "include").is_dir():
        folders.append(path.parent / "include")
    return [*folders, common, source / "steps"]


def entry(source, build, path):
    """The one of a .cu or .cuh file."""
    headers = source / "common" / "cpu" / "include"
    arguments = [*CUDA_MODE, *(f"-I{folder}" for folder in include_folders(source, build, path)),
                 "-isystem", str(headers), "-include", str(headers / "cucpu" / "editor.h"),
                 "-fsyntax-only", str(path)]
    return {"directory": str(source), "file": str(path), "arguments": arguments}


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    database = build / "compile_commands.json"
    entries = [line for line in json.loads(database.read_text(encoding="utf-8"))
               if pathlib.Path(line["file"]).suffix not in SUFFIXES]
    entries += [entry(source, build, path) for path in cuda_files(source)]
    database.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
