# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tensor-core comparisons by family, and the choice among them. Needs neither PyTorch nor a GPU.

import json

import attention
import attention_backward
import decode
import drawn_sizes
import grouped_attention
import layers
import matmul
import quantised
import random_matmul
import short_sums
from tensor_case import HOPPER, build_of, ours, steps_of

FAMILIES = (matmul, random_matmul, short_sums, quantised, attention, attention_backward, decode, grouped_attention, layers, drawn_sizes)


# The fastest configurations of the families as they were measured (docs/benchmarks/h200/tensor-cubins.json): case, size and configuration.
# test/Driver/fastest-kernels.test compiles these.
FASTEST = (
    ("matmul", "8192x8192x8192 bf16 nn", "matmul_persistent_128x256x64x1_w8_s3_c2_p132"),
    ("matmul", "8192x8192x8192 bf16 nn", "192x128x64_w4_s5_persistent"),
    ("matmul", "8192x8192x8192 bf16 nt", "192x128x64_w4_s5_persistent"),
    ("matmul", "4096x4096x4096 bf16 nt", "matmul_persistent_128x256x64x2_w8_s4_p132"),
    ("matmul", "4096x14336x4096 bf16 nn", "152x128x64_w4_s6_persistent"),
    ("matmul", "2048x2048x2048 bf16 nn", "matmul_persistent_128x128x64x1_w4_s3"),
    ("matmul", "1024x1024x1024 bf16 nn", "matmul_persistent_128x64x64x1_w4_s6"),
    ("matmul", "128x8192x8192 bf16 nn", "64x192x64_w4_s7"),
    ("matmul", "8192x8192x8192 e4m3 nt", "192x128x128_w4_s5_persistent"),
    ("short_sums", "8192x8192x1024 e4m3 nt", "128x144x128_w4_s5_persistent"),
    ("short_sums", "16384x4096x256 bf16 nt", "128x160x64_w4_s5_c2_persistent"),
    ("matmul", "8192x8192x8192 i8 nt", "128x256x128_w8_s4"),
    ("matmul", "8192x8192x8192 tf32 nn", "256x128x32_w8_s4"),
    ("w8a16", "16x8192x8192 bf16 t", "24x64x128x2_w4_s5"),
    ("w8a16", "64x8192x8192 bf16 t", "64x128x128x1_w8_s6_k2"),
    ("w8a16", "4096x8192x8192 bf16 t", "256x128x64x1_w8_s4"),
    ("w4a16", "1x8192x8192 bf16 group 128", "w4a16_few_rows_1x32x4_w4_s4"),
    ("w4a16", "16x8192x8192 bf16 group 128", "16x64x4_w2_s3"),
    ("matmul_bias", "8192x8192x8192 bf16 gelu_tanh", "144x128x64_w4_s5_persistent"),
    ("matmul_bias", "4096x14336x4096 bf16 silu", "152x128x64_w4_s6_c2_persistent"),
    ("grouped_matmul", "16x(4096x4096) bf16 512to512rows", "grouped_rows_matmul_128x256x64_w8_s4"),
    ("stream_k", "4000x4000x4000 bf16", "168x256x64_w8_s4"),
    ("stream_k", "3072x3072x8192 bf16", "128x288x64_w8_s4"),
    ("attention", "b1h16 s16384 bf16 d64 full", "attention_descriptors_128x128_w8_s2"),
    ("attention", "b1h16 s16384 bf16 d64 causal", "64x64_w4_s2"),
    ("attention", "b1h16 s16384 bf16 d128 full", "attention_descriptors_128x128_w8_s2"),
    ("attention", "b4h32 s4096 bf16 d128 full", "attention_descriptors_128x128_w8_s2_persistent"),
    ("attention", "b1h16 s16384 bf16 d128 causal", "attention_descriptors_128x128_w8_s2"),
    ("attention", "b1h16 s16384 bf16 d256 full", "128x64_w8_s2"),
    ("attention", "b1h16 s16384 bf16 d256 causal", "attention_descriptors_128x64_w8_s2"),
    ("attention", "b16h16 s1024 bf16 d128 causal", "attention_descriptors_128x64x1_w8_s2"),
    ("grouped_attention", "b1h32kv8 s16384 bf16 d128 full g4", "128x128_w8_s2"),
    ("attention_backward", "b1h16 s16384 bf16 d64 full", "fused_128x128x1_w8_s3"),
    ("attention_backward", "b1h16 s16384 bf16 d64 causal", "fused_128x128x1_w8_s3"),
    ("attention_backward", "b1h16 s16384 bf16 d128 full", "fused_64x128_w8_s3"),
    ("attention_backward", "b1h16 s16384 bf16 d128 causal", "fused_64x128_w8_s3"),
    ("decode", "b64h32kv8 s4096 bf16 d128 page 16", "64x1_w4_s3"),
    ("decode", "b1h32kv8 s65536 bf16 d128 page 16", "decode_attention_joined_64x49x32x8_w4_s2"),
)


