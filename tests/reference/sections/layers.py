"""Forward and backward of the parts of a transformer block: norms, embedding, gated activation."""

import torch
import torch.nn.functional as F

from . import writer

# name, leading sizes of x, columns, eps, size of the values, their mean
NORM_SIZES = [
    ("odd", (5,), 7, 1e-5, 1.0, 0.0),
    ("batch", (2, 3), 17, 1e-6, 1.0, 0.0),
    ("one_row", (1,), 5, 1e-5, 1.0, 0.0),
    ("three_columns", (4,), 3, 1e-5, 1.0, 0.0),
    ("small_values", (3,), 9, 1e-5, 2.0**-7, 0.0),
    ("large_mean", (3,), 65, 1e-5, 1.0, 16.0),
    ("large_eps", (3,), 6, 0.5, 1.0, 0.0),
]


def _run(function, inputs, upstream, names):
    """Both precisions of function(**inputs) -> tuple and the gradient of each input."""

    def compute(dtype):
        leaves = {k: writer.leaf(v, dtype) for k, v in inputs.items()}
        outs = function(**leaves)
        torch.autograd.backward(outs, [g.to(dtype) for g in upstream])
        return {**dict(zip(names, outs)), **{f"grad_{k}": v.grad for k, v in leaves.items()}}

    return writer.both(compute)


def _norm_cases(norm, has_bias, seed):
    gen, cases = writer.generator(seed), []
    for name, leading, columns, eps, scale, mean in NORM_SIZES:
        for residual in (False, True):
            inputs = {"x": writer.values(gen, *leading, columns, scale=scale) + mean}
            if residual:
                inputs["residual"] = writer.values(gen, *leading, columns, scale=scale)
            inputs["weight"] = 1 + writer.values(gen, columns, scale=0.25)
            if has_bias:
                inputs["bias"] = writer.values(gen, columns)
            upstream = [writer.values(gen, *leading, columns)]
            names = ["y"]
            if residual:
                upstream.append(writer.values(gen, *leading, columns))
                names.append("sum")

            def function(x, weight, residual=None, bias=None):
                total = x if residual is None else x + residual
                y = norm(total, weight, bias, eps)
                return (y,) if residual is None else (y, total)

            cases.append({"name": name + ("_residual" if residual else ""), "eps": eps,
                          "residual_form": residual, **inputs, "grad_y": upstream[0],
                          **({"grad_sum": upstream[1]} if residual else {}),
                          **_run(function, inputs, upstream, names)})
    return cases


def norms():
    return {
        "layer_norm": _norm_cases(
            lambda x, w, b, eps: F.layer_norm(x, w.shape, w, b, eps), True, 21),
        "rms_norm": _norm_cases(lambda x, w, b, eps: F.rms_norm(x, w.shape, w, eps), False, 22),
    }


# name, sizes of the tokens, rows of the table, columns, rows of the positions (0: none)
EMBEDDING_SIZES = [
    ("odd", (3, 5), 7, 9, 0),
    ("positions", (3, 5), 11, 6, 5),
    ("more_positions_than_tokens", (2, 3), 4, 5, 8),
    ("one_token", (1, 1), 3, 4, 1),
    ("one_row_table", (2, 3), 1, 4, 0),
    ("many_untouched_rows", (1, 4), 131, 3, 4),
]


def embedding():
    gen, cases = writer.generator(23), []
    for name, tokens_size, vocabulary, columns, max_positions in EMBEDDING_SIZES:
        tokens = torch.randint(vocabulary, tokens_size, generator=gen, dtype=torch.int32)
        inputs = {"table": writer.values(gen, vocabulary, columns)}
        if max_positions:
            inputs["positions"] = writer.values(gen, max_positions, columns)
        upstream = [writer.values(gen, *tokens_size, columns)]

        def function(table, positions=None):
            y = F.embedding(tokens.long(), table)
            return (y if positions is None else y + positions[:tokens_size[-1]],)

        cases.append({"name": name, "tokens": tokens, **inputs, "grad_y": upstream[0],
                      **_run(function, inputs, upstream, ["y"])})
    return {"cases": cases}


def swiglu():
    gen, cases = writer.generator(24), []
    for name, size, scale in [("odd", (5, 7), 1.0), ("batch", (2, 3, 17), 2.0), ("one", (1,), 1.0),
                              ("large_values", (4, 9), 40.0)]:
        inputs = {"gate": writer.values(gen, *size, scale=scale),
                  "up": writer.values(gen, *size, scale=scale)}
        upstream = [writer.values(gen, *size)]
        cases.append({"name": name, **inputs, "grad_y": upstream[0],
                      **_run(lambda gate, up: (F.silu(gate) * up,), inputs, upstream, ["y"])})
    return {"cases": cases}


FILES = {"norms.json": norms, "embedding.json": embedding, "swiglu.json": swiglu}
