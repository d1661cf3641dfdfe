"""Whole transformers: first-step gradients and ten training steps of a tiny GPT-2 and tiny Llamas.

Written with torch.nn.functional from the papers; parameter names are those of Hugging Face.
"""

import math

import torch
import torch.nn.functional as F

from . import optimizers, writer
from .models import MICRO_BATCHES, STEPS, _model_case

# A bias of the keys changes no softmax: its gradient is rounding noise, which Adam's usual eps of 1e-8
# would turn into steps of full size.
RECIPES = [
    ("sgd", "pytorch", {**optimizers.SGD, "lr": 0.1, "momentum": 0.9}),
    ("adamw", "pytorch", {**optimizers.ADAMW, "lr": 0.005, "weight_decay": 0.1, "eps": 1e-4}),
]


def _tokens(gen, vocab, batch, time):
    line = torch.randint(vocab, (MICRO_BATCHES, batch, time + 1), generator=gen, dtype=torch.int32)
    return line[..., :-1].contiguous(), line[..., 1:].contiguous()


def _loss(predict):
    def model(p, x, y):
        logits = predict(p, x)
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))

    return model


def gpt2():
    vocab, width, heads, layers, inner, positions = 19, 8, 2, 2, 12, 6
    batch, time = 2, 5
    gen = writer.generator(21)
    shapes = {"transformer.wte.weight": (vocab, width), "transformer.wpe.weight": (positions, width)}
    for i in range(layers):
        h = f"transformer.h.{i}."
        shapes |= {h + "ln_1.weight": (width,), h + "ln_1.bias": (width,),
                   h + "attn.c_attn.weight": (width, 3 * width), h + "attn.c_attn.bias": (3 * width,),
                   h + "attn.c_proj.weight": (width, width), h + "attn.c_proj.bias": (width,),
                   h + "ln_2.weight": (width,), h + "ln_2.bias": (width,),
                   h + "mlp.c_fc.weight": (width, inner), h + "mlp.c_fc.bias": (inner,),
                   h + "mlp.c_proj.weight": (inner, width), h + "mlp.c_proj.bias": (width,)}
    shapes |= {"transformer.ln_f.weight": (width,), "transformer.ln_f.bias": (width,)}
    initial = {k: writer.values(gen, *s, scale=0.4) for k, s in shapes.items()}
    for k in initial:
        if ".ln_" in k and k.endswith("weight"):
            initial[k] = initial[k] + 1
    data = list(_tokens(gen, vocab, batch, time))

    def case(activation):
        act = (lambda h: F.gelu(h, approximate="tanh")) if activation == "gelu_tanh" else F.gelu

        def predict(p, x):
            norm = lambda v, name: F.layer_norm(v, (width,), p[name + ".weight"], p[name + ".bias"], 1e-5)
            B, T = x.shape
            v = p["transformer.wte.weight"][x.long()] + p["transformer.wpe.weight"][:T]
            for i in range(layers):
                h = f"transformer.h.{i}."
                qkv = norm(v, h + "ln_1") @ p[h + "attn.c_attn.weight"] + p[h + "attn.c_attn.bias"]
                q, k, u = (t.view(B, T, heads, -1).transpose(1, 2) for t in qkv.split(width, -1))
                s = q @ k.transpose(-1, -2) / math.sqrt(width // heads)
                s = s.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
                a = (s.softmax(-1) @ u).transpose(1, 2).reshape(B, T, width)
                v = v + a @ p[h + "attn.c_proj.weight"] + p[h + "attn.c_proj.bias"]
                m = act(norm(v, h + "ln_2") @ p[h + "mlp.c_fc.weight"] + p[h + "mlp.c_fc.bias"])
                v = v + m @ p[h + "mlp.c_proj.weight"] + p[h + "mlp.c_proj.bias"]
            return norm(v, "transformer.ln_f") @ p["transformer.wte.weight"].T

        return {"activation": activation, **_model_case(_loss(predict), predict, initial, data, RECIPES)}

    return {"vocab_size": vocab, "hidden_size": width, "num_attention_heads": heads,
            "num_hidden_layers": layers, "intermediate_size": inner,
            "max_position_embeddings": positions, "seq_len": time, "micro_batch_size": batch,
            "steps": STEPS, "parameters": initial, "x": data[0], "target": data[1],
            "cases": [case("gelu_tanh"), case("gelu")]}


def _frequencies(head_dim, theta, scaling, dtype):
    """Hugging Face's `llama3` and `linear` rope_scaling, computed in f64."""
    f = theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    if scaling is None:
        return f
    if scaling["rope_type"] == "linear":
        return f / scaling["factor"]
    low = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
    high = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
    length = 2 * math.pi / f
    smooth = ((scaling["original_max_position_embeddings"] / length - scaling["low_freq_factor"])
              / (scaling["high_freq_factor"] - scaling["low_freq_factor"]))
    blended = (1 - smooth) * f / scaling["factor"] + smooth * f
    return torch.where(length > low, f / scaling["factor"], torch.where(length < high, f, blended))


def _rotate(x, f):
    """x (B, heads, T, D); rotate_half convention."""
    angle = torch.arange(x.shape[2], dtype=torch.float64)[:, None] * f
    cos, sin = (t.repeat(1, 2).to(x.dtype) for t in (angle.cos(), angle.sin()))
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


LLAMAS = {
    "llama": dict(tied=False, bias=False, qk_norm=False, window=0, scaling=None, theta=10000.0),
    "llama3": dict(tied=True, bias=False, qk_norm=False, window=0, theta=500000.0,
                   scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                            "high_freq_factor": 4.0, "original_max_position_embeddings": 32}),
    "qwen2": dict(tied=True, bias=True, qk_norm=False, window=0, scaling=None, theta=10000.0),
    "qwen3": dict(tied=False, bias=False, qk_norm=True, window=0, theta=10000.0,
                  scaling={"rope_type": "linear", "factor": 2.0}),
    "mistral": dict(tied=False, bias=False, qk_norm=False, window=3, scaling=None, theta=10000.0),
}


