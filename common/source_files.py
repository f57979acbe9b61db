"""The files of the source tree: git's, or without git, as in an archive, all but what a build made."""

import os
import pathlib
import subprocess

MADE = {".git", "__pycache__", "node_modules"}


def of_git(root):
    """None: there is no git, or this is not the top of a clone."""
    try:
        done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                               "--exclude-standard"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    names = done.stdout.split("\0")[:-1]
    return names if done.returncode == 0 and names else None


def in_folder(root):
    for folder, folders, names in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = [name for name in folders
                      if name not in MADE and not (here / name / "build.ninja").exists()]
        yield from (str((here / name).relative_to(root)) for name in names
                    if name not in MADE)


def source_files(root):
    """Paths below the root."""
    names = of_git(root)
    return [name for name in (sorted(in_folder(root)) if names is None else names)
            if (root / name).is_file()]
