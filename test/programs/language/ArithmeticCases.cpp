// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on every pair of types, with literals and at the edges of their ranges. The rules of
// promotion are written down again here, from the language's definition.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

constexpr DType scalarTypes[] = {DType::boolean, DType::i8,  DType::i16, DType::i32, DType::i64,
                                 DType::u8,      DType::u16, DType::u32, DType::u64, DType::f16,
                                 DType::bf16,    DType::f32, DType::f64};

bool isFloatType(DType type) { return tilecrt::isFloat(type); }

/// The type that `a op b` computes in.
DType promoted(DType a, DType b, bool isDivision) {
  auto either = [&](DType type) { return a == type || b == type; };
  if (either(DType::f64))
    return DType::f64;
  if ((isFloatType(a) || isFloatType(b)) && isDivision)
    return DType::f32;
  if (either(DType::f32))
    return DType::f32;
  if (either(DType::f16))
    return DType::f16;
  if (a == DType::bf16 && b == DType::bf16)
    return DType::bf16;
  if (either(DType::bf16))
    return DType::f32;
  if (a == DType::boolean || b == DType::boolean)
    return a == DType::boolean ? b : a;
  if (isUnsigned(a) == isUnsigned(b))
    return bitWidth(a) >= bitWidth(b) ? a : b;
  DType u = isUnsigned(a) ? a : b, s = isUnsigned(a) ? b : a;
  return bitWidth(u) >= bitWidth(s) ? u : s;
}

Int applyInt(const std::string &op, DType type, Int a, Int b) {
  // The left operand alone says whether a sign is kept: it is shifted as it is.
  if (op == ">>")
    return a >> static_cast<int>(b);
  a = wrap(type, a);
  b = wrap(type, b);
  if (op == "+")
    return a + b;
  if (op == "-")
    return a - b;
  if (op == "*") { // Only the low bits count.
    uint64_t low = static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    return static_cast<Int>(low);
  }
  if (op == "//")
    return a / b;
  if (op == "%")
    return a % b;
  if (op == "&")
    return a & b;
  if (op == "|")
    return a | b;
  if (op == "^")
    return a ^ b;
  if (op == "<<")
    return a << static_cast<int>(b);
  return op == "min" ? std::min(a, b) : std::max(a, b);
}

double applyFloat(const std::string &op, double a, double b) {
  if (op == "+")
    return a + b;
  if (op == "-")
    return a - b;
  if (op == "*")
    return a * b;
  if (op == "/")
    return a / b;
  if (op == "%")
    return std::fmod(a, b);
  return op == "min" ? std::fmin(a, b) : std::fmax(a, b);
}

template <typename T> bool compareAs(const std::string &op, T a, T b) {
  return op == "=="   ? a == b
         : op == "!=" ? a != b
         : op == "<"  ? a < b
         : op == "<=" ? a <= b
         : op == ">"  ? a > b
                      : a >= b;
}

double roundTo(DType type, double value) {
  unsigned char bytes[8];
  tilecrt::doubleToElement(type, value, bytes);
  return tilecrt::elementToDouble(type, bytes);
}

/// A value in another type, as an operand of an operation there.
double operandAs(DType type, const HostArray &array, uint64_t i) {
  return roundTo(type,
                 isFloatType(array.dtype()) ? array.at(i) : static_cast<double>(intAt(array, i)));
}

/// Adds the result of `x op y` to a program; `second` names the second operand.
void addResult(BlockProgram &p, const std::string &name, const std::string &op,
               const std::string &second, const Shape &shape) {
  bool isNamed = op == "min" || op == "max";
  p.body(name + " = " +
         (isNamed ? "tl." + op + "imum(x, " + second + ")" : "x " + op + " " + second));
  const HostArray &a = p.array("x"), &b = p.array(second);
  bool isDivision = op == "/" || op == "//" || op == "%";
  auto widened = [&](DType type) {
    // bf16 is compared in fp32.
    return isNamed && type == DType::bf16 ? DType::f32 : type;
  };
  DType type = promoted(widened(a.dtype()), widened(b.dtype()), isDivision);
  bool isComparison = op.size() <= 2 && std::string("== != <= >=").find(op) != std::string::npos;
  if (isComparison) {
    p.outInt(name, DType::boolean, shape, [&](uint64_t i) -> Int {
      if (isFloatType(type))
        return compareAs(op, operandAs(type, a, i), operandAs(type, b, i));
      return compareAs(op, wrap(type, intAt(a, i)), wrap(type, intAt(b, i)));
    });
    return;
  }
  if (op == "/" && !isFloatType(type))
    type = DType::f32;
  if (!isFloatType(type)) {
    p.outInt(name, type, shape,
             [&](uint64_t i) { return applyInt(op, type, intAt(a, i), intAt(b, i)); });
    return;
  }
  p.out(name, type, shape,
        [&](uint64_t i) { return applyFloat(op, operandAs(type, a, i), operandAs(type, b, i)); });
}

