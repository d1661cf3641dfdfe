#!/usr/bin/env python3
"""Writes the reference values that the C++ tests compare with; see README.md beside this file.

Usage: make_reference.py [--out FOLDER] [FILE.json ...]
"""

import argparse
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from sections import (attention, dtypes, head, layers, lecture, models, ops, optimizers,  # noqa: E402
                      transformers, writer)

FILES = {**optimizers.FILES, **ops.FILES, **layers.FILES, **attention.FILES, **head.FILES,
         **models.FILES, **transformers.FILES, **dtypes.FILES, **lecture.FILES}


def main():
    parser = argparse.ArgumentParser(description="Write reference values computed with PyTorch.")
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder to write to")
    parser.add_argument("files", nargs="*", metavar="FILE.json", help="only these files")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.files) - set(FILES))
    if unknown:
        parser.error(f"unknown file {', '.join(unknown)}; known: {', '.join(FILES)}")

    # One thread and no vendor-chosen shortcuts: the same sums in the same order on every run.
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.files or FILES:
        path = arguments.out / name
        writer.write(path, FILES[name]())
        print(f"{name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
