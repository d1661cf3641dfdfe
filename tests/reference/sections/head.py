"""Language-model head and cross-entropy, as a linear layer without bias and F.cross_entropy."""

import torch
import torch.nn.functional as F

from . import writer

IGNORED = -100

# name, leading sizes, width, rows of the weight, real classes, every n-th target ignored,
# valid targets of the whole step (None: those of this call), factor
CASES = [
    ("small", (4,), 3, 5, 5, None, None, 1.0),
    ("leading_dims", (2, 3), 5, 7, 7, None, None, 0.5),
    ("one_row", (1,), 4, 9, 9, None, None, 1.0),
    ("one_class", (3,), 2, 1, 1, None, None, 1.0),
    ("ignored", (13,), 4, 11, 11, 3, None, 1.0),
    ("all_but_one_ignored", (5,), 3, 8, 8, 1, None, 1.0),
    ("valid_given", (2, 5), 3, 6, 6, 4, 37, 1.0),
    ("padded", (7,), 4, 16, 13, 5, None, 0.25),
    ("several_chunks", (2, 135), 3, 67, 67, 7, None, 1.0),
]


def head_cross_entropy():
    gen, cases = writer.generator(21), []
    for name, leading, width, rows, classes, every, valid, scale in CASES:
        hidden = writer.values(gen, *leading, width)
        weight = writer.values(gen, rows, width)
        target = torch.randint(classes, leading, generator=gen, dtype=torch.int32)
        if every is not None:
            target.view(-1)[1::every] = IGNORED
        divisor = int((target != IGNORED).sum()) if valid is None else valid

        def compute(dtype):
            h, w = writer.leaf(hidden, dtype), writer.leaf(weight, dtype)
            logits = h @ w[:classes].t()
            total = F.cross_entropy(logits.reshape(-1, classes), target.reshape(-1).long(),
                                    ignore_index=IGNORED, reduction="sum")
            loss = total * scale / divisor
            loss.backward()
            return {"loss": loss, "grad_hidden": h.grad, "grad_weight": w.grad}

        cases.append({"name": name, "hidden": hidden, "weight": weight, "target": target,
                      "classes": classes, "scale": scale,
                      **({} if valid is None else {"valid": valid}), **writer.both(compute)})
    return {"cases": cases}


FILES = {"head_cross_entropy.json": head_cross_entropy}