def llama(kind):
    """GQA with a head size that is not width / heads, and odd sizes."""
    o = LLAMAS[kind]
    vocab, width, heads, kv, head_dim, layers, inner, batch, time = 17, 6, 4, 2, 4, 2, 10, 2, 5
    gen = writer.generator(30 + list(LLAMAS).index(kind))
    shapes = {"model.embed_tokens.weight": (vocab, width)}
    for i in range(layers):
        h = f"model.layers.{i}."
        shapes[h + "input_layernorm.weight"] = (width,)
        for name, rows in (("q", heads * head_dim), ("k", kv * head_dim), ("v", kv * head_dim)):
            shapes[h + f"self_attn.{name}_proj.weight"] = (rows, width)
            if o["bias"]:
                shapes[h + f"self_attn.{name}_proj.bias"] = (rows,)
        if o["qk_norm"]:
            shapes |= {h + "self_attn.q_norm.weight": (head_dim,), h + "self_attn.k_norm.weight": (head_dim,)}
        shapes |= {h + "self_attn.o_proj.weight": (width, heads * head_dim),
                   h + "post_attention_layernorm.weight": (width,),
                   h + "mlp.gate_proj.weight": (inner, width), h + "mlp.up_proj.weight": (inner, width),
                   h + "mlp.down_proj.weight": (width, inner)}
    shapes["model.norm.weight"] = (width,)
    if not o["tied"]:
        shapes["lm_head.weight"] = (vocab, width)
    initial = {k: writer.values(gen, *s, scale=0.4) for k, s in shapes.items()}
    for k in initial:
        if "norm" in k:
            initial[k] = initial[k] + 1
    data = list(_tokens(gen, vocab, batch, time))

    def predict(p, x):
        def norm(v, name):
            return v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + 1e-5) * p[name + ".weight"]

        B, T = x.shape
        v = p["model.embed_tokens.weight"][x.long()]
        f = _frequencies(head_dim, o["theta"], o["scaling"], v.dtype)
        t = torch.arange(T)
        hidden = t[None, :] > t[:, None]
        if o["window"]:
            hidden = hidden | (t[None, :] <= t[:, None] - o["window"])
        for i in range(layers):
            h = f"model.layers.{i}."
            n = norm(v, h + "input_layernorm")

            def project(name):
                bias = p[h + f"self_attn.{name}_proj.bias"] if o["bias"] else None
                return F.linear(n, p[h + f"self_attn.{name}_proj.weight"], bias).view(B, T, -1, head_dim)

            q, k, u = project("q"), project("k"), project("v").transpose(1, 2)
            if o["qk_norm"]:
                q, k = norm(q, h + "self_attn.q_norm"), norm(k, h + "self_attn.k_norm")
            q, k = _rotate(q.transpose(1, 2), f), _rotate(k.transpose(1, 2), f)
            k, u = (w.repeat_interleave(heads // kv, 1) for w in (k, u))
            s = (q @ k.transpose(-1, -2) / math.sqrt(head_dim)).masked_fill(hidden, float("-inf"))
            a = (s.softmax(-1) @ u).transpose(1, 2).reshape(B, T, heads * head_dim)
            v = v + F.linear(a, p[h + "self_attn.o_proj.weight"])
            n = norm(v, h + "post_attention_layernorm")
            m = F.silu(F.linear(n, p[h + "mlp.gate_proj.weight"])) * F.linear(n, p[h + "mlp.up_proj.weight"])
            v = v + F.linear(m, p[h + "mlp.down_proj.weight"])
        head = p["model.embed_tokens.weight"] if o["tied"] else p["lm_head.weight"]
        return F.linear(norm(v, "model.norm"), head)

    return {"vocab_size": vocab, "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": kv, "head_dim": head_dim, "num_hidden_layers": layers,
            "intermediate_size": inner, "seq_len": time, "micro_batch_size": batch, "steps": STEPS,
            "tie_word_embeddings": o["tied"], "qkv_bias": o["bias"], "qk_norm": o["qk_norm"],
            "sliding_window": o["window"], "rope_theta": o["theta"], "rope_scaling": o["scaling"],
            "parameters": initial, "x": data[0], "target": data[1],
            **_model_case(_loss(predict), predict, initial, data, RECIPES[1:])}


FILES = {"gpt2.json": gpt2, **{f"{kind}.json": (lambda kind=kind: llama(kind)) for kind in LLAMAS}}
