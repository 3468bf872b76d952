// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements: every row is lines of a program, the shape of their result `y`
// and, for each element of it, the element of `x` that it is. Sorting and selection by index
// follow.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness::language {
namespace {

struct Move {
  const char *name;
  Shape from;
  const char *lines;
  Shape to;
  /// Index of the source element of a result element.
  std::function<uint64_t(uint64_t)> source;
};

uint64_t same(uint64_t i) { return i; }

const std::vector<Move> &moves() {
  static const std::vector<Move> rows = {
      {"expand_dims", {32}, "y = tl.expand_dims(x, 0)", {1, 32}, same},
      {"expand_dims many", {32}, "y = tl.expand_dims(x, (0, 2))", {1, 32, 1}, same},
      {"expand_dims last", {32}, "y = x.expand_dims(-1)", {32, 1}, same},
      {"unsqueeze", {32}, "y = tl.unsqueeze(x, 1)", {32, 1}, same},
      {"squeeze", {32, 1, 2}, "y = tl.squeeze(x, 1)", {32, 2}, same},
      {"squeeze back", {32, 2, 1}, "y = tl.squeeze(x, -1)", {32, 2}, same},
      {"None", {4, 8}, "y = x[None, :, None, :]", {1, 4, 1, 8}, same},
      {"...", {4, 8}, "y = x[..., None]", {4, 8, 1}, same},
      {"full slice", {4, 8}, "y = x[:, :]", {4, 8}, same},
      {"broadcast_to",
       {8},
       "y = tl.broadcast_to(x, (4, 8))",
       {4, 8},
       [](uint64_t i) { return i % 8; }},
      {"broadcast_to 3d",
       {4, 1, 8},
       "y = x.broadcast_to(4, 2, 8)",
       {4, 2, 8},
       [](uint64_t i) { return i / 16 * 8 + i % 8; }},
      {"broadcast",
       {8, 1},
       "y, z = tl.broadcast(x, tl.arange(0, 4)[None, :])",
       {8, 4},
       [](uint64_t i) { return i / 4; }},
      {"reshape", {4, 16}, "y = tl.reshape(x, (8, 8))", {8, 8}, same},
      {"reshape list", {4, 16}, "y = tl.reshape(x, [2, 2, 16])", {2, 2, 16}, same},
      {"reshape args", {64}, "y = x.reshape(2, 2, 2, 8)", {2, 2, 2, 8}, same},
      {"ravel", {4, 2, 16}, "y = tl.ravel(x)", {128}, same},
      {"trans", {8, 16}, "y = tl.trans(x)", {16, 8}, [](uint64_t i) { return i % 8 * 16 + i / 8; }},
      {"trans method",
       {8, 16},
       "y = x.trans()",
       {16, 8},
       [](uint64_t i) { return i % 8 * 16 + i / 8; }},
      {"T", {8, 16}, "y = x.T", {16, 8}, [](uint64_t i) { return i % 8 * 16 + i / 8; }},
      {"trans 3d",
       {4, 8, 2},
       "y = tl.trans(x)",
       {4, 2, 8},
       [](uint64_t i) { return i / 16 * 16 + i % 8 * 2 + i / 8 % 2; }},
      {"trans dims",
       {4, 8, 2},
       "y = tl.trans(x, 2, 0, 1)",
       {2, 4, 8},
       [](uint64_t i) { return i % 32 * 2 + i / 32; }},
      {"permute",
       {4, 8, 2},
       "y = tl.permute(x, (1, 0, 2))",
       {8, 4, 2},
       [](uint64_t i) { return (i / 2 % 4 * 8 + i / 8) * 2 + i % 2; }},
      {"permute 4d",
       {2, 4, 2, 8},
       "y = x.permute(3, 2, 1, 0)",
       {8, 2, 4, 2},
       [](uint64_t i) { return ((i % 2 * 4 + i / 2 % 4) * 2 + i / 8 % 2) * 8 + i / 16; }},
      {"permute 5d",
       {2, 2, 2, 2, 4},
       "y = tl.permute(x, 4, 0, 1, 2, 3)",
       {4, 2, 2, 2, 2},
       [](uint64_t i) { return i % 16 * 4 + i / 16; }},
      {"flip", {64}, "y = tl.flip(x)", {64}, [](uint64_t i) { return 63 - i; }},
      {"flip dim",
       {8, 16},
       "y = tl.flip(x, 0)",
       {8, 16},
       [](uint64_t i) { return (7 - i / 16) * 16 + i % 16; }},
      {"flip method",
       {8, 16},
       "y = x.flip(-1)",
       {8, 16},
       [](uint64_t i) { return i / 16 * 16 + 15 - i % 16; }},
      {"interleave halves",
       {32},
       "a, b = tl.split(x.reshape(16, 2))\ny = tl.interleave(a, b)",
       {32},
       same},
      {"split", {4, 8, 2}, "a, y = tl.split(x)", {4, 8}, [](uint64_t i) { return 2 * i + 1; }},
      {"split first", {64, 2}, "y, b = x.split()", {64}, [](uint64_t i) { return 2 * i; }},
      {"gather",
       {32},
       "y = tl.gather(x, 31 - tl.arange(0, 32), 0)",
       {32},
       [](uint64_t i) { return 31 - i; }},
      {"gather rows",
       {8, 16},
       "y = tl.gather(x, (tl.arange(0, 4) * 2)[:, None].broadcast_to(4, 16), 0)",
       {4, 16},
       [](uint64_t i) { return i / 16 * 32 + i % 16; }},
      {"gather method",
       {8, 16},
       "y = x.gather(((tl.arange(0, 8)[:, None] + tl.arange(0, 32)[None, :]) & 15).to(tl.int64), "
       "axis=1)",
       {8, 32},
       [](uint64_t i) { return i / 32 * 16 + (i / 32 + i % 32) % 16; }},
      {"item", {1}, "y = x.item()", {}, same},
      {"item 2d", {1, 1}, "y = tl.item(x)", {}, same},
  };
  return rows;
}

void writeMove(BlockProgram &p, const Move &row, DType type) {
  p.in("x", type, row.from, type == DType::f8e4m3 ? normal() : bits());
  p.body(row.lines);
  if (tilecrt::isFloat(type))
    p.out(
        "y", type, row.to, [&](uint64_t i) { return p.at("x", row.source(i)); },
        tilecrt::Tolerance{0, 0});
  else
    p.outInt("y", type, row.to, [&](uint64_t i) { return p.intAt("x", row.source(i)); });
}

/// Two sources.
void writeJoins(BlockProgram &p, DType type) {
  p.in("a", type, {4, 8}, bits()).in("b", type, {4, 8}, bits());
  auto from = [&](bool second, uint64_t i) { return p.intAt(second ? "b" : "a", i); };
  p.body("j = tl.join(a, b)\nm = a.join(b)\ni = tl.interleave(a, b)\nc0 = tl.cat(a, b, dim=0)\n"
         "c1 = tl.cat(a, b, dim=1)\ns, t = tl.split(j)\n"
         "v = tl.sort(tl.ravel(tl.view(a, (32,))))\nw = tl.sort(tl.ravel(a))");
  p.outInt("j", type, {4, 8, 2}, [&](uint64_t i) { return from(i % 2, i / 2); });
  p.outInt("m", type, {4, 8, 2}, [&](uint64_t i) { return from(i % 2, i / 2); });
  p.outInt("i", type, {4, 16}, [&](uint64_t i) { return from(i % 2, i / 2); });
  p.outInt("c0", type, {8, 8}, [&](uint64_t i) { return from(i >= 32, i % 32); });
  p.outInt("c1", type, {4, 16}, [&](uint64_t i) { return from(i % 16 >= 8, i / 16 * 8 + i % 8); });
  p.outInt("s", type, {4, 8}, [&](uint64_t i) { return from(false, i); });
  p.outInt("t", type, {4, 8}, [&](uint64_t i) { return from(true, i); });
  // The elements of a view may be in any order.
  std::vector<Int> sorted;
  for (uint64_t i = 0; i < 32; ++i)
    sorted.push_back(from(false, i));
  std::sort(sorted.begin(), sorted.end());
  for (const char *name : {"v", "w"})
    p.outInt(name, type, {32}, [&](uint64_t i) { return sorted[i]; });
}

void writeCreation(BlockProgram &p, DType type) {
  std::string t = languageName(type);
  p.body("z = tl.zeros((4, 8), dtype=" + t + ")\nf = tl.full([8], 3, " + t +
         ")\nl = tl.zeros_like(f)\nr = tl.arange(8, 24)\ns = tl.full((), 2, " + t +
         ")\ne = tl.full((2, 2), s, " + t + ")");
  auto constant = [&](const char *name, const Shape &shape, double value) {
    if (tilecrt::isFloat(type))
      p.out(name, type, shape, [=](uint64_t) { return value; });
    else
      p.outInt(name, type, shape, [=](uint64_t) { return static_cast<Int>(value); });
  };
  constant("z", {4, 8}, 0);
  constant("f", {8}, 3);
  constant("l", {8}, 0);
  constant("s", {}, 2);
  constant("e", {2, 2}, 2);
  p.outInt("r", DType::i32, {16}, [](uint64_t i) -> Int { return 8 + i; });
}

void writeSwizzle(BlockProgram &p) {
  p.body("i = tl.arange(0, 4)[:, None]\nj = tl.arange(0, 8)[None, :]\na, b = tl.swizzle2d(i, j, 4, "
         "8, 2)");
  auto swizzled = [](uint64_t at, bool second) -> Int {
    uint64_t group = at / 16, inside = at % 16;
    return second ? inside / 2 : group * 2 + inside % 2;
  };
  p.outInt("a", DType::i32, {4, 8}, [&](uint64_t i) { return swizzled(i, false); });
  p.outInt("b", DType::i32, {4, 8}, [&](uint64_t i) { return swizzled(i, true); });
}

/// Sorted lines along an axis.
void writeSort(BlockProgram &p, DType type, const Shape &shape, int axis, bool descending) {
  bool isFloat = tilecrt::isFloat(type);
  p.in("x", type, shape, isFloat ? normal() : bits());
  std::string rest =
      "dim=" + std::to_string(axis) + ", descending=" + (descending ? "True)" : "False)");
  p.body("y = tl.sort(x, " + rest);
  uint64_t n = static_cast<uint64_t>(shape[axis]), inner = 1;
  for (size_t dim = axis + 1; dim < shape.size(); ++dim)
    inner *= static_cast<uint64_t>(shape[dim]);
  auto line = [&](uint64_t i, auto get) {
    std::vector<decltype(get(uint64_t()))> list;
    for (uint64_t k = 0; k < n; ++k)
      list.push_back(get((i / (n * inner) * n + k) * inner + i % inner));
    std::sort(list.begin(), list.end());
    if (descending)
      std::reverse(list.begin(), list.end());
    return list[i / inner % n];
  };
  if (isFloat)
    p.out(
        "y", type, shape,
        [&](uint64_t i) { return line(i, [&](uint64_t at) { return p.at("x", at); }); },
        tilecrt::Tolerance{0, 0});
  else
    p.outInt("y", type, shape,
             [&](uint64_t i) { return line(i, [&](uint64_t at) { return p.intAt("x", at); }); });
}

void writeTopK(BlockProgram &p, DType type, int64_t n, int64_t k) {
  bool isFloat = tilecrt::isFloat(type);
  p.in("x", type, {4, n}, isFloat ? normal() : bits());
  std::string count = std::to_string(k);
  p.body("y = tl.topk(x, " + count + ")\nz = x.topk(" + count + ", dim=1)\nw = tl.topk(x, " +
         count + ", descending=False)");
  auto pick = [&](uint64_t i, bool isSmallest, auto get) {
    std::vector<decltype(get(uint64_t()))> row;
    for (int64_t c = 0; c < n; ++c)
      row.push_back(get(i / k * n + c));
    std::sort(row.begin(), row.end());
    if (!isSmallest)
      std::reverse(row.begin(), row.end());
    return row[i % k];
  };
  for (const char *name : {"y", "z", "w"}) {
    bool isSmallest = *name == 'w';
    if (isFloat)
      p.out(
          name, type, {4, k},
          [&, isSmallest](uint64_t i) {
            return pick(i, isSmallest, [&](uint64_t at) { return p.at("x", at); });
          },
          tilecrt::Tolerance{0, 0});
    else
      p.outInt(name, type, {4, k}, [&, isSmallest](uint64_t i) {
        return pick(i, isSmallest, [&](uint64_t at) { return p.intAt("x", at); });
      });
  }
}

/// A row that goes up and then down, merged.
void writeMerge(BlockProgram &p, DType type) {
  p.in("x", type, {2, 32}, [](HostArray &array, tilecrt::RandomStream) {
    for (uint64_t i = 0; i < array.size(); ++i)
      array.set(i, i % 32 < 20 ? 2.0 * (i % 32) : 63.0 - 2.0 * (i % 32 - 19));
  });
  p.body("y = tl.bitonic_merge(x)\nz = tl.bitonic_merge(x, dim=1, descending=True)");
  std::vector<double> row;
  for (uint64_t i = 0; i < 32; ++i)
    row.push_back(p.at("x", i));
  std::sort(row.begin(), row.end());
  p.out("y", type, {2, 32}, [&](uint64_t i) { return row[i % 32]; });
  p.out("z", type, {2, 32}, [&](uint64_t i) { return row[31 - i % 32]; });
}

void writeHistogram(BlockProgram &p, DType type, int64_t bins) {
  p.in("x", type, {256}, uniform(isUnsigned(type) ? 0 : -2, static_cast<double>(bins + 2)));
  p.body("m = tl.arange(0, 256) % 3 != 0\nh = tl.histogram(x, " + std::to_string(bins) +
         ")\ng = tl.histogram(x, " + std::to_string(bins) + ", mask=m)\nk = x.histogram(" +
         std::to_string(bins) + ")");
  auto count = [&](uint64_t bin, bool masked) {
    Int total = 0;
    for (uint64_t i = 0; i < 256; ++i)
      total += p.intAt("x", i) == static_cast<Int>(bin) && (!masked || i % 3 != 0);
    return total;
  };
  p.outInt("h", DType::i32, {bins}, [&](uint64_t i) { return count(i, false); });
  p.outInt("g", DType::i32, {bins}, [&](uint64_t i) { return count(i, true); });
  p.outInt("k", DType::i32, {bins}, [&](uint64_t i) { return count(i, false); });
}

/// Selection with a condition, operands and scalars of different shapes and types.
void writeWhere(BlockProgram &p, DType type) {
  p.in("c", DType::boolean, {8, 1}).in("a", type, {8, 16}).in("b", type, {16});
  p.body("x = tl.where(c, a, b)\ny = tl.where(c, a, 0)\nz = tl.where(True, a, b)\nw = tl.where(c & "
         "(a > b), a, -1.0)");
  auto both = [&](uint64_t i) { return p.intAt("c", i / 16) != 0; };
  p.out("x", type, {8, 16}, [&](uint64_t i) { return both(i) ? p.at("a", i) : p.at("b", i % 16); });
  p.out("y", type, {8, 16}, [&](uint64_t i) { return both(i) ? p.at("a", i) : 0; });
  p.out("z", type, {8, 16}, [&](uint64_t i) { return p.at("a", i); });
  p.out("w", type, {8, 16}, [&](uint64_t i) {
    return both(i) && p.at("a", i) > p.at("b", i % 16) ? p.at("a", i) : -1.0;
  });
}

} // namespace

