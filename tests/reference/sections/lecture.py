"""The two worked examples of the lecture notes."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from . import writer


def gradients_basics():
    def compute(dtype):
        x = torch.tensor([1.0, 2, 3], dtype=dtype)
        w = torch.ones(3, dtype=dtype, requires_grad=True)
        pred_y = x @ w
        loss = 0.5 * (pred_y - 5).pow(2)
        loss.backward()
        return {"x": x, "w": w, "pred_y": pred_y, "loss": loss, "grad_w": w.grad}

    return writer.both(compute)


def gradients_flops():
    """x -> h1 = x @ w1 -> h2 = h1 @ w2 -> mean(h2^2), with PyTorch's own FLOP counts."""
    b, d, k = 6, 5, 3
    gen = writer.generator(11)
    inputs = {"x": writer.values(gen, b, d), "w1": writer.values(gen, d, d, scale=d**-0.5),
              "w2": writer.values(gen, d, k, scale=d**-0.5)}

    def graph(dtype, x_needs_gradient):
        leaves = {n: writer.leaf(v, dtype) for n, v in inputs.items()}
        leaves["x"].requires_grad_(x_needs_gradient)
        h1 = leaves["x"] @ leaves["w1"]
        h2 = h1 @ leaves["w2"]
        return leaves, h1, h2, h2.pow(2).mean()

    def compute(dtype):
        leaves, h1, h2, loss = graph(dtype, True)
        h1.retain_grad()
        h2.retain_grad()
        loss.backward()
        return {"h1": h1, "h2": h2, "loss": loss, "grad_h1": h1.grad, "grad_h2": h2.grad,
                **{f"grad_{n}": v.grad for n, v in leaves.items()}}

    def count(x_needs_gradient):
        with FlopCounterMode(display=False) as forward:
            loss = graph(torch.float32, x_needs_gradient)[-1]
        with FlopCounterMode(display=False) as backward:
            loss.backward()
        return {"forward": forward.get_total_flops(), "backward": backward.get_total_flops()}

    return {"B": b, "D": d, "K": k, **inputs, **writer.both(compute),
            "flops_with_input_gradient": count(True), "flops_without_input_gradient": count(False)}


FILES = {"gradients_basics.json": gradients_basics, "gradients_flops.json": gradients_flops}
