"""Forward and backward of attention and of rotary position embedding."""

import math

import torch

from . import writer

# name, batch, time, heads, kv_heads, head_dim, causal, window, scale
ATTENTION = [
    ("one_query", 1, 1, 1, 1, 1, True, 0, None),
    ("causal", 2, 7, 3, 3, 5, True, 0, None),
    ("all_keys", 2, 6, 2, 2, 4, False, 0, None),
    ("grouped", 2, 9, 6, 2, 3, True, 0, None),
    ("one_kv_head", 1, 8, 4, 1, 4, True, 0, None),
    ("grouped_all_keys", 1, 5, 4, 2, 3, False, 0, None),
    ("window", 1, 11, 2, 2, 4, True, 3, None),
    ("window_of_one", 1, 6, 2, 1, 3, True, 1, None),
    ("window_wider_than_time", 1, 5, 2, 2, 3, True, 40, None),
    ("scaled", 1, 7, 2, 2, 6, True, 0, 0.75),
    ("scaled_up", 1, 6, 1, 1, 3, True, 0, 3.0),
]


def _attention(q, k, v, heads, kv_heads, causal, window, scale):
    """Written out: scores of every query and key, masked, softmax, values."""
    batch, time, _ = q.shape
    d = q.shape[-1] // heads
    q = q.view(batch, time, heads, d).transpose(1, 2)
    k = k.view(batch, time, kv_heads, d).transpose(1, 2)
    v = v.view(batch, time, kv_heads, d).transpose(1, 2)
    k = k.repeat_interleave(heads // kv_heads, dim=1)
    v = v.repeat_interleave(heads // kv_heads, dim=1)
    scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(d))
    t = torch.arange(time)
    seen = torch.ones(time, time, dtype=torch.bool)
    if causal:
        seen &= t[None, :] <= t[:, None]
    if window:
        seen &= t[None, :] > t[:, None] - window
    scores = scores.masked_fill(~seen, float("-inf"))
    probabilities = torch.softmax(scores, dim=-1)
    out = (probabilities @ v).transpose(1, 2).reshape(batch, time, heads * d)
    return out, torch.logsumexp(scores, dim=-1), probabilities


def attention():
    gen, cases = writer.generator(8), []
    for name, batch, time, heads, kv_heads, d, causal, window, scale in ATTENTION:
        inputs = {"q": writer.values(gen, batch, time, heads * d),
                  "k": writer.values(gen, batch, time, kv_heads * d),
                  "v": writer.values(gen, batch, time, kv_heads * d)}
        grad_out = writer.values(gen, batch, time, heads * d)

        def compute(dtype):
            leaves = {n: writer.leaf(x, dtype) for n, x in inputs.items()}
            out, lse, probabilities = _attention(**leaves, heads=heads, kv_heads=kv_heads,
                                                 causal=causal, window=window, scale=scale)
            out.backward(grad_out.to(dtype))
            return {"out": out, "log_sum_exp": lse, "probabilities": probabilities,
                    **{f"grad_{n}": x.grad for n, x in leaves.items()}}

        cases.append({"name": name, "heads": heads, "kv_heads": kv_heads, "head_dim": d,
                      "causal": causal, "window": window, "scale": scale or 0.0, **inputs,
                      "grad_out": grad_out, **writer.both(compute)})
    return {"cases": cases}


# name, batch, time, columns, heads, head_dim, interleaved, theta, first position, scaling
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position": 8192}
ROPE = [
    ("halves", 2, 5, 12, 3, 4, False, 10000.0, 0, None),
    ("neighbours", 2, 5, 12, 3, 4, True, 10000.0, 0, None),
    ("one_pair", 1, 4, 2, 1, 2, False, 10000.0, 0, None),
    ("odd_pairs", 1, 7, 18, 3, 6, False, 500000.0, 0, None),
    ("leading_heads", 2, 3, 24, 4, 4, False, 10000.0, 0, None),
    ("leading_heads_neighbours", 1, 3, 24, 2, 4, True, 10000.0, 3, None),
    ("linear", 1, 6, 8, 1, 8, False, 10000.0, 0, {"rope_type": "linear", "factor": 4.0}),
    ("llama3", 1, 3, 64, 1, 64, False, 500000.0, 0, LLAMA3),
    ("llama3_far", 1, 2, 64, 1, 64, False, 500000.0, 131070, LLAMA3),
    ("far", 1, 2, 32, 1, 32, False, 10000.0, 131070, None),
]


def _frequencies(d, theta, scaling):
    """Inverse frequencies in f64, as `rope_scaling` of Hugging Face transformers has them."""
    plain = 1.0 / theta ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    if scaling is None:
        return plain
    factor = scaling["factor"]
    if scaling["rope_type"] == "linear":
        return plain / factor
    length = scaling["original_max_position"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    wavelength = 2 * math.pi / plain
    kept = ((length / wavelength - low) / (high - low)).clamp(0, 1)
    return kept * plain + (1 - kept) * plain / factor


def _rope(x, heads, d, interleaved, frequencies, first):
    batch, time, columns = x.shape
    angles = torch.arange(first, first + time, dtype=torch.float64)[:, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    turned, rest = x[..., :heads * d].view(batch, time, heads, d), x[..., heads * d:]
    cos, sin = cos[None, :, None, :], sin[None, :, None, :]
    if interleaved:
        a, b = turned[..., 0::2], turned[..., 1::2]
        y = torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)
    else:
        rotated = torch.cat((-turned[..., d // 2:], turned[..., :d // 2]), dim=-1)
        y = turned * torch.cat((cos, cos), -1) + rotated * torch.cat((sin, sin), -1)
    return torch.cat((y.reshape(batch, time, heads * d), rest), dim=-1)


def rope():
    gen, cases = writer.generator(9), []
    for name, batch, time, columns, heads, d, interleaved, theta, first, scaling in ROPE:
        x = writer.values(gen, batch, time, columns)
        grad_y = writer.values(gen, batch, time, columns)
        frequencies = _frequencies(d, theta, scaling)

        def compute(dtype):
            leaf = writer.leaf(x, dtype)
            y = _rope(leaf, heads, d, interleaved, frequencies, first)
            y.backward(grad_y.to(dtype))
            return {"y": y, "grad_x": leaf.grad}

        cases.append({"name": name, "heads": heads, "head_dim": d, "interleaved": interleaved,
                      "theta": theta, "first_position": first,
                      "scaling": scaling or {"rope_type": "none"}, "frequencies": frequencies,
                      "x": x, "grad_y": grad_y, **writer.both(compute)})
    return {"angles": "position times inverse frequency, both in f64, for f32 too", "cases": cases}


FILES = {"attention.json": attention, "rope.json": rope}
