"""Reference values as JSON that reads back to the same bits.

A torch tensor becomes {"shape": [...], "data": [row-major values]}. f64 values are written with
repr (shortest text that reads back exactly); f32 values with nine significant digits, which round
back to the same float even when the reader goes through double.
"""

import platform

import ml_dtypes
import numpy
import torch


def _number(value, f32=False):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("JSON has no infinity or NaN: give the bits as an integer instead")
    text = f"{value:.9g}" if f32 else repr(float(value))
    # "-0" would be read as the integer 0 and lose its sign.
    return text if any(c in text for c in ".e") else text + ".0"


def _is_leaf(value):
    return not isinstance(value, (dict, list, tuple, torch.Tensor))


def _leaf(value):
    if value is None:
        return "null"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, numpy.generic):
        raise TypeError("convert NumPy scalars before writing: their width is ambiguous here")
    return _number(value)


def encode(value, indent=0):
    """JSON text of dicts, lists, scalars and tensors; a list of scalars stays on one line."""
    pad, inner = " " * indent, " " * (indent + 1)
    if isinstance(value, torch.Tensor):
        is_f32 = value.dtype == torch.float32
        if not is_f32 and value.dtype not in (torch.float64, torch.int32, torch.int64):
            raise TypeError(f"no text form for {value.dtype}")
        data = ", ".join(_number(v, is_f32) for v in value.detach().reshape(-1).tolist())
        shape = ", ".join(str(n) for n in value.shape)
        return f'{{"shape": [{shape}], "data": [{data}]}}'
    if isinstance(value, dict):
        if all(_is_leaf(v) for v in value.values()):
            return "{" + ", ".join(f'"{k}": {_leaf(v)}' for k, v in value.items()) + "}"
        rows = [f'{inner}"{k}": {encode(v, indent + 1)}' for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{pad}}}"
    if isinstance(value, (list, tuple)):
        if all(_is_leaf(v) for v in value):
            return "[" + ", ".join(_leaf(v) for v in value) + "]"
        return "[\n" + ",\n".join(inner + encode(v, indent + 1) for v in value) + f"\n{pad}]"
    return _leaf(value)


def write(path, content):
    made_by = {
        "torch": torch.__version__.split("+")[0],
        "numpy": numpy.__version__,
        "ml_dtypes": ml_dtypes.__version__,
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "script": "tests/reference/make_reference.py",
    }
    path.write_text(encode({"made_by": made_by, **content}) + "\n", encoding="ascii")


def values(generator, *shape, scale=1.0):
    """Normal f64 values rounded to 1/1024: short as text and exact in f32."""
    raw = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    return torch.round(raw * 1024) / 1024


def generator(seed):
    return torch.Generator().manual_seed(seed)


def leaf(value, dtype):
    """A trainable copy: PyTorch's in-place updates never reach the shared input."""
    return torch.nn.Parameter(value.detach().clone().to(dtype))


PRECISIONS = {"f64": torch.float64, "f32": torch.float32}


def both(compute):
    """{"f64": compute(float64), "f32": compute(float32)}."""
    return {name: compute(dtype) for name, dtype in PRECISIONS.items()}
