#!/usr/bin/env python3
"""Times eager PyTorch's training step of the Cruncher or an MLP on this CPU and prints JSON.

The other side of Headroom's step benchmark: same shapes, same arithmetic (f32, weights of the
Cruncher stored [in, out] without bias, head D -> 1 squeezed, mean squared error), one fixed batch,
gradients freed each step. The matmul rate that the step is held against is measured in the same
process, between the steps, so that both meet the same clock and the same neighbours. On a shared
machine trust the min figures and look at cpu_share: the CPU time that the steps got of
threads x wall time.

  pytorch_step.py --dim 1024 --layers 8 --batch 256 --optimizer adamw --threads 2
  pytorch_step.py --model mlp --sizes 784,512,512,10 --loss cross_entropy --batch 256
"""

import argparse
import json
import math
import os
import resource
import statistics
import sys
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["cruncher", "mlp"], default="cruncher")
    parser.add_argument("--dim", type=int, default=1024, help="width D of the Cruncher")
    parser.add_argument("--layers", type=int, default=8, help="layers L of the Cruncher")
    parser.add_argument("--sizes", default="784,512,512,10", help="layer sizes of the MLP")
    parser.add_argument("--activation", choices=["relu", "gelu", "gelu_tanh", "silu"],
                        default="relu", help="of the MLP")
    parser.add_argument("--loss", choices=["mse", "cross_entropy"], default="cross_entropy",
                        help="of the MLP; the Cruncher always uses mse")
    parser.add_argument("--batch", type=int, default=256, help="samples B of one step")
    parser.add_argument("--optimizer", default="sgd",
                        choices=["sgd", "adagrad", "adagrad_lecture", "adamw"])
    parser.add_argument("--implementation", choices=["default", "foreach", "fused"],
                        default="default", help="which of PyTorch's optimizer loops to use")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in ("dim", "layers", "batch", "threads", "steps"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} must be at least 1")
    return arguments


class Cruncher:
    def __init__(self, dim, layers):
        shapes = [(dim, dim)] * layers + [(dim, 1)]
        self.parameters = [torch.nn.Parameter(torch.randn(s) / math.sqrt(dim)) for s in shapes]
        self.matmuls = shapes
        self.input_size = dim

    def batch(self, rows):
        return torch.randn(rows, self.input_size), torch.randn(rows)

    def loss(self, x, y):
        for weight in self.parameters:
            x = x @ weight
        return F.mse_loss(x.squeeze(-1), y)


class Mlp:
    def __init__(self, sizes, activation, loss):
        self.matmuls = list(zip(sizes, sizes[1:]))
        self.layers = [torch.nn.Linear(i, o) for i, o in self.matmuls]
        self.parameters = [p for layer in self.layers for p in layer.parameters()]
        self.input_size, self.output_size = sizes[0], sizes[-1]
        self.activation = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu,
                           "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}[activation]
        self.criterion = {"mse": F.mse_loss, "cross_entropy": F.cross_entropy}[loss]

    def batch(self, rows):
        classes = self.criterion is F.cross_entropy
        y = (torch.randint(self.output_size, (rows,)) if classes
             else torch.randn(rows, self.output_size))
        return torch.randn(rows, self.input_size), y

    def loss(self, x, y):
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.criterion(self.layers[-1](x), y)


class LectureAdaGrad:
    """p -= lr * g / sqrt(sum g^2 + 1e-5), with PyTorch's in-place operations."""

    def __init__(self, parameters, lr, eps=1e-5):
        self.parameters, self.lr, self.eps = parameters, lr, eps
        self.g2 = [None] * len(parameters)

    def step(self):
        with torch.no_grad():
            for i, p in enumerate(self.parameters):
                if self.g2[i] is None:
                    self.g2[i] = torch.zeros_like(p)
                self.g2[i].addcmul_(p.grad, p.grad)
                p.addcdiv_(p.grad, (self.g2[i] + self.eps).sqrt_(), value=-self.lr)

    def zero_grad(self, set_to_none):
        assert set_to_none
        for p in self.parameters:
            p.grad = None


def make_optimizer(name, implementation, parameters):
    lr = 1e-4  # small: the numbers stay finite over any number of steps on one batch
    if name == "adagrad_lecture":
        if implementation != "default":
            sys.exit("adagrad_lecture has one implementation: use --implementation default")
        return LectureAdaGrad(parameters, lr)
    options = {} if implementation == "default" else {implementation: True}
    kind = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad, "adamw": torch.optim.AdamW}
    return kind[name](parameters, lr=lr, **options)


