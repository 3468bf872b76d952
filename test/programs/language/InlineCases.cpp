// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a kernel's own, packed and with several results; functions for every element; and
// what only NVIDIA's machines have.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

/// `y` = instructions on int32 `x` and `z`.
struct Row {
  const char *name, *assembly, *constraints;
  Int (*value)(Int, Int);
};

Int low(Int v) { return v & 0xffffffff; }

const Row rows[] = {
    {"add", "add.s32 $0, $1, $2;", "=r,r,r", [](Int x, Int z) { return x + z; }},
    {"block",
     "{ .reg .b32 t<2>;\\n and.b32 t0, $1, 0xff; // the low byte\\n mov.u32 t1, 3;\\n mad.lo.s32 "
     "$0, t0, t1, $2; }",
     "=r,r,r", [](Int x, Int z) { return (x & 0xff) * 3 + z; }},
    {"shifts", "shl.b32 $0, $1, 4;\\n shr.u32 $0, $0, 8;\\n xor.b32 $0, $0, $2;", "=r,r,r",
     [](Int x, Int z) { return (low(x << 4) >> 8) ^ z; }},
    {"minimum", "min.s32 $0, $1, $2; not.b32 $0, $0;", "=r,r,r",
     [](Int x, Int z) { return ~std::min(x, z); }},
    {"lop3", "lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xe8;", "=r,r,r",
     [](Int x, Int z) {
       Int m = 0x0f0f0f0f;
       return (x & z) | (x & m) | (z & m);
     }},
    {"prmt", "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r",
     [](Int x, Int z) { return (x & 0xffff) | low(z << 16); }},
    {"bfe", "bfe.u32 $0, $1, 5, 9; add.u32 $0, $0, $2;", "=r,r,r",
     [](Int x, Int z) { return ((low(x) >> 5) & 511) + z; }},
    {"predicates",
     "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, 100, 200, p; @p add.s32 $0, $0, 7; }",
     "=r,r,r", [](Int x, Int z) -> Int { return x < z ? 107 : 200; }},
    {"tied", "add.s32 $0, $0, $2;", "=r,0,r", [](Int x, Int z) { return x + z; }},
    {"counts", "popc.b32 $0, $1; add.s32 $0, $0, $2;", "=r,r,r",
     [](Int x, Int z) {
       Int n = 0;
       for (Int v = low(x); v; v &= v - 1)
         ++n;
       return n + z;
     }},
    {"funnel", "shf.l.wrap.b32 $0, $1, $2, 39;", "=r,r,r",
     [](Int x, Int z) { return low(z << 7) | low(x) >> 25; }},
    {"funnel right", "shf.r.wrap.b32 $0, $1, $2, 7;", "=r,r,r",
     [](Int x, Int z) { return low(x) >> 7 | low(z << 25); }},
    {"bytes",
     "{ .reg .b8 t<4>;\\n mov.b32 {t0, t1, t2, t3}, $1; cvt.u32.u8 $0, t2; }\\n add.s32 $0, $0, "
     "$2;",
     "=r,r,r", [](Int x, Int z) { return ((low(x) >> 16) & 255) + z; }},
    {"high", "mul.hi.u32 $0, $1, $2;", "=r,r,r",
     [](Int x, Int z) { return low(x) * low(z) >> 32; }},
};

void writeRow(BlockProgram &p, const Row &row) {
  p.in("x", DType::i32, {64}, bits()).in("z", DType::i32, {64}, bits());
  p.body(std::string("y = tl.inline_asm_elementwise(\"") + row.assembly + "\", \"" +
         row.constraints + "\", [x, z], dtype=tl.int32, is_pure=True, pack=1)");
  p.outInt("y", DType::i32, {64},
           [&](uint64_t i) { return row.value(p.intAt("x", i), p.intAt("z", i)); });
}

