"""Forward and backward of single ops: activations, losses, linear, einsum, reduce."""

import torch
import torch.nn.functional as F

from . import writer

ACTIVATIONS = {
    "relu": lambda x: F.relu(x),
    "gelu": lambda x: F.gelu(x),
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": lambda x: F.silu(x),
}


def _backward(function, inputs, grad_out, out_name):
    """Both precisions of function(**inputs) and the gradient of each input under grad_out."""

    def compute(dtype):
        leaves = {k: writer.leaf(v, dtype) for k, v in inputs.items()}
        out = function(**leaves)
        out.backward(grad_out.to(dtype))
        return {out_name: out, **{f"grad_{k}": v.grad for k, v in leaves.items()}}

    return writer.both(compute)


def activations():
    magnitudes = [0.0, 1e-40, 2.0**-126, 1e-30, 1e-8, 1e-4, 1e-2, 0.7517916, 1.278464]
    magnitudes += [i / 4 for i in range(1, 25)]
    magnitudes += [7.0, 8.0, 9.0, 10.0, 12.0, 20.0, 50.0, 87.5, 89.0, 104.0, 1e3, 1e6, 1e12]
    # Rounded to f32 so that both precisions start from the same numbers.
    x = torch.tensor([s * m for m in magnitudes for s in (1.0, -1.0)], dtype=torch.float32)
    x = x.double()
    grad_y = 1 + writer.values(writer.generator(2), x.numel(), scale=0.5)
    cases = [{"name": name, **_backward(f, {"x": x}, grad_y, "y")}
             for name, f in ACTIVATIONS.items()]
    return {"x": x, "grad_y": grad_y, "cases": cases}


def _mse_cases(gen):
    shapes = {"vector": (5,), "matrix": (4, 3), "one": (1,), "odd": (3, 5, 7)}
    for name, shape in shapes.items():
        yield name, writer.values(gen, *shape), writer.values(gen, *shape), 1.0
    yield "large", writer.values(gen, 6) * 2.0**14, writer.values(gen, 6), 1.0
    yield "equal", torch.ones(4, dtype=torch.float64), torch.ones(4, dtype=torch.float64), 1.0
    yield "scaled", writer.values(gen, 4, 3), writer.values(gen, 4, 3), 0.25


def _cross_entropy_cases(gen):
    def targets(rows, classes):
        return torch.randint(classes, (rows,), generator=gen, dtype=torch.int32)

    for name, rows, classes in [("small", 4, 3), ("odd", 7, 11), ("wide", 3, 65), ("one_row", 1, 5),
                                ("one_class", 3, 1)]:
        yield name, writer.values(gen, rows, classes, scale=2), targets(rows, classes), 1.0
    yield "uniform", torch.full((2, 8), 3.0, dtype=torch.float64), targets(2, 8), 1.0
    # exp of these overflows or vanishes unless the row maximum is taken off first.
    yield "large_logits", writer.values(gen, 5, 6, scale=400), targets(5, 6), 1.0
    huge = torch.tensor([[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4], [88.0, 89.0, 104.0]])
    yield "huge_logits", huge.double(), torch.tensor([1, 2, 0], dtype=torch.int32), 1.0
    yield "scaled", writer.values(gen, 4, 3, scale=2), targets(4, 3), 0.25


def losses():
    mse, cross_entropy = [], []
    for name, pred, target, scale in _mse_cases(writer.generator(3)):
        def compute(dtype):
            p = writer.leaf(pred, dtype)
            loss = F.mse_loss(p, target.to(dtype))
            loss.backward(torch.tensor(scale, dtype=dtype))
            return {"loss": loss, "grad_pred": p.grad}

        mse.append({"name": name, "pred": pred, "target": target, "grad_loss": scale,
                    **writer.both(compute)})
    for name, logits, target, scale in _cross_entropy_cases(writer.generator(4)):
        def compute(dtype):
            z = writer.leaf(logits, dtype)
            loss = F.cross_entropy(z, target.long())
            loss.backward(torch.tensor(scale, dtype=dtype))
            return {"loss": loss, "log_sum_exp": torch.logsumexp(z, -1), "grad_logits": z.grad}

        cross_entropy.append({"name": name, "logits": logits, "target": target, "grad_loss": scale,
                              **writer.both(compute)})
    return {"mse": mse, "cross_entropy": cross_entropy}


# name, leading sizes of x, input size, output size, head (the last dimension squeezed away)
LINEAR_SIZES = [
    ("odd", (5,), 7, 3, False),
    ("unit", (1,), 1, 1, False),
    ("one_row", (1,), 5, 4, False),
    ("wider_than_a_vector", (9,), 17, 11, False),
    ("leading_dims", (2, 3), 5, 4, False),
    ("head", (6,), 13, 1, True),
]