class Sgemm:
    """Times the three matmuls of one linear layer: forward, input and weight gradient."""

    def __init__(self, rows, n_in, n_out):
        x, w, g = torch.randn(rows, n_in), torch.randn(n_in, n_out), torch.randn(rows, n_out)
        y, gx, gw = torch.empty_like(g), torch.empty_like(x), torch.empty_like(w)
        self.flops = 2 * rows * n_in * n_out
        self.calls = {"forward": lambda: torch.mm(x, w, out=y),
                      "input_gradient": lambda: torch.mm(g, w.t(), out=gx),
                      "weight_gradient": lambda: torch.mm(x.t(), g, out=gw)}
        self.seconds = {name: [] for name in self.calls}

    def measure(self, repeats):
        for name, call in self.calls.items():
            call()  # the first after a step finds other data in the caches
            for _ in range(repeats):
                start = time.perf_counter()
                call()
                self.seconds[name].append(time.perf_counter() - start)

    def rates(self, statistic):
        return {name: self.flops / statistic(s) for name, s in self.seconds.items()}


def peak_rss_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    if arguments.model == "cruncher":
        model = Cruncher(arguments.dim, arguments.layers)
    else:
        sizes = [int(n) for n in arguments.sizes.split(",")]
        if len(sizes) < 2 or min(sizes) < 1:
            sys.exit("--sizes needs at least two sizes, each at least 1")
        model = Mlp(sizes, arguments.activation, arguments.loss)
    optimizer = make_optimizer(arguments.optimizer, arguments.implementation, model.parameters)
    x, y = model.batch(arguments.batch)
    rss_before_steps = peak_rss_bytes()

    def step():
        start = time.perf_counter()
        loss = model.loss(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return time.perf_counter() - start, loss.detach()

    first_loss = float(step()[1])
    for _ in range(arguments.warmup):
        step()
    rss_of_steps = peak_rss_bytes()
    largest = max(model.matmuls, key=lambda shape: shape[0] * shape[1])
    sgemm, seconds, cpu_seconds = Sgemm(arguments.batch, *largest), [], 0.0
    for _ in range(arguments.steps):
        cpu_start = time.process_time()
        elapsed, last_loss = step()
        cpu_seconds += time.process_time() - cpu_start
        seconds.append(elapsed)
        with torch.no_grad():
            sgemm.measure(repeats=4)

    forward = sum(2 * arguments.batch * i * o for i, o in model.matmuls)
    # Nothing needs the gradient of the batch, so the first layer has one matmul less.
    step_flops = 3 * forward - 2 * arguments.batch * math.prod(model.matmuls[0])
    median, best = statistics.median(seconds), sgemm.rates(min)
    shape = ({"dim": arguments.dim, "layers": arguments.layers, "loss": "mse"}
             if arguments.model == "cruncher" else
             {"sizes": sizes, "activation": arguments.activation, "loss": arguments.loss})
    print(json.dumps({
        "framework": "pytorch", "version": torch.__version__.split("+")[0], "mode": "eager",
        "model": arguments.model, **shape, "batch": arguments.batch,
        "parameters": sum(p.numel() for p in model.parameters),
        "optimizer": arguments.optimizer, "optimizer_implementation": arguments.implementation,
        "threads": torch.get_num_threads(), "warmup": arguments.warmup + 1,
        "steps": arguments.steps,
        "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY"),
        "step_median_s": median, "step_min_s": min(seconds), "step_max_s": max(seconds),
        "cpu_share": cpu_seconds / sum(seconds) / torch.get_num_threads(),
        "step_matmul_flops": step_flops,
        "sgemm_shape": [arguments.batch, *largest],
        "sgemm_flop_per_s": best["forward"],
        "sgemm_forms_best_flop_per_s": best,
        "sgemm_forms_median_flop_per_s": sgemm.rates(statistics.median),
        "step_share_of_sgemm_rate": step_flops / min(seconds) / best["forward"],
        "step_share_of_sgemm_rate_median": step_flops / median / best["forward"],
        "peak_rss_bytes": rss_of_steps, "peak_rss_before_steps_bytes": rss_before_steps,
        "first_loss": first_loss, "last_loss": float(last_loss),
    }, indent=1))


if __name__ == "__main__":
    arguments = parse_arguments()
    # The OpenMP runtimes read this once, when PyTorch loads them.
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    import torch
    import torch.nn.functional as F

    main()
