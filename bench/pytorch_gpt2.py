#!/usr/bin/env python3
"""Times eager PyTorch's training step of GPT-2 on this CPU and prints one line of JSON.

The other side of scripts/bench-step --model gpt2: the same sizes, the same arithmetic (f32 or
autocast to bf16, fused attention by scaled_dot_product_attention, tanh GELU, tied head, AdamW),
one fixed batch, gradients freed each step.

  pytorch_gpt2.py --batch 4 --seq 64 --threads 2
"""

import argparse
import json
import os
import resource
import statistics
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--vocab", type=int, default=50257)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seq", type=int, default=64)
    parser.add_argument("--precision", choices=["f32", "bf16-mixed"], default="f32")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--steps", type=int, default=8)
    return parser.parse_args()


def make_model():
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.fc, self.proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            B, T, C = x.shape
            heads = (t.view(B, T, arguments.heads, -1).transpose(1, 2)
                     for t in self.qkv(self.ln_1(x)).split(C, 2))
            a = F.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.out(a.transpose(1, 2).reshape(B, T, C))
            return x + self.proj(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte = nn.Embedding(arguments.vocab, arguments.width)
            self.wpe = nn.Embedding(1024, arguments.width)
            self.h = nn.ModuleList(Block(arguments.width) for _ in range(arguments.layers))
            self.ln_f = nn.LayerNorm(arguments.width)
            for p in self.parameters():
                nn.init.normal_(p, std=0.02) if p.dim() > 1 else None

        def forward(self, tokens, targets):
            x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
            for block in self.h:
                x = block(x)
            logits = F.linear(self.ln_f(x), self.wte.weight)
            return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), targets.view(-1))

    return Gpt2()


def main():
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1)
    tokens = torch.randint(arguments.vocab, (arguments.batch, arguments.seq))
    targets = torch.randint(arguments.vocab, (arguments.batch, arguments.seq))
    autocast = torch.autocast("cpu", torch.bfloat16, enabled=arguments.precision == "bf16-mixed")
    seconds = []
    for i in range(arguments.warmup + arguments.steps):
        start = time.perf_counter()
        with autocast:
            loss = model(tokens, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if i >= arguments.warmup:
            seconds.append(time.perf_counter() - start)
    print(json.dumps({
        "framework": "pytorch", "version": torch.__version__.split("+")[0], "model": "gpt2",
        "precision": arguments.precision, "batch": arguments.batch, "seq": arguments.seq,
        "parameters": sum(p.numel() for p in model.parameters()),
        "threads": torch.get_num_threads(), "step_median_s": statistics.median(seconds),
        "step_min_s": min(seconds),
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "last_loss": float(loss.detach())}))


if __name__ == "__main__":
    arguments = parse_arguments()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    import torch
    import torch.nn.functional as F

    main()