void writeFloats(BlockProgram &p) {
  p.in("x", DType::f32, {64}, uniform(0.5, 4));
  struct Unary {
    const char *name, *instruction;
    double (*reference)(double);
  };
  static const Unary list[] = {{"a", "ex2.approx.ftz.f32", std::exp2},
                               {"b", "lg2.approx.f32", std::log2},
                               {"c", "rcp.approx.ftz.f32", [](double x) { return 1 / x; }},
                               {"d", "sqrt.approx.f32", std::sqrt},
                               {"e", "rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }},
                               {"f", "tanh.approx.f32", std::tanh},
                               {"g", "neg.f32", [](double x) { return -x; }}};
  for (const Unary &row : list) {
    p.body(std::string(row.name) + " = tl.inline_asm_elementwise(\"" + row.instruction +
           " $0, $1;\", \"=f,f\", [x], dtype=tl.float32, is_pure=True, pack=1)");
    p.out(
        row.name, DType::f32, {64}, [&](uint64_t i) { return row.reference(p.at("x", i)); },
        tilecrt::Tolerance{2e-3, 1e-5});
  }
  p.body("h = tl.inline_asm_elementwise(\"fma.rn.f32 $0, $1, $2, 0f3F800000;\", \"=f,f,f\", [x, "
         "2.0], dtype=tl.float32, is_pure=True, pack=1)\n"
         "k = tl.inline_asm_elementwise(\"cvt.rzi.s32.f32 $0, $1;\", \"=r,f\", [x], "
         "dtype=tl.int32, is_pure=True, pack=1)");
  p.out("h", DType::f32, {64}, [&](uint64_t i) { return 2 * p.at("x", i) + 1; });
  p.outInt("k", DType::i32, {64}, [&](uint64_t i) { return static_cast<Int>(p.at("x", i)); });
}

/// Four bytes in a register; two halves in a register; two results.
void writePacked(BlockProgram &p) {
  p.in("x", DType::u8, {256}, uniform(0, 100)).in("z", DType::u8, {256}, uniform(0, 100));
  p.body(
      "y = tl.inline_asm_elementwise(\"add.u32 $0, $1, $2;\", \"=r,r,r\", [x, z], dtype=tl.uint8, "
      "is_pure=True, pack=4)\n"
      "a, b = tl.inline_asm_elementwise(\"and.b32 $0, $2, 0x0f0f0f0f; shr.u32 $1, $2, 4; and.b32 "
      "$1, $1, 0x0f0f0f0f;\", \"=r,=r,r\", [x], dtype=(tl.uint8, tl.int8), is_pure=True, pack=4)");
  p.outInt("y", DType::u8, {256}, [&](uint64_t i) { return p.intAt("x", i) + p.intAt("z", i); });
  p.outInt("a", DType::u8, {256}, [&](uint64_t i) { return p.intAt("x", i) & 15; });
  p.outInt("b", DType::i8, {256}, [&](uint64_t i) { return p.intAt("x", i) >> 4; });
  p.in("f", DType::f32, {256}, uniform(-9, 9))
      .in("h", DType::f16, {256})
      .in("g", DType::f16, {256});
  p.body(
      "c = tl.inline_asm_elementwise(\"cvt.rn.f16x2.f32 $0, $2, $1;\", \"=r,f,f\", [f], "
      "dtype=tl.float16, is_pure=True, pack=2)\n"
      "d = tl.inline_asm_elementwise(\"mul.f16x2 $0, $1, $2;\", \"=r,r,r\", [h, g], "
      "dtype=tl.float16, is_pure=True, pack=2)\n"
      "e = tl.inline_asm_elementwise(\"{ .reg .b16 lo, hi; mov.b32 {lo, hi}, $2; cvt.f32.f16 $0, "
      "lo; cvt.f32.f16 $1, hi; }\", \"=f,=f,r\", [h], dtype=tl.float32, is_pure=True, pack=2)");
  p.out("c", DType::f16, {256}, [&](uint64_t i) { return p.at("f", i); });
  p.out("d", DType::f16, {256}, [&](uint64_t i) { return p.at("h", i) * p.at("g", i); });
  p.out("e", DType::f32, {256}, [&](uint64_t i) { return p.at("h", i); }, tilecrt::Tolerance{0, 0});
}

/// Accesses of global memory through pointers.
void writeAccesses(BlockProgram &p) {
  p.buffer("x", DType::i32, {65}, bits());
  p.buffer("y", DType::i32, {64}, bits());
  p.body("i = tl.arange(0, 64)\nd = tl.inline_asm_elementwise(\"{ .reg .pred p; .reg .b32 t;\\n"
         " setp.lt.s32 p, $3, 32; mov.u32 $0, 7; @p ld.global.cg.b32 $0, [$1+4];\\n"
         " add.s32 t, $0, 1; st.global.b32 [$2], t; }\", \"=r,l,l,r\", [x_ptr + i, y_ptr + i, i], "
         "dtype=tl.int32, is_pure=False, pack=1)");
  auto loaded = [&](uint64_t i) -> Int { return i < 32 ? p.intAt("x", i + 1) : 7; };
  p.outInt("d", DType::i32, {64}, loaded);
  p.changes("y", [&](HostArray &array) {
    for (uint64_t i = 0; i < 64; ++i)
      setInt(array, i, loaded(i) + 1);
  });
}

/// Broadcast operands, a scalar result, 64 bits, and no operands at all.
void writeForms(BlockProgram &p) {
  p.in("x", DType::i32, {8, 1}).in("z", DType::i32, {16}).in("w", DType::i64, {32}, bits());
  p.body("y = tl.inline_asm_elementwise(\"sub.s32 $0, $1, $2;\", \"=r,r,r\", [x, z], "
         "dtype=tl.int32, is_pure=True, pack=1)\n"
         "s = tl.inline_asm_elementwise(\"add.s32 $0, $1, 5;\", \"=r,r\", [tl.max(z, 0)], "
         "dtype=tl.int32, is_pure=False, pack=1)\n"
         "v = tl.inline_asm_elementwise(\"not.b64 $0, $1;\", \"=l,l\", [w], dtype=tl.int64, "
         "is_pure=True, pack=1)\n"
         "c = tl.inline_asm_elementwise(\"mov.u32 $0, 42;\", \"=r\", [], dtype=tl.int32, "
         "is_pure=True, pack=1)");
  p.outInt("y", DType::i32, {8, 16},
           [&](uint64_t i) { return p.intAt("x", i / 16) - p.intAt("z", i % 16); });
  p.outInt("s", DType::i32, {}, [&](uint64_t) {
    Int best = p.intAt("z", 0);
    for (uint64_t i = 1; i < 16; ++i)
      best = std::max(best, p.intAt("z", i));
    return best + 5;
  });
  p.outInt("v", DType::i64, {32}, [&](uint64_t i) { return ~p.intAt("w", i); });
  p.outInt("c", DType::i32, {}, [](uint64_t) -> Int { return 42; });
}

void writeMap(BlockProgram &p) {
  p.global("@triton.jit\ndef gcd(a, b):\n    while b != 0:\n        a, b = b, a % b\n    return a");
  p.global(
      "@triton.jit\ndef both(a, b):\n    if a > b:\n        return a - b, a\n    return b - a, b");
  p.global("@triton.jit\ndef pair(a0, a1):\n    return a0 + a1, a0 - a1");
  p.in("x", DType::i32, {128}, uniform(1, 100)).in("z", DType::i32, {128}, uniform(1, 100));
  p.body("g = tl.map_elementwise(gcd, x, z)\nd, m = tl.map_elementwise(both, x, z)\nq = "
         "tl.map_elementwise(pair, x, pack=2)");
  auto x = [&](uint64_t i) { return p.intAt("x", i); };
  auto z = [&](uint64_t i) { return p.intAt("z", i); };
  p.outInt("g", DType::i32, {128}, [&](uint64_t i) {
    Int a = x(i), b = z(i);
    while (b != 0)
      std::swap(a %= b, b);
    return a;
  });
  p.outInt("d", DType::i32, {128},
           [&](uint64_t i) { return x(i) > z(i) ? x(i) - z(i) : z(i) - x(i); });
  p.outInt("m", DType::i32, {128}, [&](uint64_t i) { return std::max(x(i), z(i)); });
  p.outInt("q", DType::i32, {128},
           [&](uint64_t i) { return i % 2 ? x(i - 1) - x(i) : x(i) + x(i + 1); });
}

void writeMachine(BlockProgram &p) {
  p.builder().warps(2);
  p.body("tl.extra.cuda.gdc_wait()\nt = tl.extra.cuda.globaltimer()\ns = tl.extra.cuda.smid()\n"
         "n = tl.to_tensor(tl.extra.cuda.num_warps() * 100 + tl.extra.cuda.num_threads())\n"
         "u = tl.extra.cuda.globaltimer()\nok = (u >= t) & (s >= "
         "0)\ntl.extra.cuda.gdc_launch_dependents()");
  p.outInt("n", DType::i32, {}, [](uint64_t) -> Int { return 264; });
  p.outInt("ok", DType::boolean, {}, [](uint64_t) -> Int { return 1; });
}

} // namespace

