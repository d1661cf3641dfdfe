"""Whole models: first-step gradients and ten training steps of the Cruncher and of an MLP."""

import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from . import optimizers, writer
from .ops import ACTIVATIONS

STEPS = 10
ACCUMULATIONS = (1, 2)
MICRO_BATCHES = STEPS * max(ACCUMULATIONS)


def _set_gradients(model, parameters, batches):
    """Gradient of the mean loss over all micro batches of one step; returns that loss."""
    total = 0.0
    for p in parameters.values():
        p.grad = None
    for batch in batches:
        loss = model(parameters, *batch) / len(batches)
        loss.backward()
        total = total + loss.detach()
    return total


def _leaves(initial, dtype):
    return {k: writer.leaf(v, dtype) for k, v in initial.items()}


def _step_batches(data, step, accumulation, dtype):
    """Micro batch k of step s is number s * accumulation + k."""
    convert = lambda t: t.to(dtype) if t.is_floating_point() else t.long()
    first = step * accumulation
    return [[convert(t[i]) for t in data] for i in range(first, first + accumulation)]


def _first_step(model, initial, data, accumulation):
    def compute(dtype):
        parameters = _leaves(initial, dtype)
        loss = _set_gradients(model, parameters, _step_batches(data, 0, accumulation, dtype))
        return {"loss": loss, "gradients": {k: p.grad for k, p in parameters.items()}}

    return {"accumulation": accumulation, **writer.both(compute)}


def _training(model, initial, data, accumulation, name, form, hyper):
    def compute(dtype):
        parameters = _leaves(initial, dtype)
        optimizer = optimizers.torch_optimizer(name, list(parameters.values()), hyper, form)
        losses, norms = [], []
        for step in range(STEPS):
            batches = _step_batches(data, step, accumulation, dtype)
            losses.append(_set_gradients(model, parameters, batches))
            flat = torch.cat([p.grad.reshape(-1) for p in parameters.values()])
            norms.append(torch.linalg.vector_norm(flat))
            optimizer.step()
        return {"losses": torch.stack(losses), "gradient_norms": torch.stack(norms),
                "final_parameters": {k: p.detach() for k, p in parameters.items()}}

    return {"optimizer": name, "form": form, "hyper": hyper, "accumulation": accumulation,
            **writer.both(compute)}


def _flops(model, initial, data):
    """Matmul FLOPs of one micro batch as PyTorch's own counter sees them; x needs no gradient."""
    parameters, (batch,) = _leaves(initial, torch.float32), _step_batches(data, 0, 1, torch.float32)
    with FlopCounterMode(display=False) as forward:
        loss = model(parameters, *batch)
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    return {"forward": forward.get_total_flops(), "backward": backward.get_total_flops()}


def _model_case(model, predict, initial, data, recipes):
    predictions = writer.both(
        lambda dtype: predict(_leaves(initial, dtype), _step_batches(data, 0, 1, dtype)[0][0]))
    return {
        "predictions": predictions,
        "flops": _flops(model, initial, data),
        "first_step": [_first_step(model, initial, data, a) for a in ACCUMULATIONS],
        "runs": [_training(model, initial, data, a, *recipe)
                 for recipe in recipes for a in ACCUMULATIONS],
    }


def cruncher():
    """The lecture's model with the head applied: the notes define `final` but do not call it."""
    dim, layers, batch = 7, 3, 5
    gen = writer.generator(8)
    shapes = {f"layers.{i}.weight": (dim, dim) for i in range(layers)}
    shapes["final.weight"] = (dim, 1)
    initial = {k: writer.values(gen, *s, scale=dim**-0.5) for k, s in shapes.items()}
    data = [writer.values(gen, MICRO_BATCHES, batch, dim), writer.values(gen, MICRO_BATCHES, batch)]

    def predict(parameters, x):
        for i in range(layers):
            x = x @ parameters[f"layers.{i}.weight"]
        return (x @ parameters["final.weight"]).squeeze(-1)

    def model(parameters, x, y):
        return F.mse_loss(predict(parameters, x), y)

    recipes = [
        ("sgd", "pytorch", {**optimizers.SGD, "lr": 0.05}),
        ("sgd", "pytorch", {**optimizers.SGD, "lr": 0.02, "momentum": 0.9, "weight_decay": 0.01}),
        ("adagrad", "lecture", dict(lr=0.05, eps=1e-5)),
        ("adamw", "pytorch", {**optimizers.ADAMW, "lr": 0.01, "weight_decay": 0.1}),
    ]
    return {"dim": dim, "num_layers": layers, "micro_batch_size": batch, "steps": STEPS,
            "layout": "in_out", "loss": "mse", "parameters": initial, "x": data[0],
            "target": data[1], **_model_case(model, predict, initial, data, recipes)}


def _mlp(loss_name, seed):
    sizes, batch = [5, 8, 6, 3], 4
    gen = writer.generator(seed)
    initial = {}
    for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
        initial[f"layers.{i}.weight"] = writer.values(gen, n_out, n_in, scale=n_in**-0.5)
        initial[f"layers.{i}.bias"] = writer.values(gen, n_out, scale=0.1)
    x = writer.values(gen, MICRO_BATCHES, batch, sizes[0])
    if loss_name == "mse":
        target, loss = writer.values(gen, MICRO_BATCHES, batch, sizes[-1]), F.mse_loss
    else:
        target = torch.randint(sizes[-1], (MICRO_BATCHES, batch), generator=gen, dtype=torch.int32)
        loss = F.cross_entropy

    def case(activation):
        def predict(parameters, h):
            for i in range(len(sizes) - 1):
                h = F.linear(h, parameters[f"layers.{i}.weight"], parameters[f"layers.{i}.bias"])
                h = ACTIVATIONS[activation](h) if i + 2 < len(sizes) else h
            return h

        def model(parameters, x, y):
            return loss(predict(parameters, x), y)

        recipes = [
            ("sgd", "pytorch", {**optimizers.SGD, "lr": 0.05, "momentum": 0.9}),
            ("adamw", "pytorch", {**optimizers.ADAMW, "lr": 0.01, "weight_decay": 0.1}),
        ]
        return {"activation": activation,
                **_model_case(model, predict, initial, [x, target], recipes)}

    return {"input_size": sizes[0], "hidden_sizes": sizes[1:-1], "output_size": sizes[-1],
            "micro_batch_size": batch, "steps": STEPS, "layout": "out_in", "loss": loss_name,
            "parameters": initial, "x": x, "target": target,
            "cases": [case(a) for a in ACTIVATIONS]}


FILES = {
    "cruncher.json": cruncher,
    "mlp_cross_entropy.json": lambda: _mlp("cross_entropy", 9),
    "mlp_mse.json": lambda: _mlp("mse", 10),
}