def linear():
    gen, cases = writer.generator(5), []
    for name, leading, n_in, n_out, head in LINEAR_SIZES:
        for layout in ("in_out", "out_in"):
            for bias in (False, True):
                shape = (n_in, n_out) if layout == "in_out" else (n_out, n_in)
                inputs = {"x": writer.values(gen, *leading, n_in),
                          "weight": writer.values(gen, *shape, scale=n_in**-0.5)}
                if bias:
                    inputs["bias"] = writer.values(gen, n_out)

                def function(x, weight, bias=None):
                    y = x @ (weight if layout == "in_out" else weight.t())
                    y = y if bias is None else y + bias
                    return y.squeeze(-1) if head else y

                grad_y = writer.values(gen, *leading) if head else writer.values(gen, *leading,
                                                                               n_out)
                cases.append({"name": f"{name}_{layout}" + ("_bias" if bias else ""),
                              "layout": layout, "has_bias": bias, "squeeze": head, **inputs,
                              "grad_y": grad_y, **_backward(function, inputs, grad_y, "y")})
    return {"cases": cases}


# name, pattern, size of each dimension
EINSUMS = [
    ("lecture", "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2",
     dict(batch=2, seq1=3, seq2=3, hidden=4)),
    ("scores_odd", "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2",
     dict(batch=3, seq1=5, seq2=7, hidden=9)),
    ("matmul", "m k, k n -> m n", dict(m=5, k=7, n=3)),
    ("matmul_larger", "m k, k n -> m n", dict(m=9, k=17, n=11)),
    ("matmul_left_transposed", "k m, k n -> m n", dict(m=5, k=7, n=3)),
    ("matmul_right_transposed", "m k, n k -> m n", dict(m=5, k=7, n=3)),
    ("matmul_both_transposed", "k m, n k -> m n", dict(m=5, k=7, n=3)),
    ("matmul_output_transposed", "m k, k n -> n m", dict(m=5, k=7, n=3)),
    ("matrix_vector", "m k, k -> m", dict(m=5, k=7)),
    ("vector_matrix", "k, k n -> n", dict(k=7, n=3)),
    ("dot", "k, k ->", dict(k=7)),
    ("outer", "i, j -> i j", dict(i=5, j=3)),
    ("outer_permuted", "i, j k -> k i j", dict(i=2, j=3, k=4)),
    ("elementwise", "i j, i j -> i j", dict(i=3, j=5)),
    ("elementwise_permuted", "i j, j i -> j i", dict(i=3, j=5)),
    ("scale_rows", "i j, i -> i j", dict(i=3, j=5)),
    ("full_contraction", "i j, i j ->", dict(i=3, j=5)),
    ("full_contraction_permuted", "i j k, k i j ->", dict(i=2, j=3, k=4)),
    ("two_contracted", "b i j, i j o -> b o", dict(b=3, i=4, j=2, o=5)),
    ("two_contracted_permuted", "j b i, o i j -> b o", dict(b=3, i=4, j=2, o=5)),
    ("attention_values", "batch head query key, batch head key size -> batch query head size",
     dict(batch=2, head=2, query=3, key=4, size=5)),
    ("attention_scores", "batch query head size, batch key head size -> batch head query key",
     dict(batch=2, head=2, query=3, key=4, size=5)),
    ("two_batch_dims_apart", "b x h k, h b k y -> x b y h", dict(b=2, h=3, x=2, k=4, y=3)),
    ("batched_vector", "b k, b k -> b", dict(b=4, k=6)),
    ("batched_outer", "b i, b j -> b j i", dict(b=3, i=4, j=2)),
    ("shared_weight", "batch seq hidden, hidden out -> batch seq out",
     dict(batch=2, seq=3, hidden=5, out=4)),
    ("head_projection", "batch seq hidden, head size hidden -> batch head seq size",
     dict(batch=2, seq=3, hidden=5, head=2, size=3)),
    ("summed_in_right_only", "b i, b j k -> b i j", dict(b=2, i=3, j=4, k=5)),
    ("summed_in_left_only", "m k s, k n -> m n", dict(m=3, k=4, s=5, n=2)),
    ("summed_in_both_apart", "i s, j t -> j i", dict(i=3, s=4, j=2, t=5)),
    ("size_one_dims", "b m k, b k n -> b m n", dict(b=1, m=1, k=4, n=1)),
    ("scalar_left", ", i j -> i j", dict(i=3, j=2)),
]


