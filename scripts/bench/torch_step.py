"""One PyTorch process that trains the model of Locus, for scripts/bench/series.py.

The same architecture: pre-norm blocks without biases, rotary encoding of the whole head by halves (base 10000),
GELU in its tanh form, causal attention, the output matrix tied to the embedding, AdamW on matrices and vectors,
the gradient clipped to norm 1. Says "ready" when it is warm, waits for a line on stdin, and prints one JSON
object.
"""
import argparse
import json
import math
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

HAS_SDPA = hasattr(F, "scaled_dot_product_attention")


def rotary_tables(length, head_dim):
    inverse = 10000.0 ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), inverse)
    return angles.cos().float(), angles.sin().float()


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Norm(nn.Module):
    """Layer norm with a scale and no shift."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, None, 1e-5)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = Norm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.mlp_norm = Norm(width)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def attend(self, x, cos, sin, mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if HAS_SDPA:
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            seen = (q @ k.transpose(-1, -2) / math.sqrt(width // self.heads) + mask).softmax(-1) @ v
        return self.output(seen.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x, cos, sin, mask):
        x = x + self.attend(self.attention_norm(x), cos, sin, mask)
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, layers, width, heads, length, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.final_norm = Norm(width)
        cos, sin = rotary_tables(length, width // heads)
        mask = None if HAS_SDPA else torch.full((length, length), float("-inf")).triu(1)
        for name, table in ("cos", cos), ("sin", sin), ("mask", mask):
            self.register_buffer(name, table, persistent=False)

    def forward(self, tokens, targets):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin, self.mask)
        logits = self.final_norm(x) @ self.tokens.weight.T
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def make_optimizer(model):
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    options = {"lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8}
    try:  # one kernel for all; on the CPU since 2.4
        return torch.optim.AdamW(groups, fused=True, **options)
    except (RuntimeError, TypeError):
        return torch.optim.AdamW(groups, **options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "layers", "width", "heads", "length", "batch", "threads", "steps":
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--core", type=int, help="the core to stay on")
    parser.add_argument("--compile", action="store_true")
    o = parser.parse_args()
    if o.core is not None:
        os.sched_setaffinity(0, {o.core})
    torch.set_num_threads(o.threads)
    torch.manual_seed(0)
    model = Model(o.layers, o.width, o.heads, o.length, 256)
    optimizer = make_optimizer(model)
    loss_of = torch.compile(model) if o.compile else model
    text = torch.randint(0, 256, (o.batch, o.length + 1))
    tokens, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(tokens, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    for _ in range(3):
        step()
    print("ready", flush=True)
    sys.stdin.readline()
    seconds = []
    for _ in range(o.steps):
        begin = time.perf_counter()
        loss = step()
        seconds.append(time.perf_counter() - begin)
    parameters = sum(p.numel() for p in model.parameters())
    print(json.dumps({"seconds": seconds, "loss": loss, "parameters": parameters, "version": torch.__version__}))


if __name__ == "__main__":
    main()
