#!/bin/sh
# Fails when the window links BLAS, OpenMP or CUDA, or holds symbols of the engine or the trainer.
set -eu

program=$1

fail() {
  echo "$program $1 (above)" >&2
  exit 1
}

# What the program asks for itself.
direct=$(readelf -d "$program" | grep NEEDED)
if printf '%s\n' "$direct" | grep -E 'blas|gomp|omp\.so|libcuda|libcublas|nvrtc|headroom'; then
  fail "links what it must not link"
fi
# What comes with it. OpenMP is allowed here: Qt brings it by way of libb2 (BLAKE2).
if ldd "$program" | grep -E 'blas|libcuda|nvrtc|headroom'; then
  fail "brings what it must not bring"
fi
printf '%s\n' "$direct" | grep -q 'libQt6Charts' || {
  echo "$program does not link Qt Charts: is this the window?" >&2
  exit 1
}
if nm -C --defined-only "$program" |
  grep -E ' headroom::(runtime|trainer)::' | head -n 3 | grep .; then
  fail "holds the engine or the trainer"
fi