def chosen(cases, wanted, unwanted=""):
    """The cases whose name and size contain one of the texts in `wanted`, separated by commas, and none of
    `unwanted`."""

    def holds(case, texts):
        return any(text in f"{case.name} {case.size}" for text in texts.split(",") if text)
    return [case for case in cases if (not wanted or holds(case, wanted)) and not holds(case, unwanted)]


def timed(wanted="", unwanted=""):
    return chosen([case for family in FAMILIES for case in family.timed()], wanted, unwanted)


def keep_likely(cases, likely):
    """With the text FILE,...:MOST only those configurations of each case that were among the MOST fastest in one of the files,
    earlier results of compare_tensor.py, and half as many with clusters of CTAs; all of a case that is in none."""
    if not likely:
        return cases
    paths, _, most = likely.rpartition(":")
    if not paths or not most.isdigit():
        raise SystemExit(f"--likely is FILE,...:MOST, not '{likely}'")
    earlier = {}
    for path in paths.split(","):
        with open(path) as file:
            for row in json.load(file)["rows"]:
                earlier.setdefault((row["kernel"], row["size"]), []).append(row["sampled"])
    for case in cases:
        kept = set()
        for sampled in earlier.get((case.name, case.size), ()):
            known = sorted((c for c in ours(case) if f"tilec_{c.label}" in sampled), key=lambda c: sampled[f"tilec_{c.label}"])
            clustered = [c for c in known if getattr(c, "ctas", 1) > 1 or getattr(c, "split_k", 1) > 1]
            kept.update(c.label for c in known[:int(most)] + clustered[:int(most) // 2])
        if kept:
            case.configurations = [c for c in case.configurations if c.label in kept]
            case.others = [c for c in getattr(case, "others", []) if c.label in kept]
    return cases


def checked(wanted="", unwanted=""):
    return chosen([case for family in FAMILIES for case in family.checked()], wanted, unwanted)


def builds(cases, target=HOPPER, first=False):
    """What the cases need compiled, each once; with `first` of each kernel's configurations the first in a case."""

    def configurations(case):
        if not first:
            return ours(case)
        firsts = {}
        for configuration in ours(case):
            firsts.setdefault(getattr(configuration, "source", None), configuration)
        return firsts.values()
    return list(dict.fromkeys(build_of(*step, target) for case in cases for configuration in configurations(case)
                              for step in steps_of(case, configuration)))


def fastest(wanted=""):
    """What the configurations of FASTEST need compiled, each once with its case's name; of those whose names contain one of the
    texts in `wanted`, separated by commas."""
    known = {(case.name, case.size, configuration.label): (case, configuration)
             for case in timed() for configuration in ours(case)}
    gone = [" ".join(name) for name in FASTEST if name not in known]
    if gone:
        raise SystemExit(f"no such configuration: {', '.join(gone)}")
    found = {}
    for name in FASTEST:
        title = " ".join(name)
        if not wanted or any(text in title for text in wanted.split(",")):
            for step in steps_of(*known[name]):
                found.setdefault(build_of(*step), title)
    return found
