#pragma once

/// Test double of the CUDA runtime and cuBLASLt: the same symbols, executed on the CPU.
///
/// Link `headroom_cuda_double` INSTEAD of libcudart and libcublasLt. Host code compiled by nvcc
/// then runs without a GPU, and against rules that are stricter than hardware: what a GPU would
/// forgive, race on or crash on later is reported at once as a *violation* (a line of text), and
/// usually also as an error code. The rules:
///
/// Memory. Fresh device and pinned memory holds the poison byte. Device memory lies in an address
/// range of its own which the host cannot touch while no queued work runs; freed ranges stay
/// inaccessible, guard pages lie between allocations, and up to 255 slack bytes around each one are
/// checked when it is freed. A bad access ends the process with one line that names the
/// allocation.
///
/// Order. Kernels, asynchronous copies, memsets and matmuls are queued and run as late as possible:
/// at a synchronisation that needs them, latest issued stream first. A missing event wait or an
/// early read on the host therefore sees stale data. Accesses with known ranges that no event, no
/// stream and no host synchronisation puts in order are reported as races when they are issued.
/// Each query makes one operation of progress and answers cudaErrorNotReady until nothing is left.
///
/// Kernels run their host version (fakecuda_bind). Pointers in the kernel argument must be live:
/// pointers to freed device memory or to unpinned host memory are refused.
///
/// cuBLASLt computes with OpenBLAS in column-major (or row-major) order, rounds stored values to
/// nearest even, and rejects what NVIDIA's documentation does not list as supported. Where the
/// documentation is silent the known-good subset is accepted: BGRADA needs A not transposed, BGRADB
/// needs B transposed, epilogues need a column-major D, bias and auxiliary pointers 16-byte
/// alignment. Pointers, leading dimensions and batch strides must meet the alignment stated in the
/// preference, up to 16 bytes; leading dimensions and strides of f32 and f64 are free. C must be a
/// valid pointer even when beta is 0. An algorithm runs only the problem it was made for, with the
/// workspace it asked for, 256-byte aligned, whose contents it destroys.
///
/// Configuration: `HEADROOM_CUDA_DOUBLE="key=value,key=value"`, or cuda_double_configure().
///
///     devices=1       number of devices; with 0 every call fails with cudaErrorNoDevice
///     driver=13000    version the driver supports, or `none`; below the runtime's own version
///                     every call fails with cudaErrorInsufficientDriver
///     cc=9.0          compute capability; a launch fails with cudaErrorNoKernelImageForDevice
///                     when the kernel's file was compiled for no fitting architecture
///     image=auto      or missing: no kernel has an image for this device
///     memory=80GiB    bytes of one device (accounted; backed only where touched)
///     context=512MiB  bytes of it that the context takes
///     granularity=2MiB    block size by which cudaMemGetInfo counts
///     sms=132         multiprocessors
///     order=latest    which stream runs next among those that may: latest, oldest, random:SEED
///     default_stream=legacy   or reject: using stream 0 (also by cudaMemcpy) is an error
///     pageable=error  asynchronous copies of unpinned memory; or stage: as hardware does them
///     host_guard=on   or off: device memory accessible to the host
///     scan_arguments=on   or off: the pointers in kernel arguments are not checked
///     blocks=serial   or simulate: what fakecuda_simulates_blocks() tells row programs
///     races=on        or off: unordered conflicting accesses are not reported
///     poison=0xCD     byte of fresh memory and of used workspaces
///     abort=off       or on: print the first violation and abort
///     report=off      or on: print violations and leaks when the process ends
///
/// Sizes take B, KiB, MiB, GiB or TiB. A misspelt configuration aborts the process.
/// Not modelled (absent symbols, so a link error): graphs and capture, managed memory, textures,
/// IPC, memory pools other than cudaMallocAsync, per-thread default streams.
///
/// Threads: every function may be called from any thread; queued work runs inside the call that
/// needs it, one operation at a time.

#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Binds the host version of a kernel; production code declares this weak and calls it when
/// present. `run` gets what the launch got: args[0] points to a copy of the kernel's one by-value
/// parameter (param_bytes long, 0 for a kernel without parameters), taken at the launch.
void fakecuda_bind(const void* fn,
                   void (*run)(void** args, dim3 grid, dim3 block),
                   size_t param_bytes);

/// Non-zero when host versions should simulate the lanes of a block (key `blocks`).
int fakecuda_simulates_blocks(void);

/// What happened since the start or the last reset.
typedef struct {
  uint64_t allocations;       ///< device allocations made
  uint64_t frees;             ///< device allocations freed
  uint64_t host_allocations;  ///< pinned allocations made
  uint64_t host_frees;
  uint64_t bytes_live;  ///< device bytes as asked for, all devices
  uint64_t bytes_peak;
  uint64_t host_bytes_live;  ///< pinned bytes, registered ranges included
  uint64_t host_bytes_peak;
  uint64_t launches;
  uint64_t matmuls;
  uint64_t memsets;
  uint64_t copies_to_device;
  uint64_t copies_to_host;
  uint64_t copies_on_device;
  uint64_t bytes_to_device;
  uint64_t bytes_to_host;
  uint64_t bytes_on_device;
  uint64_t heuristic_queries;
  uint64_t synchronisations;  ///< calls that made the host wait
  uint64_t outstanding;       ///< operations queued and not run yet
  uint64_t executed;          ///< operations run, events included
  uint64_t violations;
} cuda_double_counters_t;

cuda_double_counters_t cuda_double_counters(void);

/// Number of broken rules, and the text of one (valid until the next reset or clear; "" past the
/// end).
size_t cuda_double_violation_count(void);
const char* cuda_double_violation(size_t index);
void cuda_double_clear_violations(void);

/// What is still alive: memory, streams, events, cuBLASLt handles and descriptors, one line each.
/// Writes at most `size` bytes with the closing zero to `text` (which may be null) and returns the
/// number of things alive.
size_t cuda_double_leaks(char* text, size_t size);

/// Applies `key=value,…` on top of the present configuration. Returns 0, or -1 when the text is
/// wrong: then nothing changes and cuda_double_configure_error() says why.
/// Device count, memory and context take effect at once; so set them before memory is allocated.
int cuda_double_configure(const char* spec);
const char* cuda_double_configure_error(void);

/// Drops all memory, streams, events, queued work, violations and counters and reads the
/// environment again. Kernel bindings stay. Descriptors and handles made before are dead.
void cuda_double_reset(void);

/// Installs the handler that explains bad accesses to device memory on top of whatever handler is
/// there now. The first allocation does this; call it again after a test framework installed its
/// own.
void cuda_double_install_fault_handler(void);

#ifdef __cplusplus
}
#endif