def letters(pattern):
    """The same pattern in the one-letter form that torch.einsum reads."""
    words = [w for w in pattern.replace(",", " ").replace("->", " ").split()]
    letter = {w: chr(ord("a") + i) for i, w in enumerate(dict.fromkeys(words))}
    left, right = pattern.split("->")
    inputs = [[w for w in part.split()] for part in left.split(",")]
    text = ",".join("".join(letter[w] for w in dims) for dims in inputs)
    return inputs, right.split(), f"{text}->{''.join(letter[w] for w in right.split())}"


def einsum():
    gen, cases = writer.generator(6), []
    for name, pattern, sizes in EINSUMS:
        (a_dims, b_dims), out_dims, torch_pattern = letters(pattern)
        shape = lambda dims: [sizes[d] for d in dims]
        inputs = {"a": writer.values(gen, *shape(a_dims)), "b": writer.values(gen, *shape(b_dims))}
        grad_out = writer.values(gen, *shape(out_dims))
        run = _backward(lambda a, b: torch.einsum(torch_pattern, a, b), inputs, grad_out, "out")
        cases.append({"name": name, "pattern": pattern, "torch_pattern": torch_pattern, **inputs,
                      "grad_out": grad_out, **run})
    return {"cases": cases}


REDUCES = [
    ("lecture", "batch seq hidden -> batch hidden", dict(batch=2, seq=3, hidden=4)),
    ("last", "batch seq hidden -> batch seq", dict(batch=3, seq=5, hidden=7)),
    ("first", "batch seq hidden -> seq hidden", dict(batch=3, seq=5, hidden=7)),
    ("two_apart", "batch seq hidden -> seq", dict(batch=3, seq=5, hidden=7)),
    ("two_inner", "batch seq hidden -> batch", dict(batch=3, seq=5, hidden=7)),
    ("all", "batch seq ->", dict(batch=3, seq=5)),
    ("permuted", "batch seq hidden -> hidden batch", dict(batch=2, seq=3, hidden=4)),
    ("nothing", "batch seq -> batch seq", dict(batch=2, seq=3)),
    ("size_one", "batch seq hidden -> batch hidden", dict(batch=2, seq=1, hidden=3)),
    ("vector", "n ->", dict(n=9)),
    ("four", "a b c d -> a c", dict(a=2, b=3, c=4, d=2)),
]


def _reduce(op, pattern):
    (dims,), out_dims, _ = letters(pattern)
    gone = [i for i, d in enumerate(dims) if d not in out_dims]
    kept = [d for d in dims if d in out_dims]
    order = [kept.index(d) for d in out_dims]
    # An empty dim list means "all dims" to PyTorch, so keeping every dimension is handled here.
    function = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}[op]

    def apply(x):
        y = function(x, dim=gone) if gone else x.clone()
        return y.permute(order) if order else y

    return apply


def reduce():
    gen, cases = writer.generator(7), []
    for name, pattern, sizes in REDUCES:
        (dims,), out_dims, _ = letters(pattern)
        x = writer.values(gen, *[sizes[d] for d in dims])
        grad_out = writer.values(gen, *[sizes[d] for d in out_dims])
        # Equal values would make the gradient of max ambiguous; ties have cases of their own below.
        while x.unique().numel() != x.numel():
            x = writer.values(gen, *[sizes[d] for d in dims])
        for op in ("sum", "mean", "max"):
            run = _backward(_reduce(op, pattern), {"x": x}, grad_out, "out")
            cases.append({"name": f"{name}_{op}", "pattern": pattern, "op": op, "ties": False,
                          "x": x, "grad_out": grad_out, **run})
    x = torch.tensor([[2.0, 2, 1, 2], [0, 0, 0, 0], [-1, -3, -1, -2]], dtype=torch.float64)
    for name, pattern, grad_out in [("max_ties_rows", "row col -> row", [3.0, 1.0, -2.0]),
                                    ("max_ties_all", "row col ->", 3.0)]:
        grad_out = torch.tensor(grad_out, dtype=torch.float64)
        run = _backward(_reduce("max", pattern), {"x": x}, grad_out, "out")
        cases.append({"name": name, "pattern": pattern, "op": "max", "ties": True, "x": x,
                      "grad_out": grad_out, **run})
    return {"max_gradient": "torch.amax: an upstream gradient is split evenly among equal maxima",
            "cases": cases}


FILES = {
    "activations.json": activations,
    "losses.json": losses,
    "linear.json": linear,
    "einsum.json": einsum,
    "reduce.json": reduce,
}
