// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores with every modifier, pointers as values, blocks of a tensor, atomics.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness::language {
namespace {

constexpr tilecrt::Tolerance exact = {0, 0};

/// Copies 64 elements: `load` and `store` are the calls' further arguments.
void writeCopy(BlockProgram &p, DType type, const std::string &load, const std::string &store) {
  p.buffer("x", type, {64}, bits());
  p.body("i = tl.arange(0, 64)\nm = i < 50\nv = tl.load(x_ptr + i" + load + ")");
  p.body("tl.store(y_ptr + i, v" + store + ")");
  p.outBuffer(
      "y", type, {64},
      [&](HostArray &array) {
        std::memcpy(array.data(), p.array("x").data(),
                    tilecrt::isFloat(type) ? 0 : array.byteSize());
        for (uint64_t i = 0; i < 64 && tilecrt::isFloat(type); ++i)
          array.set(i, p.at("x", i));
      },
      exact);
}

/// Masked lanes take `other`, or zero; a mask and `other` broadcast; a masked store leaves the
/// rest.
void writeMasks(BlockProgram &p, DType type) {
  bool isFloat = tilecrt::isFloat(type);
  p.buffer("x", type, {8, 16}, isFloat ? normal() : bits());
  p.body("r = tl.arange(0, 8)[:, None]\nc = tl.arange(0, 16)[None, :]\nat = x_ptr + r * 16 + c\n"
         "a = tl.load(at, mask=c < 11, other=1)\nb = tl.load(at, mask=r < 5)\n"
         "d = tl.load(at, r != c, r.to(" +
         languageName(type) +
         "))\ns = tl.load(x_ptr + 3)\n"
         "n = tl.load(x_ptr, mask=s != s, other=1)");
  auto put = [&](const char *name, auto keep, auto other) {
    if (isFloat)
      p.out(
          name, type, {8, 16},
          [&](uint64_t i) {
            return keep(i / 16, i % 16) ? p.at("x", i) : static_cast<double>(other(i / 16));
          },
          exact);
    else
      p.outInt(name, type, {8, 16}, [&](uint64_t i) -> Int {
        return keep(i / 16, i % 16) ? p.intAt("x", i) : static_cast<Int>(other(i / 16));
      });
  };
  put("a", [](uint64_t, uint64_t c) { return c < 11; }, [](uint64_t) { return 1; });
  put("b", [](uint64_t r, uint64_t) { return r < 5; }, [](uint64_t) { return 0; });
  put("d", [](uint64_t r, uint64_t c) { return r != c; }, [](uint64_t r) { return r; });
  if (isFloat) {
    p.out("s", type, {}, [&](uint64_t) { return p.at("x", 3); }, exact);
    p.out("n", type, {}, [&](uint64_t) { return 1.0; }, exact);
  } else {
    p.outInt("s", type, {}, [&](uint64_t) { return p.intAt("x", 3); });
    p.outInt("n", type, {}, [&](uint64_t) -> Int { return 1; });
  }
  p.buffer("z", type, {8, 16}, isFloat ? normal() : bits());
  p.body("tl.store(z_ptr + r * 16 + c, 1, mask=(r + c) % 3 == 0)\nx_last = tl.load(z_ptr + 127)");
  p.changes(
      "z",
      [&](HostArray &array) {
        for (uint64_t i = 0; i < 128; ++i)
          if ((i / 16 + i % 16) % 3 == 0)
            array.set(i, 1);
          else if (isFloat)
            array.set(i, p.at("z", i));
          else
            setInt(array, i, p.intAt("z", i));
      },
      exact);
}

/// A byte that is not zero is true, and true is stored as one.
void writeBooleans(BlockProgram &p) {
  p.buffer("x", DType::u8, {64}, values({0, 1, 2, 255, 128, 0}));
  p.body("i = tl.arange(0, 64)\nb = tl.load(x_ptr.to(tl.pointer_type(tl.int1)) + i)\nn = ~b\n"
         "q = b.to(tl.int32)\nall_q = tl.sum(q, 0)");
  auto truth = [&](uint64_t i) -> Int { return p.intAt("x", i) != 0; };
  p.outInt("b", DType::boolean, {64}, truth);
  p.outInt("n", DType::boolean, {64}, [&](uint64_t i) { return 1 - truth(i); });
  p.outInt("q", DType::i32, {64}, truth);
  p.outInt("all_q", DType::i32, {}, [&](uint64_t) {
    Int sum = 0;
    for (uint64_t i = 0; i < 64; ++i)
      sum += truth(i);
    return sum;
  });
}

/// Addresses in memory, pointers selected by conditions and carried by loops, casts and predicates.
void writePointers(BlockProgram &p, DType type) {
  p.buffer("x", type, {64}).buffer("y", type, {64});
  p.builder().addresses("table", {"x_ptr", "y_ptr"});
  std::string t = "tl.pointer_type(" + languageName(type) + ")";
  p.body("i = tl.arange(0, 64)\nfirst = tl.load(table).to(" + t +
         ")\nsecond = tl.load(table + 1).to(" + t +
         ")\na = tl.load(tl.where(i % 2 == 0, first + i, second + i))\n"
         "walk = first\nb = tl.zeros((), " +
         languageName(type) +
         ")\n"
         "for k in range(0, 4):\n    b += tl.load(walk)\n    walk += 16\n"
         "tl.static_assert(first.dtype.is_ptr() and not i.dtype.is_ptr())\n"
         "tl.static_assert(first.dtype.element_ty == " +
         languageName(type) +
         ")\n"
         "tl.static_assert((first + i).type.is_block() and (first + i).type.element_ty.is_ptr())\n"
         "back = (first + 3).to(tl.int64)\nd = tl.load(back.to(" +
         t +
         "))\n"
         "e = (first + 5 == first + i) & (second != first)\n"
         "f = tl.load((second + 63 - i))\ng = tl.load(i + first)");
  p.out("a", type, {64}, [&](uint64_t i) { return p.at(i % 2 ? "y" : "x", i); }, exact);
  // Rounded to the type after each of the sums, which are of size 4 where the last one may be near
  // 0.
  tilecrt::Tolerance sums =
      type == DType::f16 ? tilecrt::Tolerance{1e-3, 1e-2} : tilecrt::Tolerance{1e-6, 1e-5};
  p.out(
      "b", type, {},
      [&](uint64_t) { return p.at("x", 0) + p.at("x", 16) + p.at("x", 32) + p.at("x", 48); }, sums);
  p.out("d", type, {}, [&](uint64_t) { return p.at("x", 3); }, exact);
  p.outInt("e", DType::boolean, {64}, [](uint64_t i) -> Int { return i == 5; });
  p.out("f", type, {64}, [&](uint64_t i) { return p.at("y", 63 - i); }, exact);
  p.out("g", type, {64}, [&](uint64_t i) { return p.at("x", i); }, exact);
}

/// A block pointer that moves, with elements of its block outside of the tensor.
void writeBlockPointer(BlockProgram &p, DType type) {
  p.buffer("x", type, {20, 24});
  p.body(
      "q = tl.make_block_ptr(base=x_ptr, shape=(20, 24), strides=(24, 1), offsets=(0, 16), "
      "block_shape=(8, 16), order=(1, 0))\n"
      "q = tl.advance(q, (16, 0))\na = tl.load(q, boundary_check=(0, 1))\n"
      "b = tl.load(q, boundary_check=(0, 1), padding_option=\"nan\")\n"
      "c = tl.load(tl.advance(q, (-16, -16)))\n"
      "t = tl.make_block_ptr(x_ptr, (24, 20), (1, 24), (0, 0), (16, 4), (0, 1))\nd = tl.load(t)\n"
      "s = tl.make_block_ptr(z_ptr, (20, 24), (24, 1), (16, 16), (8, 16), (1, 0))\n"
      "tl.store(s, a, boundary_check=(0, 1))");
  auto inside = [](uint64_t i) { return i / 16 < 4 && i % 16 < 8; };
  auto source = [&](uint64_t i) { return p.at("x", (16 + i / 16) * 24 + 16 + i % 16); };
  p.out("a", type, {8, 16}, [&](uint64_t i) { return inside(i) ? source(i) : 0; }, exact);
  p.out(
      "b", type, {8, 16}, [&](uint64_t i) { return inside(i) ? source(i) : std::nan(""); }, exact);
  p.out("c", type, {8, 16}, [&](uint64_t i) { return p.at("x", i / 16 * 24 + i % 16); }, exact);
  p.out("d", type, {16, 4}, [&](uint64_t i) { return p.at("x", i % 4 * 24 + i / 4); }, exact);
  p.buffer("z", type, {20, 24}, values({7}));
  p.changes(
      "z",
      [&](HostArray &array) {
        for (uint64_t i = 0; i < array.size(); ++i)
          array.set(i, i / 24 >= 16 && i % 24 >= 16 ? p.at("x", i) : 7);
      },
      exact);
}

/// Tensor descriptors under their names of now and of before.
void writeDescriptor(BlockProgram &p, DType type, int variant) {
  const char *makers[] = {"tl.make_tensor_descriptor", "tl._experimental_make_tensor_descriptor",
                          "tl.make_tensor_descriptor"};
  const char *loads[] = {"d.load([16, 16])",
                         "tl._experimental_descriptor_load(d, [16, 16], [8, 16], d.dtype)",
                         "tl.load_tensor_descriptor(d, [16, 16])"};
  const char *stores[] = {"e.store([16, 0], v)", "tl._experimental_descriptor_store(e, v, [16, 0])",
                          "tl.store_tensor_descriptor(e, [16, 0], v)"};
  p.buffer("x", type, {20, 32});
  std::string rest = ", shape=[20, 32], strides=[32, 1], block_shape=[8, 16]";
  p.body(std::string("d = ") + makers[variant] + "(x_ptr" + rest + ")\ne = " + makers[variant] +
         "(z_ptr" + rest + ")\nv = " + loads[variant] + "\n" + stores[variant] + "\n" +
         "tl.static_assert(d.block_shape[0] == 8 and d.dtype == " + languageName(type) + ")");
  p.out(
      "v", type, {8, 16},
      [&](uint64_t i) { return i / 16 < 4 ? p.at("x", (16 + i / 16) * 32 + 16 + i % 16) : 0; },
      exact);
  p.buffer("z", type, {20, 32}, values({7}));
  p.changes(
      "z",
      [&](HostArray &array) {
        for (uint64_t i = 0; i < array.size(); ++i)
          array.set(i, i / 32 >= 16 && i % 32 < 16 ? p.at("x", i + 16) : 7);
      },
      exact);
}

void writeDescriptorRanks(BlockProgram &p, DType type) {
  p.buffer("x", type, {4, 2, 4, 16});
  p.body("d = tl.make_tensor_descriptor(x_ptr, [512], [1], [64], padding_option=\"nan\")\na = "
         "d.load([480])\n"
         "f = tl.make_tensor_descriptor(x_ptr, [4, 2, 4, 16], [128, 64, 16, 1], [2, 1, 4, 16])\nb "
         "= f.load([1, 1, 0, 0])\n"
         "g = tl.make_tensor_descriptor(x_ptr, [32, 16], [16, 1], [1, 16])\n"
         "rows = (tl.arange(0, 8) * 5) % 32\nc = g.gather(rows, 0)");
  p.out(
      "a", type, {64}, [&](uint64_t i) { return i < 32 ? p.at("x", 480 + i) : std::nan(""); },
      exact);
  p.out(
      "b", type, {2, 1, 4, 16},
      [&](uint64_t i) { return p.at("x", (1 + i / 64) * 128 + 64 + i % 64); }, exact);
  p.out(
      "c", type, {8, 16}, [&](uint64_t i) { return p.at("x", i / 16 * 5 % 32 * 16 + i % 16); },
      exact);
}

/// A descriptor's read-modify-write operations on blocks of some rows.
void writeDescriptorReduce(BlockProgram &p, DType type, const char *op, int64_t rows) {
  p.in("v", type, {rows, 16}, tilecrt::isFloat(type) ? normal() : bits());
  p.buffer("x", type, {16, 16}, tilecrt::isFloat(type) ? normal() : bits());
  p.body("d = tl.make_tensor_descriptor(x_ptr, [16, 16], [16, 1], [" + std::to_string(rows) +
         ", 16])\nd.atomic_" + op + "([" + std::to_string(16 - rows) + ", 0], v)");
  const uint64_t before = static_cast<uint64_t>(16 - rows) * 16;
  std::string name = op;
  p.changes("x", [&](HostArray &array) {
    for (uint64_t i = 0; i < 256; ++i) {
      if (tilecrt::isFloat(type)) {
        double a = p.at("x", i), b = i < before ? 0 : p.at("v", i - before);
        double result = name == "add" ? a + b : name == "max" ? std::max(a, b) : std::min(a, b);
        array.set(i, i < before ? a : result);
        continue;
      }
      Int a = p.intAt("x", i), b = i < before ? 0 : p.intAt("v", i - before);
      Int result = name == "add"   ? a + b
                   : name == "max" ? std::max(a, b)
                   : name == "min" ? std::min(a, b)
                   : name == "and" ? a & b
                   : name == "or"  ? a | b
                                   : a ^ b;
      setInt(array, i, i < before ? a : result);
    }
  });
}

Int applyAtomic(const std::string &op, DType type, Int a, Int b) {
  return op == "add"   ? wrap(type, a + b)
         : op == "max" ? std::max(a, b)
         : op == "min" ? std::min(a, b)
         : op == "and" ? a & b
         : op == "or"  ? a | b
         : op == "xor" ? a ^ b
                       : b;
}

double applyAtomic(const std::string &op, double a, double b) {
  return op == "add" ? a + b : op == "max" ? std::fmax(a, b) : op == "min" ? std::fmin(a, b) : b;
}

/// An atomic on every element of a block under a mask, with its old values; then one on a scalar.
void writeAtomic(BlockProgram &p, DType type, const std::string &op, const std::string &options) {
  bool isFloat = tilecrt::isFloat(type);
  p.buffer("x", type, {64}, isFloat ? normal() : bits());
  p.in("v", type, {64}, isFloat ? normal() : bits());
  p.buffer("s", type, {1}, isFloat ? normal() : bits());
  p.body("i = tl.arange(0, 64)\nm = i % 3 != 0\nold = tl.atomic_" + op + "(x_ptr + i, v, mask=m" +
         options + ")\nold = tl.where(m, old, 0)\nw = tl.atomic_" + op + "(s_ptr, 1" + options +
         ")");
  auto masked = [](uint64_t i) { return i % 3 != 0; };
  auto put = [&](const char *name, const Shape &shape, auto value, auto number) {
    if (isFloat)
      p.out(name, type, shape, value, exact);
    else
      p.outInt(name, type, shape, number);
  };
  put(
      "old", {64}, [&](uint64_t i) { return masked(i) ? p.at("x", i) : 0.0; },
      [&](uint64_t i) -> Int { return masked(i) ? p.intAt("x", i) : 0; });
  put("w", {}, [&](uint64_t) { return p.at("s", 0); }, [&](uint64_t) { return p.intAt("s", 0); });
  for (const char *name : {"x", "s"})
    p.changes(name, [&](HostArray &array) {
      for (uint64_t i = 0; i < array.size(); ++i) {
        bool isScalar = *name == 's';
        bool takesPart = isScalar || masked(i);
        if (isFloat)
          array.set(i, takesPart ? applyAtomic(op, p.at(name, i), isScalar ? 1 : p.at("v", i))
                                 : p.at(name, i));
        else
          setInt(array, i,
                 takesPart ? applyAtomic(op, type, p.intAt(name, i), isScalar ? 1 : p.intAt("v", i))
                           : p.intAt(name, i));
      }
    });
}

/// Atomic loads and stores: under a mask, of what other threads stored, of scalars.
void writeAtomicAccess(BlockProgram &p, DType type) {
  bool isFloat = tilecrt::isFloat(type);
  p.buffer("x", type, {64}, isFloat ? normal() : bits());
  p.in("v", type, {64}, isFloat ? normal() : bits());
  p.buffer("s", type, {2}, isFloat ? normal() : bits());
  p.body(
      "i = tl.arange(0, 64)\nm = i % 3 != 0\nold = tl.atomic_load(x_ptr + i, mask=m)\n"
      "tl.atomic_store(x_ptr + i, v, mask=m)\n"
      "new = tl.atomic_load(x_ptr + (63 - i), sem=\"relaxed\", scope=\"sys\")\n"
      "a = tl.atomic_load(s_ptr)\ntl.atomic_store(s_ptr + 1, a, sem=\"relaxed\", scope=\"cta\")");
  auto masked = [](uint64_t i) { return i % 3 != 0; };
  auto put = [&](const char *name, const Shape &shape, auto source) {
    // The array and the place that an element comes from.
    if (isFloat)
      p.out(
          name, type, shape,
          [&p, source](uint64_t i) {
            auto [from, at] = source(i);
            return *from ? p.at(from, at) : 0.0;
          },
          exact);
    else
      p.outInt(name, type, shape, [&p, source](uint64_t i) -> Int {
        auto [from, at] = source(i);
        return *from ? p.intAt(from, at) : 0;
      });
  };
  using Place = std::pair<const char *, uint64_t>;
  put("old", {64}, [=](uint64_t i) { return Place(masked(i) ? "x" : "", i); });
  put("new", {64}, [=](uint64_t i) { return Place(masked(63 - i) ? "v" : "x", 63 - i); });
  put("a", {}, [](uint64_t) { return Place("s", 0); });
  auto copy = [&p, isFloat](HostArray &array, uint64_t i, const char *from, uint64_t at) {
    if (isFloat)
      array.set(i, p.at(from, at));
    else
      setInt(array, i, p.intAt(from, at));
  };
  p.changes(
      "x",
      [=](HostArray &array) {
        for (uint64_t i = 0; i < 64; ++i)
          copy(array, i, masked(i) ? "v" : "x", i);
      },
      exact);
  p.changes(
      "s",
      [=](HostArray &array) {
        copy(array, 0, "s", 0);
        copy(array, 1, "s", 0);
      },
      exact);
}

/// Many elements with one address all count.
void writeContended(BlockProgram &p, DType type) {
  p.buffer("x", type, {4}, values({0}));
  p.body("i = tl.arange(0, 256)\ntl.atomic_add(x_ptr + i % 4, 1)\ntl.atomic_add(x_ptr + i % 4, i "
         "// 128, sem=\"relaxed\")");
  p.changes(
      "x",
      [](HostArray &array) {
        for (uint64_t i = 0; i < 4; ++i)
          array.set(i, 64 + 32);
      },
      exact);
}

void writeCas(BlockProgram &p, DType type) {
  p.buffer("x", type, {64}, values({0, 1, 2, 3}));
  p.buffer("s", type, {2}, values({5, 6}));
  std::string t = languageName(type);
  p.body("i = tl.arange(0, 64)\nold = tl.atomic_cas(x_ptr + i, tl.full((64,), 2, " + t +
         "), tl.full((64,), 9, " + t +
         "))\na = tl.atomic_cas(s_ptr, 5, 7)\nb = tl.atomic_cas(s_ptr + 1, 5, 7, sem=\"acquire\", "
         "scope=\"cta\")");
  auto put = [&](const char *name, const Shape &shape, auto value) {
    if (tilecrt::isFloat(type))
      p.out(name, type, shape, [&](uint64_t i) { return static_cast<double>(value(i)); }, exact);
    else
      p.outInt(name, type, shape, [&](uint64_t i) -> Int { return value(i); });
  };
  put("old", {64}, [](uint64_t i) { return i % 4; });
  put("a", {}, [](uint64_t) { return 5; });
  put("b", {}, [](uint64_t) { return 6; });
  p.changes(
      "x",
      [](HostArray &array) {
        for (uint64_t i = 0; i < 64; ++i)
          array.set(i, i % 4 == 2 ? 9 : static_cast<double>(i % 4));
      },
      exact);
  p.changes(
      "s",
      [](HostArray &array) {
        array.set(0, 7);
        array.set(1, 6);
      },
      exact);
}

} // namespace