void addShapeCases(std::vector<Case> &cases) {
  for (DType type : {DType::i32, DType::u8, DType::i16, DType::f32, DType::f64, DType::f8e4m3})
    for (const Move &row : moves())
      addCase(
          cases, row.name, type, shapeText(row.from),
          [=](BlockProgram &p) { writeMove(p, row, type); },
          type == DType::i32 ? Scale::Quick : Scale::Full);
  for (DType type : {DType::i8, DType::i32, DType::u64}) {
    addCase(cases, "join", type, "4x8", [=](BlockProgram &p) { writeJoins(p, type); });
    addCase(cases, "creation", type, "", [=](BlockProgram &p) { writeCreation(p, type); });
  }
  for (DType type : {DType::f32, DType::bf16, DType::f8e5m2, DType::f64})
    addCase(cases, "creation", type, "", [=](BlockProgram &p) { writeCreation(p, type); });
  addCase(cases, "swizzle2d", DType::i32, "4x8", writeSwizzle);
  for (DType type : {DType::i8, DType::u16, DType::i32, DType::u32, DType::i64, DType::f16,
                     DType::bf16, DType::f32, DType::f64}) {
    addCase(cases, "sort", type, "128",
            [=](BlockProgram &p) { writeSort(p, type, {128}, 0, false); });
    addCase(cases, "sort", type, "4x32 down",
            [=](BlockProgram &p) { writeSort(p, type, {4, 32}, 1, true); });
    addCase(cases, "topk", type, "32 of 64", [=](BlockProgram &p) { writeTopK(p, type, 64, 32); });
    addCase(cases, "topk", type, "4 of 64", [=](BlockProgram &p) { writeTopK(p, type, 64, 4); });
  }
  addCase(cases, "sort", DType::f32, "16x4 rows",
          [](BlockProgram &p) { writeSort(p, DType::f32, {16, 4}, 0, false); });
  addCase(cases, "sort", DType::f32, "1024",
          [](BlockProgram &p) { writeSort(p, DType::f32, {1024}, 0, false); });
  // Long ones are loops.
  addCase(cases, "sort", DType::f32, "8192",
          [](BlockProgram &p) { writeSort(p, DType::f32, {8192}, 0, true); });
  addCase(cases, "sort", DType::i16, "2x4096",
          [](BlockProgram &p) { writeSort(p, DType::i16, {2, 4096}, 1, false); });
  addCase(cases, "topk", DType::f32, "128 of 4096",
          [](BlockProgram &p) { writeTopK(p, DType::f32, 4096, 128); });
  addCase(cases, "topk", DType::f32, "1 of 32",
          [](BlockProgram &p) { writeTopK(p, DType::f32, 32, 1); });
  addCase(cases, "topk", DType::f32, "8 of 8",
          [](BlockProgram &p) { writeTopK(p, DType::f32, 8, 8); });
  for (DType type : {DType::f32, DType::f16})
    addCase(cases, "bitonic_merge", type, "2x32", [=](BlockProgram &p) { writeMerge(p, type); });
  for (DType type : {DType::i32, DType::u32, DType::i16, DType::u8})
    for (int64_t bins : {8, 64})
      addCase(cases, "histogram", type, std::to_string(bins),
              [=](BlockProgram &p) { writeHistogram(p, type, bins); });
  for (DType type : {DType::f32, DType::f16, DType::f64})
    addCase(cases, "where", type, "8x16", [=](BlockProgram &p) { writeWhere(p, type); });
}

} // namespace tilec::harness::language
