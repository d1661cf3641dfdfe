"""optimizers.json: parameters and states after each of ten steps with given gradients."""

import numpy
import torch

from . import writer

STEPS = 10

SGD = dict(lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False)
ADAGRAD = dict(lr=0.1, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10)
RMSPROP = dict(lr=0.01, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False)
ADAM = dict(lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)
ADAMW = dict(lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01)

PYTORCH_CASES = [
    ("sgd_plain", "sgd", SGD, {}),
    ("sgd_momentum", "sgd", SGD, dict(momentum=0.9)),
    ("sgd_nesterov", "sgd", SGD, dict(momentum=0.9, nesterov=True)),
    ("sgd_dampening", "sgd", SGD, dict(momentum=0.9, dampening=0.5)),
    ("sgd_weight_decay", "sgd", SGD, dict(weight_decay=0.01)),
    ("sgd_momentum_weight_decay", "sgd", SGD, dict(lr=0.01, momentum=0.8, weight_decay=0.1)),
    ("sgd_nesterov_weight_decay", "sgd", SGD, dict(momentum=0.9, nesterov=True, weight_decay=0.01)),
    ("sgd_all_but_nesterov", "sgd", SGD, dict(momentum=0.5, dampening=0.25, weight_decay=0.05)),
    ("adagrad", "adagrad", ADAGRAD, {}),
    ("adagrad_initial_accumulator", "adagrad", ADAGRAD, dict(initial_accumulator_value=0.1)),
    ("adagrad_lr_decay", "adagrad", ADAGRAD, dict(lr_decay=0.05)),
    ("adagrad_weight_decay_eps", "adagrad", ADAGRAD, dict(lr=0.01, weight_decay=0.01, eps=1e-3)),
    ("rmsprop", "rmsprop", RMSPROP, {}),
    ("rmsprop_alpha_eps", "rmsprop", RMSPROP, dict(lr=0.1, alpha=0.9, eps=1e-3)),
    ("rmsprop_momentum", "rmsprop", RMSPROP, dict(momentum=0.9)),
    ("rmsprop_centered", "rmsprop", RMSPROP, dict(centered=True)),
    ("rmsprop_weight_decay", "rmsprop", RMSPROP, dict(weight_decay=0.1)),
    ("rmsprop_all", "rmsprop", RMSPROP,
     dict(alpha=0.95, momentum=0.5, centered=True, weight_decay=0.01)),
    ("adam", "adam", ADAM, {}),
    ("adam_large_lr", "adam", ADAM, dict(lr=0.1)),
    ("adam_betas_eps", "adam", ADAM, dict(lr=0.01, beta1=0.8, beta2=0.95, eps=1e-4)),
    ("adam_weight_decay", "adam", ADAM, dict(lr=0.01, weight_decay=0.1)),
    ("adamw", "adamw", ADAMW, {}),
    ("adamw_large", "adamw", ADAMW, dict(lr=0.1, weight_decay=0.1)),
    ("adamw_betas_eps", "adamw", ADAMW,
     dict(lr=0.01, beta1=0.8, beta2=0.95, eps=1e-4, weight_decay=0.1)),
    ("adamw_no_decay", "adamw", ADAMW, dict(lr=0.01, weight_decay=0.0)),
]

LECTURE_CASES = [
    ("adagrad_lecture", dict(lr=0.1, eps=1e-5)),
    ("adagrad_lecture_small_lr", dict(lr=0.01, eps=1e-5)),
    ("adagrad_lecture_large_eps", dict(lr=0.1, eps=1e-2)),
]

# The plain one-tensor loop, so that f32 rounding follows the published formula term by term.
_TORCH_CLASSES = {
    "sgd": torch.optim.SGD,
    "adagrad": torch.optim.Adagrad,
    "rmsprop": torch.optim.RMSprop,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
}


class LectureAdaGrad(torch.optim.Optimizer):
    """The notes' update p -= lr * g / sqrt(sum g^2 + eps): eps inside the root."""

    def __init__(self, params, lr, eps):
        super().__init__(params, dict(lr=lr, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                g2 = self.state[p].setdefault("g2", torch.zeros_like(p))
                g2 += p.grad * p.grad
                p -= group["lr"] * p.grad / torch.sqrt(g2 + group["eps"])


def torch_optimizer(name, params, hyper, form="pytorch"):
    """A PyTorch optimizer from our hyper-parameter names."""
    if form == "lecture":
        return LectureAdaGrad(params, **hyper)
    arguments = dict(hyper)
    if "beta1" in arguments:
        arguments["betas"] = (arguments.pop("beta1"), arguments.pop("beta2"))
    return _TORCH_CLASSES[name](params, foreach=False, **arguments)


def _gradients(gen):
    """Columns: ordinary, tiny, large, silent for three steps, alternating, always zero."""
    g = writer.values(gen, STEPS, 6)
    g[:, 1] = g[:, 1] * 2.0**-20
    g[:, 2] = g[:, 2] * 256
    g[:3, 3] = 0
    g[:, 4] = torch.tensor([0.5 * (-1) ** t for t in range(STEPS)])
    g[:, 5] = 0
    return g


def _torch_trace(name, hyper, initial, gradients, dtype):
    p = writer.leaf(initial, dtype)
    optimizer = torch_optimizer(name, [p], hyper)
    trace, states = [], {}
    for g in gradients.to(dtype):
        p.grad = g.clone()
        optimizer.step()
        trace.append(p.detach().clone())
        for key, value in optimizer.state[p].items():
            if key != "step" and value is not None:
                states.setdefault(key, []).append(value.detach().clone())
    return {"p": torch.stack(trace), "states": {k: torch.stack(v) for k, v in states.items()}}


def _lecture_trace(hyper, initial, gradients, dtype):
    """The notes' loop in NumPy: nothing of it is PyTorch's."""
    real = numpy.float64 if dtype == torch.float64 else numpy.float32
    lr, eps = real(hyper["lr"]), real(hyper["eps"])
    p, g2 = initial.numpy().astype(real), numpy.zeros(initial.shape, real)
    ps, g2s = [], []
    for g in gradients.numpy().astype(real):
        g2 = g2 + g * g
        p = p - lr * g / numpy.sqrt(g2 + eps)
        ps.append(torch.from_numpy(p.copy()))
        g2s.append(torch.from_numpy(g2.copy()))
    return {"p": torch.stack(ps), "states": {"g2": torch.stack(g2s)}}


def optimizers():
    gen = writer.generator(1)
    initial, gradients = writer.values(gen, 6), _gradients(gen)
    cases = []
    for case, name, defaults, changes in PYTORCH_CASES:
        hyper = {**defaults, **changes}
        run = writer.both(lambda dtype: _torch_trace(name, hyper, initial, gradients, dtype))
        cases.append({"name": case, "optimizer": name, "form": "pytorch", "hyper": hyper, **run})
    for case, hyper in LECTURE_CASES:
        run = writer.both(lambda dtype: _lecture_trace(hyper, initial, gradients, dtype))
        cases.append({"name": case, "optimizer": "adagrad", "form": "lecture", "hyper": hyper,
                      **run})
    return {"steps": STEPS, "initial_p": initial, "gradients": gradients, "cases": cases}


FILES = {"optimizers.json": optimizers}
