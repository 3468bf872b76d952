# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile of a GPT block and of a small convolutional net, forward and backward: Inductor through tilec beside
stock Inductor.

    python tools/bench/inductor.py [--json FILE]

Each way runs in a process of its own with empty caches, and with Inductor's own processes for compiling. Reported are the
error of a step over the same in float64, beside eager mode's, the time of the first step (compilation included), the
median time of a later one, and how many kernels fell back. The error is that of the result and of all gradients as one
vector, in the 2-norm, and the worst one of a single tensor. It is right when it is at most 3 times the greater one of eager
mode and of stock Inductor, which sum in other orders; the exit status says whether it is.
"""

import argparse
import datetime
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
        # No bias in front of a normalisation, whose gradient is zero but for rounding, and nothing that has kinks: there
        # the float64 network can take the other side.
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.SiLU(),
                             nn.AvgPool2d(2))

    net = nn.Sequential(stage(3, 32), stage(32, 64), stage(64, 128), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(128, 10), nn.LogSoftmax(1))
    return net, torch.randn(32, 3, 64, 64)


MODELS = {"GPT block": gpt_block, "convolutional net": conv_net}


def step(net, inputs) -> dict:
    """The result and the gradients of a network, by name. Each part of the result has a weight of its own."""
    import torch

    net.zero_grad(set_to_none=True)
    inputs = inputs.clone().requires_grad_()
    out = net(inputs)
    weights = torch.arange(out.numel(), device=out.device, dtype=torch.float64).view_as(out).sin().to(out.dtype)
    (out * weights).sum().backward()
    return {"result": out.detach(), "input": inputs.grad, **{name: p.grad for name, p in net.named_parameters()}}


def errors(values: dict, expected: dict) -> dict:
    """How far off: of all tensors as one vector, and of the worst one. Each is scaled by its own norm in the vector, so that
    small gradients count as large ones do."""
    own = {name: ((values[name].double() - right).norm() / right.norm()).item() for name, right in expected.items()}
    worst = max(own, key=own.get)
    return {"error": (sum(error**2 for error in own.values()) / len(own))**0.5, "worst": own[worst], "worst_tensor": worst}


def run_model(make, device: str = "cuda", compile=None) -> dict:
    import copy

    import torch

    torch.manual_seed(0)
    model, x = make()
    exact, x64 = copy.deepcopy(model).double().to(device), x.double().to(device)
    model, x = model.to(device), x.to(device)
    eager = copy.deepcopy(model)
    compiled = (compile or torch.compile)(model)

    def synchronise():
        if device == "cuda":
            torch.cuda.synchronize()

    begin = time.perf_counter()
    values = step(compiled, x)
    synchronise()
    first = time.perf_counter() - begin
    # A compiled module's parameters have a prefix.
    values = {name.removeprefix("_orig_mod."): value.clone() for name, value in values.items()}
    expected = step(exact, x64)
    result = {"first_s": first, **errors(values, expected)}
    result.update({f"eager_{name}": value for name, value in errors(step(eager, x), expected).items()})
    times = []
    for _ in range(30):
        synchronise()
        begin = time.perf_counter()
        step(compiled, x)
        synchronise()
        times.append(time.perf_counter() - begin)
    return {**result, "step_ms": statistics.median(times) * 1e3}


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
        results["kernels"] = len([entry for entry in report if entry.is_made and not entry.from_cache])
        results["in_workers"] = len([entry for entry in report if entry.process])
        results["fallbacks"] = [f"{entry.kernel}: {entry.fallback}" for entry in report if entry.fallback]
    else:
        import triton

        results["about"] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
                            "date": datetime.date.today().isoformat()}  # yapf: disable
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
    results.update(results["stock"].pop("about"))
    wrong = []
    for name in MODELS:
        ours, theirs = results["tilec"][name], results["stock"][name]
        for kind in ("error", "worst"):
            if not ours[kind] <= 3 * max(ours["eager_" + kind], theirs[kind]):
                wrong.append(f"{name}: {kind}")
        print(f"{name}: error {ours['error']:.2e} (eager {ours['eager_error']:.2e}, stock {theirs['error']:.2e}), worst "
              f"{ours['worst']:.2e} of {ours['worst_tensor']} ({ours['eager_worst']:.2e}, {theirs['worst']:.2e}); first step "
              f"{ours['first_s']:.2f} s (stock {theirs['first_s']:.2f}); step {ours['step_ms']:.3f} ms (stock "
              f"{theirs['step_ms']:.3f})")
    results["wrong"] = wrong
    print("kernels", results["tilec"]["kernels"], "of workers", results["tilec"]["in_workers"], "fallbacks",
          results["tilec"]["fallbacks"], "wrong", wrong)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