/// All operators that a pair of types has.
void writePair(BlockProgram &p, DType left, DType right) {
  const Shape shape = {64};
  bool floats = isFloatType(left) || isFloatType(right);
  Fill fill = floats ? normal(isFloatType(left) ? 3 : 1) : bits();
  p.in("x", left, shape, fill);
  p.in("y", right, shape, floats ? normal(isFloatType(right) ? 3 : 1) : bits());
  // Divisors are not 0, nor -1, which overflows.
  p.in("d", right, shape, [&](HostArray &array, tilecrt::RandomStream stream) {
    uniform(2, 50)(array, stream);
    for (uint64_t i = 0; i < array.size(); i += 3)
      if (!isUnsigned(right))
        array.set(i, -array.at(i));
    if (right == DType::boolean)
      tilecrt::fillValue(array, 1);
  });
  DType promotedType = promoted(left, right, false);
  std::vector<std::string> plain = {"+", "-", "*", "min", "max", "==", "!=", "<", "<=", ">", ">="};
  int count = 0;
  auto name = [&] { return "r" + std::to_string(count++); };
  for (const std::string &op : plain)
    addResult(p, name(), op, "y", shape);
  bool mixed = !floats && isUnsigned(left) != isUnsigned(right) && left != DType::boolean &&
               right != DType::boolean;
  bool bools = promotedType == DType::boolean;
  // Mixed signedness is an error under division.
  if (!mixed)
    addResult(p, name(), "/", "d", shape);
  if (!mixed && !bools)
    addResult(p, name(), "%", "d", shape);
  if (floats)
    return;
  if (!mixed && !bools)
    addResult(p, name(), "//", "d", shape);
  for (const std::string &op : {"&", "|", "^"})
    addResult(p, name(), op, "y", shape);
  if (bools)
    return;
  p.in("s", right, shape, uniform(0, std::min(bitWidth(promotedType), 64u) - 1));
  addResult(p, name(), "<<", "s", shape);
  addResult(p, name(), ">>", "s", shape);
}

/// Python numbers take the block's type unless their kind is higher.
void writeLiterals(BlockProgram &p, DType type) {
  const Shape shape = {64};
  bool isFloat = isFloatType(type), isInt = tilecrt::isInteger(type);
  p.in("x", type, shape, isFloat ? normal(3) : bits());
  auto x = [&](uint64_t i) { return p.intAt("x", i); };
  auto f = [&](uint64_t i) { return p.at("x", i); };
  if (isInt) {
    p.body(
        "a = x + 1\nb = 3 - x\nc = x * 2\nd = x // 3\ne = x % 5\ng = x << 1\nh = x >> 1\nk = ~x");
    p.outInt("a", type, shape, [&](uint64_t i) { return x(i) + 1; });
    p.outInt("b", type, shape, [&](uint64_t i) { return 3 - x(i); });
    p.outInt("c", type, shape, [&](uint64_t i) { return x(i) * 2; });
    p.outInt("d", type, shape, [&](uint64_t i) { return x(i) / 3; });
    p.outInt("e", type, shape, [&](uint64_t i) { return x(i) % 5; });
    p.outInt("g", type, shape, [&](uint64_t i) { return x(i) << 1; });
    p.outInt("h", type, shape, [&](uint64_t i) { return x(i) >> 1; });
    p.outInt("k", type, shape, [&](uint64_t i) { return ~x(i); });
    p.body("m = -x\nn = +x\no = not (x == 0)\nq = x + True");
    p.outInt("m", type, shape, [&](uint64_t i) { return -x(i); });
    p.outInt("n", type, shape, [&](uint64_t i) { return x(i); });
    p.outInt("o", DType::boolean, shape, [&](uint64_t i) -> Int { return x(i) != 0; });
    p.outInt("q", type, shape, [&](uint64_t i) { return x(i) + 1; });
  }
  DType wide = isFloat ? type : DType::f32;
  DType quotient = type == DType::f64 ? type : DType::f32;
  p.body("fa = x + 1.5\nfb = 0.25 * x\nfc = x / 3\nfd = 1.0 / (x * 0.0 + 4)");
  p.out("fa", wide, shape, [&](uint64_t i) { return f(i) + 1.5; });
  p.out("fb", wide, shape, [&](uint64_t i) { return f(i) * 0.25; });
  p.out("fc", quotient, shape, [&](uint64_t i) { return f(i) / 3; });
  p.out("fd", quotient, shape, [&](uint64_t) { return 0.25; });
  if (isFloat) {
    p.body("neg = -x\nlow = x < 1.0\nodd = x % 2\nnum = x + 2");
    p.out("neg", type, shape, [&](uint64_t i) { return -f(i); });
    p.outInt("low", DType::boolean, shape, [&](uint64_t i) -> Int { return f(i) < 1.0; });
    p.out("odd", quotient, shape, [&](uint64_t i) { return std::fmod(f(i), 2); });
    p.out("num", type, shape, [&](uint64_t i) { return f(i) + 2; });
  }
}

