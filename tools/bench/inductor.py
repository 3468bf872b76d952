# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of a GPT block and of a small convolutional net, forward and backward: Inductor through tilec beside
stock Inductor.

    python tools/bench/inductor.py [--json FILE]

Each way runs in a process of its own with empty caches. Reported are the greatest error over eager's own in float32,
the time of the first step (compilation included), the median time of a later one, and how many kernels fell back.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def gpt_block():
    import torch
    from torch import nn

    class Block(nn.Module):

        def __init__(self, width=768, heads=12):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            b, t, c = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
            a = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(a.transpose(1, 2).reshape(b, t, c))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh"))

    return Block(), torch.randn(8, 512, 768)


def conv_net():
    import torch
    from torch import nn

    def stage(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))

    net = nn.Sequential(stage(3, 32), stage(32, 64), stage(64, 128), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(128, 10), nn.LogSoftmax(1))
    return net, torch.randn(32, 3, 64, 64)


MODELS = {"GPT block": gpt_block, "convolutional net": conv_net}


def run_model(make) -> dict:
    import copy

    import torch

    torch.manual_seed(0)
    model, x = make()
    exact, x64 = copy.deepcopy(model).double().cuda(), x.double().cuda()
    model, x = model.cuda(), x.cuda()
    eager = copy.deepcopy(model)
    compiled = torch.compile(model)

    def step(net, inputs):
        net.zero_grad(set_to_none=True)
        inputs = inputs.clone().requires_grad_()
        out = net(inputs)
        (out * torch.arange(out.numel(), device=out.device, dtype=out.dtype).view_as(out).sin()).sum().backward()
        return [out, inputs.grad] + [p.grad for p in net.parameters()]

    begin = time.perf_counter()
    results = step(compiled, x)
    torch.cuda.synchronize()
    first = time.perf_counter() - begin

    def error(values):
        # Gradients that are zero but for rounding, such as those of a bias in front of a normalisation, have no relative
        # error: they are measured by the largest one of the others.
        expected = step(exact, x64)
        scale = max(b.norm() / b.numel()**0.5 for b in expected) * 1e-6
        return max(((a.double() - b).norm() / b.norm().clamp_min(scale * b.numel()**0.5)).item()
                   for a, b in zip(values, expected))

    times = []
    for _ in range(30):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step(compiled, x)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return {"first_s": first, "step_ms": statistics.median(times) * 1e3, "error": error(results),
            "eager_error": error(step(eager, x))}  # yapf: disable


def run_child(way: str):
    import torch

    if way == "tilec":
        import tilec

        tilec.install()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    results = {name: run_model(make) for name, make in MODELS.items()}
    if way == "tilec":
        report = tilec.report()
        results["kernels"] = len([entry for entry in report if not entry.fallback])
        results["fallbacks"] = [f"{entry.kernel}: {entry.fallback}" for entry in report if entry.fallback]
    print("RESULT " + json.dumps(results))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--child", choices=["tilec", "stock"])
    options = parser.parse_args()
    if options.child:
        return run_child(options.child)
    results = {}
    for way in ("stock", "tilec"):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder + "/inductor", "TRITON_CACHE_DIR": folder + "/triton",
                           "TILEC_CACHE_DIR": folder + "/tilec"}  # yapf: disable
            environment.pop("TILEC", None)
            output = subprocess.run([sys.executable, __file__, "--child", way], env=environment, capture_output=True, text=True)
        line = next((line for line in output.stdout.splitlines() if line.startswith("RESULT ")), None)
        if line is None:
            print(output.stdout[-3000:], output.stderr[-6000:])
            sys.exit(f"{way} failed")
        results[way] = json.loads(line.removeprefix("RESULT "))
    for name in MODELS:
        ours, theirs = results["tilec"][name], results["stock"][name]
        print(f"{name}: error {ours['error']:.2e} (eager {ours['eager_error']:.2e}, stock {theirs['error']:.2e}); first step "
              f"{ours['first_s']:.2f} s (stock {theirs['first_s']:.2f}); step {ours['step_ms']:.3f} ms (stock "
              f"{theirs['step_ms']:.3f})")
    print("kernels", results["tilec"]["kernels"], "fallbacks", results["tilec"]["fallbacks"])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
