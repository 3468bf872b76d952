// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are not blocks (tuples, None, functions, types) and what happens at compile time:
// each row is a text whose `y`, an int32 block of 16, must be the numbers of a formula.

#include "BlockProgram.h"
#include "LanguageCases.h"

namespace tilec::harness::language {
namespace {

struct Row {
  const char *name;
  const char *global;
  const char *lines;
  /// From the index, which is also the contents of `x`.
  Int (*value)(Int);
};

const Row rows[] = {
    {"tuple return", "@triton.jit\ndef f(a, b):\n    return a + b, a - b",
     "s, d = f(x, 3)\ny = s * d", [](Int i) { return (i + 3) * (i - 3); }},
    {"nested tuple", "@triton.jit\ndef f(a):\n    return a, (a + 1, (a + 2,))",
     "a, (b, (c,)) = f(x)\ny = a + b * 10 + c * 100",
     [](Int i) { return i + (i + 1) * 10 + (i + 2) * 100; }},
    {"tuple argument", "@triton.jit\ndef f(t):\n    return t[0] * t[1] + len(t)",
     "y = f((x, 5, None))", [](Int i) { return i * 5 + 3; }},
    {"tuple operations", "",
     "t = (x, 1) + (2,)\nu = t[1:]\ny = t[0] + u[0] * 10 + u[-1] * 100 + len(t * 2)",
     [](Int i) { return i + 10 + 200 + 6; }},
    {"starred",
     "@triton.jit\ndef f(a, *rest):\n    for k in tl.static_range(len(rest)):\n        a += "
     "rest[k]\n    return a",
     "t = (1, 2, 3)\ny = f(x, *t)", [](Int i) { return i + 6; }},
    {"None",
     "@triton.jit\ndef f(a, b=None):\n    if b is None:\n        return a\n    else:\n        "
     "return a + b",
     "y = f(x) + f(x, None) + f(x, 1)", [](Int i) { return 3 * i + 1; }},
    {"function argument",
     "@triton.jit\ndef twice(a):\n    return a * 2\n\n\n@triton.jit\ndef apply(g: tl.constexpr, "
     "a):\n    return g(a)",
     "y = apply(twice, x) + apply(tl.abs, -x)", [](Int i) { return 3 * i; }},
    {"function table",
     "@triton.jit\ndef one(a):\n    return a + 1\n\n\n@triton.jit\ndef two(a):\n    return a * "
     "2\n\n\nTABLE: tl.constexpr = (one, two)",
     "y = TABLE[0](x) + TABLE[1](x)", [](Int i) { return i + 1 + 2 * i; }},
    {"recursion",
     "@triton.jit\ndef power(a, N: tl.constexpr):\n    if N == 0:\n        return a * 0 + 1\n    "
     "else:\n        return a * power(a, N - 1)",
     "y = power(x, 4)", [](Int i) { return i * i * i * i; }},
    {"constexpr function",
     "@triton.constexpr_function\ndef size(n, bits):\n    total = 0\n    for k in range(n):\n      "
     "  if k % 2:\n            total += bits // 8\n    return total",
     "N: tl.constexpr = size(5, x.dtype.primitive_bitwidth)\ny = x + N",
     [](Int i) { return i + 8; }},
    {"early return",
     "@triton.jit\ndef f(a, n):\n    if n > 3:\n        return a + 1\n    return a - 1",
     "y = f(x, tl.sum(x, 0)) + f(x, tl.min(x, 0))", [](Int i) { return 2 * i; }},
    {"return types",
     "@triton.jit\ndef f(a, n):\n    if n > 3:\n        return a\n    else:\n        return 7",
     "y = x + f(tl.max(x, 0), tl.sum(x, 0)) + f(tl.max(x, 0), tl.min(x, 0))",
     [](Int i) { return i + 15 + 7; }},
    {"noinline", "@triton.jit(noinline=True)\ndef f(a, b):\n    return a * b + 1",
     "y = x + f(tl.max(x, 0), 2)", [](Int i) { return i + 31; }},
    {"keywords", "@triton.jit\ndef f(a, b=2, *, c=3):\n    return a + b * 10 + c * 100",
     "y = f(x) + f(b=0, a=x) + f(x, c=0)", [](Int i) { return 3 * i + 320 + 300 + 20; }},
    {"dtype predicates", "",
     "tl.static_assert(x.dtype.is_int() and x.dtype.is_int_signed() and not "
     "x.dtype.is_floating())\n"
     "tl.static_assert(x.type.is_block() and x.type.element_ty == tl.int32 and x.type.scalar == "
     "tl.int32)\n"
     "tl.static_assert(tl.float16.is_fp16() and tl.bfloat16.is_bf16() and tl.float8e5.is_fp8() and "
     "tl.float64.is_fp64())\n"
     "tl.static_assert(tl.uint8.is_int_unsigned() and tl.uint8.primitive_bitwidth == 8 and "
     "tl.int64.itemsize == 8)\n"
     "tl.static_assert(tl.int1.is_bool() and tl.pointer_type(tl.int8).is_ptr() and "
     "x_ptr.dtype.element_ty == tl.int32)\n"
     "tl.static_assert(tl.dtype(\"fp16\") == tl.float16 and tl.get_int_dtype(16, False) == "
     "tl.uint16)\n"
     "tl.static_assert(x.shape[0] == 16 and len(x.shape) == 1 and x.numel == 16)\n"
     "tl.static_assert(isinstance(x, tl.tensor) and not isinstance(3, tl.tensor))\n"
     "y = x",
     [](Int i) { return i; }},
    {"constexpr arithmetic", "",
     "A: tl.constexpr = 7 // 2 * 100 + 7 % 4 * 10 + (-7) // 2\nB: tl.constexpr = 2 ** 40 >> 38\nC: "
     "tl.constexpr = min(3, 9) + max(1, 2, 3) + len((1, 2))\n"
     "y = x + A + B + C",
     [](Int i) { return i + 300 + 30 - 4 + 4 + 8; }},
    {"strings", "",
     "MODE: tl.constexpr = \"sum\"\nNAME: tl.constexpr = f\"{MODE}_{1 + 1}\"\n"
     "y = x + (1 if NAME == \"sum_2\" else 0) + (10 if MODE in (\"max\", \"sum\") else 0)",
     [](Int i) { return i + 11; }},
    {"comprehension", "", "t = [k * k for k in range(5) if k % 2 == 0]\ny = x + sum(t)",
     [](Int i) { return i + 20; }},
    {"static_range", "",
     "y = x\nfor k in tl.static_range(0, 8, 3):\n    y += k\nfor k in tl.static_range(3, 0, -1):\n "
     "   y += k * 100",
     [](Int i) { return i + 9 + 600; }},
    {"range options", "",
     "y = x\nfor k in tl.range(0, 6, 2, num_stages=2, loop_unroll_factor=2, "
     "disallow_acc_multi_buffer=True, flatten=True, warp_specialize=False, disable_licm=True):\n   "
     " y += k",
     [](Int i) { return i + 6; }},
    {"logic", "",
     "a = x > 3\nb = x < 9\ny = (a and b).to(tl.int32) + 10 * (a or b).to(tl.int32) + 100 * (not "
     "a).to(tl.int32)",
     [](Int i) { return (i > 3 && i < 9) + 10 * Int(1) + 100 * Int(i <= 3); }},
    {"hints", "",
     "y = tl.multiple_of(tl.max_contiguous(x, 16), 1)\ny = tl.max_constancy(y, "
     "1)\ntl.assume(tl.min(x, 0) >= 0)\ntl.debug_barrier()",
     [](Int i) { return i; }},
    {"checks", "",
     "tl.static_assert(True, \"never\")\ntl.device_assert(x >= 0, "
     "\"positive\")\ntl.device_assert(tl.min(x, 0) == 0)\nassert 1 == 1\ny = x",
     [](Int i) { return i; }},
    {"builtin functions", "",
     "y = x + int(3.7) + int(tl.max(x, 0)) + min(tl.max(x, 0), 4) + max(tl.min(x, 0), 2) + abs(-3)",
     [](Int i) { return i + 3 + 15 + 4 + 2 + 3; }},
    {"map_elementwise",
     "@triton.jit\ndef collatz(a):\n    n = 0\n    while a > 1:\n        if a % 2 == 0:\n          "
     "  a = a // 2\n        else:\n            a = 3 * a + 1\n        n += 1\n    return n",
     "y = tl.map_elementwise(collatz, x)",
     [](Int i) {
       Int n = 0;
       while (i > 1) {
         i = i % 2 ? 3 * i + 1 : i / 2;
         ++n;
       }
       return n;
     }},
};

void writeRow(BlockProgram &p, const Row &row) {
  if (*row.global)
    p.global(row.global);
  p.in("x", DType::i32, {16}, counting()).body(row.lines);
  p.outInt("y", DType::i32, {16}, [&](uint64_t i) { return row.value(static_cast<Int>(i)); });
}

} // namespace

void addFunctionCases(std::vector<Case> &cases) {
  for (const Row &row : rows)
    addCase(
        cases, "language", DType::i32, row.name, [=](BlockProgram &p) { writeRow(p, row); },
        Scale::Quick);
}

} // namespace tilec::harness::language