/// Comparisons, selections and predicates where a NaN, an infinity or a limit takes part.
void writeEdges(BlockProgram &p, DType type) {
  const Shape shape = {16, 16};
  p.buffer("v", type, {16}, edges());
  p.body("i = tl.arange(0, 16)\nx = tl.load(v_ptr + i)[:, None]\ny = tl.load(v_ptr + i)[None, :]");
  const HostArray &v = p.array("v");
  int count = 0;
  for (const std::string op : {"==", "!=", "<", "<=", ">", ">="}) {
    std::string name = "r" + std::to_string(count++);
    p.body(name + " = x " + op + " y");
    p.outInt(name, DType::boolean, shape, [&](uint64_t i) -> Int {
      if (isFloatType(type))
        return compareAs(op, v.at(i / 16), v.at(i % 16));
      return compareAs(op, intAt(v, i / 16), intAt(v, i % 16));
    });
  }
  p.body("w = tl.where(x < y, x, y)");
  if (!isFloatType(type)) {
    p.outInt("w", type, shape,
             [&](uint64_t i) { return std::min(intAt(v, i / 16), intAt(v, i % 16)); });
    return;
  }
  p.out("w", type, shape, [&](uint64_t i) {
    double a = v.at(i / 16), b = v.at(i % 16);
    return a < b ? a : b;
  });
  DType wide = type == DType::bf16 ? DType::f32 : type;
  p.body("mn = tl.minimum(x, y)\nmx = tl.maximum(x, y)\n"
         "nn = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)\n"
         "nx = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)\n"
         "t = (x == x) & (y == y)\nl = tl.logical_or(x != x, y != y)");
  auto both = [&](uint64_t i, auto pick, bool propagate) {
    double a = v.at(i / 16), b = v.at(i % 16);
    return propagate && (std::isnan(a) || std::isnan(b)) ? std::nan("") : pick(a, b);
  };
  auto least = [](double a, double b) { return std::fmin(a, b); };
  auto most = [](double a, double b) { return std::fmax(a, b); };
  p.out("mn", wide, shape, [&](uint64_t i) { return both(i, least, false); });
  p.out("mx", wide, shape, [&](uint64_t i) { return both(i, most, false); });
  p.out("nn", wide, shape, [&](uint64_t i) { return both(i, least, true); });
  p.out("nx", wide, shape, [&](uint64_t i) { return both(i, most, true); });
  auto isNan = [&](uint64_t i) { return std::isnan(v.at(i / 16)) || std::isnan(v.at(i % 16)); };
  p.outInt("t", DType::boolean, shape, [&](uint64_t i) -> Int { return !isNan(i); });
  p.outInt("l", DType::boolean, shape, [&](uint64_t i) -> Int { return isNan(i); });
}

/// Arithmetic of 8-bit floats is made in fp32; two of them give fp16.
void writeFloat8(BlockProgram &p, DType type) {
  const Shape shape = {64};
  p.in("x", type, shape).in("y", type, shape);
  p.body("a = x + y\nb = x * y\nc = x < y\nd = -x\ne = tl.abs(x)");
  p.out("a", type, shape, [&](uint64_t i) { return p.at("x", i) + p.at("y", i); });
  p.out("b", type, shape, [&](uint64_t i) { return p.at("x", i) * p.at("y", i); });
  p.outInt("c", DType::boolean, shape,
           [&](uint64_t i) -> Int { return p.at("x", i) < p.at("y", i); });
  p.out("d", type, shape, [&](uint64_t i) { return -p.at("x", i); });
  p.out("e", type, shape, [&](uint64_t i) { return std::abs(p.at("x", i)); });
  DType other = type == DType::f8e4m3 ? DType::f8e5m2 : DType::f8e4m3;
  p.in("z", other, shape).body("h = x + z");
  p.out("h", DType::f16, shape, [&](uint64_t i) { return p.at("x", i) + p.at("z", i); });
}

} // namespace

void addArithmeticCases(std::vector<Case> &cases) {
  for (DType left : scalarTypes)
    for (DType right : scalarTypes)
      addCase(
          cases, "binary", left, tilecrt::dtypeName(right),
          [=](BlockProgram &p) { writePair(p, left, right); },
          left == DType::i32 ? Scale::Quick : Scale::Full);
  for (DType type : scalarTypes)
    addCase(cases, "literals", type, "", [=](BlockProgram &p) { writeLiterals(p, type); });
  for (DType type : scalarTypes)
    if (type != DType::boolean)
      addCase(cases, "edges", type, "", [=](BlockProgram &p) { writeEdges(p, type); });
  for (DType type : {DType::f8e4m3, DType::f8e5m2})
    addCase(cases, "float8", type, "", [=](BlockProgram &p) { writeFloat8(p, type); });
}

} // namespace tilec::harness::language
