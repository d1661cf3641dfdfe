#!/bin/sh
# Fails when the window links BLAS, OpenMP or CUDA, or holds symbols of the engine or the trainer.
set -eu

program=$1
forbidden='openblas|libblas|gomp|libomp|libcuda|libcudart|libcublas|libnvrtc|headroom_cuda'

libraries=$(ldd "$program")
if printf '%s\n' "$libraries" | grep -E "$forbidden"; then
  echo "$program links what it must not link (above)" >&2
  exit 1
fi
printf '%s\n' "$libraries" | grep -q 'libQt6Charts' || {
  echo "$program does not link Qt Charts: is this the window?" >&2
  exit 1
}
if nm -C --defined-only "$program" 2>/dev/null |
  grep -E ' (headroom::(runtime|trainer)::)' | head -n 3 | grep .; then
  echo "$program holds the engine or the trainer (above)" >&2
  exit 1
fi