void addMemoryCases(std::vector<Case> &cases) {
  struct Modifier {
    const char *name, *load, *store;
  };
  const Modifier modifiers[] = {
      {"plain", "", ""},
      {"ca wb", ", cache_modifier=\".ca\"", ", cache_modifier=\".wb\""},
      {"cg cg", ", cache_modifier=\".cg\"", ", cache_modifier=\".cg\""},
      {"cs cs", ", cache_modifier=\".cs\"", ", cache_modifier=\".cs\""},
      {"cv wt", ", cache_modifier=\".cv\"", ", cache_modifier=\".wt\""},
      {"first", ", eviction_policy=\"evict_first\"", ", eviction_policy=\"evict_first\""},
      {"last", ", eviction_policy=\"evict_last\"", ", eviction_policy=\"evict_last\""},
      {"volatile", ", volatile=True", ""}};
  for (DType type :
       {DType::i8, DType::i16, DType::i32, DType::u64, DType::f16, DType::f8e5m2, DType::boolean})
    for (const Modifier &row : modifiers)
      addCase(
          cases, "load store", type, row.name,
          [=](BlockProgram &p) { writeCopy(p, type, row.load, row.store); },
          type == DType::i32 ? Scale::Quick : Scale::Full);
  for (DType type : {DType::i8, DType::u16, DType::i32, DType::i64, DType::f16, DType::bf16,
                     DType::f32, DType::f64})
    addCase(cases, "masks", type, "8x16", [=](BlockProgram &p) { writeMasks(p, type); });
  addCase(cases, "int1 in memory", DType::boolean, "", writeBooleans);
  for (DType type : {DType::f32, DType::f16})
    addCase(cases, "block pointer", type, "20x24",
            [=](BlockProgram &p) { writeBlockPointer(p, type); });
  for (DType type : {DType::f32, DType::f16}) {
    for (int variant : {0, 1, 2})
      addCase(cases, "descriptor", type, std::to_string(variant),
              [=](BlockProgram &p) { writeDescriptor(p, type, variant); });
    addCase(cases, "descriptor ranks", type, "",
            [=](BlockProgram &p) { writeDescriptorRanks(p, type); });
  }
  for (const char *op : {"add", "max", "min", "and", "or", "xor"})
    addCase(cases, "descriptor atomic", DType::i32, op,
            [=](BlockProgram &p) { writeDescriptorReduce(p, DType::i32, op, 8); });
  addCase(cases, "descriptor atomic", DType::f32, "add",
          [=](BlockProgram &p) { writeDescriptorReduce(p, DType::f32, "add", 8); });
  // Boxes of two rows are too small for the copy engine.
  for (DType type : {DType::f16, DType::bf16})
    for (int64_t rows : {2, 8})
      for (const char *op : {"add", "max", "min"})
        addCase(cases, "descriptor atomic", type, op + std::string(" of ") + std::to_string(rows),
                [=](BlockProgram &p) { writeDescriptorReduce(p, type, op, rows); });
  for (DType type : {DType::i32, DType::i64, DType::u32, DType::u64})
    for (const char *op : {"add", "max", "min", "and", "or", "xor", "xchg"})
      addCase(cases, "atomic", type, op, [=](BlockProgram &p) { writeAtomic(p, type, op, ""); });
  for (DType type : {DType::f32, DType::f64})
    for (const char *op : {"add", "max", "min", "xchg"})
      addCase(cases, "atomic", type, op, [=](BlockProgram &p) { writeAtomic(p, type, op, ""); });
  for (DType type : {DType::f16, DType::bf16})
    addCase(cases, "atomic", type, "add",
            [=](BlockProgram &p) { writeAtomic(p, type, "add", ""); });
  for (const char *sem : {"acq_rel", "acquire", "release", "relaxed"})
    for (const char *scope : {"gpu", "cta", "sys"})
      addCase(cases, "atomic", DType::i32, std::string(sem) + " " + scope, [=](BlockProgram &p) {
        writeAtomic(p, DType::i32, "add",
                    std::string(", sem=\"") + sem + "\", scope=\"" + scope + "\"");
      });
  for (DType type : {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16,
                     DType::u32, DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64})
    addCase(cases, "atomic access", type, "", [=](BlockProgram &p) { writeAtomicAccess(p, type); });
  for (DType type : {DType::i32, DType::u64, DType::f32, DType::f64})
    addCase(cases, "atomic contended", type, "", [=](BlockProgram &p) { writeContended(p, type); });
  for (DType type : {DType::i32, DType::i64, DType::u32, DType::u64, DType::i16, DType::f32})
    addCase(cases, "atomic_cas", type, "", [=](BlockProgram &p) { writeCas(p, type); });
  for (DType type : {DType::f32, DType::f16})
    addCase(cases, "pointers", type, "", [=](BlockProgram &p) { writePointers(p, type); });
}

} // namespace tilec::harness::language