/// Symbols of libdevice by types, with promotion, scalars and blocks.
void writeExtern(BlockProgram &p) {
  p.in("x", DType::f32, {64}, uniform(0.2, 3)).in("w", DType::f64, {64}, uniform(0.2, 3));
  p.in("i", DType::i32, {64}, bits());
  p.body("SIN: tl.constexpr = {(tl.float32,): (\"__nv_sinf\", tl.float32),\n"
         "    (tl.dtype(\"fp64\"),): (\"__nv_sin\", tl.dtype(\"fp64\"))}\n"
         "a = tl.extern_elementwise(\"\", \"\", [x], SIN, is_pure=True)\n"
         "b = tl.extern_elementwise(\"libdevice\", \"\", [w], SIN, is_pure=True)\n"
         "c = tl.extern_elementwise(\"\", \"\", [x, w],\n"
         "    {(tl.float64, tl.float64): (\"__nv_pow\", tl.float64)}, is_pure=True)\n"
         "d = tl.extern_elementwise(\"\", \"\", [x, 0.5],\n"
         "    {(tl.float32, tl.float32): (\"__nv_fadd_rn\", tl.float32)}, is_pure=True)\n"
         "e = tl.extern_elementwise(\"\", \"\", [i],\n"
         "    {(tl.int32,): (\"__nv_popc\", tl.int32), (tl.int64,): (\"__nv_popcll\", tl.int32)},\n"
         "    is_pure=True)");
  const tilecrt::Tolerance tolerance{1e-5, 1e-6};
  p.out("a", DType::f32, {64}, [&](uint64_t k) { return std::sin(p.at("x", k)); }, tolerance);
  p.out(
      "b", DType::f64, {64}, [&](uint64_t k) { return std::sin(p.at("w", k)); },
      tilecrt::Tolerance{1e-13, 1e-14});
  p.out(
      "c", DType::f64, {64}, [&](uint64_t k) { return std::pow(p.at("x", k), p.at("w", k)); },
      tilecrt::Tolerance{1e-12, 1e-14});
  p.out("d", DType::f32, {64}, [&](uint64_t k) { return p.at("x", k) + 0.5; }, tolerance);
  p.outInt("e", DType::i32, {64}, [&](uint64_t k) -> Int {
    return __builtin_popcount(static_cast<unsigned>(p.intAt("i", k)));
  });
}

void addInlineCases(std::vector<Case> &cases) {
  for (const Row &row : rows)
    addCase(
        cases, "inline asm", DType::i32, row.name, [=](BlockProgram &p) { writeRow(p, row); },
        Scale::Quick);
  addCase(cases, "inline asm", DType::f32, "floats", writeFloats);
  addCase(cases, "inline asm", DType::u8, "packed", writePacked);
  addCase(cases, "inline asm", DType::i32, "forms", writeForms);
  addCase(cases, "inline asm", DType::i32, "accesses", writeAccesses);
  addCase(cases, "map_elementwise", DType::i32, "128", writeMap);
  addCase(cases, "extern", DType::f32, "", writeExtern);
  addCase(cases, "machine", DType::i32, "", writeMachine);
}

} // namespace tilec::harness::language
