"""dtypes.json: limits of the float dtypes and rounding of f32 to the narrower ones, as bits.

PyTorch releases differ in what f8e4m3 does beyond 448 (NaN before, 448 in 2.15), so the two rules
of the OCP fp8 specification are written as separate columns: saturating from PyTorch with the
input clamped, nonsaturating from ml_dtypes. Wherever both libraries define a result they must
agree, or nothing is written.
"""

import zlib

import ml_dtypes
import numpy
import torch

from . import writer

# name here -> PyTorch's dtype, the second implementation's dtype
NARROW = {
    "bf16": (torch.bfloat16, ml_dtypes.bfloat16),
    "f16": (torch.float16, numpy.float16),
    "f8e4m3": (torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn),
    "f8e5m2": (torch.float8_e5m2, ml_dtypes.float8_e5m2),
}
FLOATS = {"f64": torch.float64, "f32": torch.float32, **{n: t for n, (t, _) in NARROW.items()}}
_TORCH_UNSIGNED = {1: torch.uint8, 2: torch.uint16}
_NUMPY_UNSIGNED = {1: "<u1", 2: "<u2"}


def _f32_from_bits(bits):
    return torch.from_numpy(numpy.asarray(bits, dtype=numpy.uint32).view(numpy.float32).copy())


def _bits(t):
    return t.numpy().view(numpy.uint32)


def _torch_codes(x, torch_dtype):
    return x.to(torch_dtype).view(_TORCH_UNSIGNED[torch_dtype.itemsize]).numpy()


def _encode(x, name):
    """Column name -> codes of the f32 values x, which hold no NaN."""
    torch_dtype, other_dtype = NARROW[name]
    with numpy.errstate(over="ignore"):
        other = x.numpy().astype(other_dtype).view(_NUMPY_UNSIGNED[torch_dtype.itemsize])
    largest = torch.finfo(torch_dtype).max
    inside = other.view(other_dtype).astype(numpy.float32)
    inside = numpy.isfinite(inside) if name == "f8e4m3" else numpy.full(inside.shape, True)
    mine = _torch_codes(x, torch_dtype)
    if not numpy.array_equal(mine[inside], other[inside]):
        raise RuntimeError(f"{name}: PyTorch and NumPy round differently")
    if torch_dtype.itemsize == 2:
        return {name: mine}
    # The clamp takes infinities to the largest finite value too.
    return {f"{name}_saturating": _torch_codes(x.clamp(-largest, largest), torch_dtype),
            f"{name}_nonsaturating": other}


def _decode(codes, torch_dtype):
    return torch.from_numpy(codes.copy()).view(torch_dtype).float()


def _smallest_subnormal(torch_dtype):
    integer = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    one = torch.ones(1, dtype=integer[torch_dtype.itemsize])
    return float(one.view(torch_dtype).double())


def _limits():
    rows = []
    for name, torch_dtype in FLOATS.items():
        f = torch.finfo(torch_dtype)
        rows.append({"name": name, "torch_name": str(torch_dtype).split(".")[1], "bits": f.bits,
                     "bytes": torch_dtype.itemsize, "max": f.max, "min": f.min,
                     "smallest_normal": f.tiny,
                     "smallest_subnormal": _smallest_subnormal(torch_dtype), "eps": f.eps})
    return rows


def _chosen_bits():
    """f32 values at and one f32 step around every rounding border, then ordinary ones."""
    near = []
    for torch_dtype, _ in NARROW.values():
        f, sub = torch.finfo(torch_dtype), _smallest_subnormal(torch_dtype)
        last_step = f.eps * 2.0 ** numpy.floor(numpy.log2(f.max))
        # The tie borders: above the largest, inside [1, 2), at the end of the subnormals, at 0.
        borders = [f.max + last_step / 2, 1 + f.eps / 2, 1 + 3 * f.eps / 2, f.tiny - sub / 2,
                   sub / 2, 3 * sub / 2]
        for border in borders:
            b = int(numpy.float32(border).view(numpy.uint32))
            near += [b - 1, b, b + 1]
        near += [int(numpy.float32(v).view(numpy.uint32)) for v in (f.max, f.tiny, sub, 1 + f.eps)]
    plain = [0.0, 0.1, 1 / 3, 0.5, 1.0, 2.0, 3.14159265, 10.0, 240.0, 256.0, 447.0, 480.0, 511.0,
             1e3, 65504.0, 1e5, 1e10, 1e30, 3.4e38, 1e-3, 1e-5, 1e-10, 1e-30, 1e-40]
    positive = near + [int(numpy.float32(v).view(numpy.uint32)) for v in plain]
    positive += [0x7F800000, 0x00000001, 0x007FFFFF]
    positive = list(dict.fromkeys(positive))
    # Sign handling does not depend on the magnitude, so every second value is enough.
    return positive + [b | 0x80000000 for b in positive[::2]] + [0x80000000, 0xFF800000]


def _conversions():
    bits = list(dict.fromkeys(_chosen_bits()))
    x = _f32_from_bits(bits)
    rows = []
    for i, b in enumerate(bits):
        value = float(x[i])
        finite = numpy.isfinite(value)
        rows.append({"f32_bits": b, "f32": value if finite else str(value)})
    for name in NARROW:
        for column, codes in _encode(x, name).items():
            for row, code in zip(rows, codes):
                row[column] = int(code)
    return rows


def _decoded():
    """Every fp8 code as f32 bits (null for NaN), and a CRC over every 16-bit code but NaN."""
    tables, sums = {}, {}
    for name, (torch_dtype, _) in NARROW.items():
        unsigned = _NUMPY_UNSIGNED[torch_dtype.itemsize]
        codes = numpy.arange(2 ** (8 * torch_dtype.itemsize)).astype(unsigned)
        decoded = _decode(codes, torch_dtype)
        number = ~torch.isnan(decoded).numpy()
        bits = _bits(decoded)
        if torch_dtype.itemsize == 1:
            tables[name] = [int(b) if ok else None for b, ok in zip(bits, number)]
        sums[name] = {"codes": int(number.sum()),
                      "crc32": zlib.crc32(bits[number].astype("<u4").tobytes())}
    return tables, sums


def _sweeps():
    """CRCs over 3 x 2^20 f32 inputs: exact ties, one f32 step above them, one below."""
    rows = []
    for low in (0x000, 0x001, 0xFFF):
        x = _f32_from_bits((numpy.arange(2**20, dtype=numpy.uint64) << 12) | low)
        x = x[~torch.isnan(x)]
        row = {"low_bits": low, "inputs": x.numel()}
        for name in NARROW:
            for column, codes in _encode(x, name).items():
                row[column] = zlib.crc32(codes.tobytes())
        rows.append(row)
    return rows


def dtypes():
    tables, sums = _decoded()
    return {
        "limits": _limits(),
        "conversions": _conversions(),
        "decode_f32_bits": tables,
        "decode_crc32": sums,
        "encode_crc32": _sweeps(),
    }


FILES = {"dtypes.json": dtypes}
