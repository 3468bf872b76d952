// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions top down: a type is wanted, an operation that gives it is chosen, operands are made
// of the types that it needs. What Bounds.cpp refuses is thrown away and tried anew.

#include "ExprGenerator.h"

#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace tilec::fuzz {

std::string textOf(const Shape &shape) {
  std::string text = "(";
  for (size_t d = 0; d < shape.size(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

static std::string textOf(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g", value);
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return result;
}

ExprPtr makeOne(const Type &type) {
  auto expr = std::make_unique<Expr>();
  expr->rule = Rule::Number;
  expr->type = type;
  expr->parameter = 1;
  std::string one = isBool(type.scalar) ? "True" : isFloat(type.scalar) ? "1.0" : "1";
  expr->text = type.shape.empty() ? "tl.cast(" + one + ", " + languageName(type.scalar) + ")"
                                  : "tl.full(" + textOf(type.shape) + ", " + one + ", " +
                                        languageName(type.scalar) + ")";
  return expr;
}

ExprPtr ExprGenerator::finish(ExprPtr expr) {
  for (const ExprPtr &operand : expr->operands)
    if (!operand)
      return nullptr;
  return bound(*expr, program) ? std::move(expr) : nullptr;
}

ExprPtr ExprGenerator::make(Rule rule, const Type &type, std::string text, double parameter) {
  auto expr = std::make_unique<Expr>();
  expr->rule = rule;
  expr->type = type;
  expr->text = std::move(text);
  expr->parameter = parameter;
  return finish(std::move(expr));
}

//===----------------------------------------------------------------------===//
// Types and arrays
//===----------------------------------------------------------------------===//

Scalar ExprGenerator::randomScalar() {
  return random.pick({Scalar::I1,  Scalar::I8,  Scalar::I16, Scalar::I32,  Scalar::I32,
                      Scalar::I32, Scalar::I64, Scalar::U8,  Scalar::U16,  Scalar::U32,
                      Scalar::U64, Scalar::F16, Scalar::F16, Scalar::BF16, Scalar::BF16,
                      Scalar::F32, Scalar::F32, Scalar::F32, Scalar::F64,  Scalar::E4M3,
                      Scalar::E5M2});
}

Shape ExprGenerator::randomShape() {
  // Values of few shapes can be combined more often.
  if (shapes.size() >= 3 && random.chance(75))
    return random.pick(shapes);
  if (isLarge && shapes.size() < 3) {
    shapes.push_back(
        random.pick<Shape>({{64, 16}, {64, 64}, {64, 32}, {128, 16}, {64, 8}, {32, 64}}));
    return shapes.back();
  }
  while (true) {
    Shape shape;
    for (int d = random.pick({1, 1, 1, 2, 2, 2, 2, 3}); d > 0; --d)
      shape.push_back(1 << random.between(0, 7));
    int64_t count = countOf(shape);
    if (count >= 2 && count <= mostElements()) {
      shapes.push_back(shape);
      return shape;
    }
  }
}

int ExprGenerator::addArray(const std::string &prefix, Scalar scalar, int size, Array::Fill fill) {
  Array array;
  array.name = prefix + std::to_string(program.arrays.size());
  array.scalar = scalar;
  array.size = size;
  array.fill = fill;
  array.isAligned = random.chance(80);
  program.arrays.push_back(array);
  return int(program.arrays.size()) - 1;
}

int ExprGenerator::input(Scalar scalar, Array::Fill fill, bool mustBeAligned) {
  for (size_t i = 0; i < program.arrays.size(); ++i) {
    const Array &array = program.arrays[i];
    if (array.name.rfind("in", 0) == 0 && array.scalar == scalar && array.fill == fill &&
        (array.isAligned || !mustBeAligned))
      return int(i);
  }
  int added = addArray("in", scalar, inputSize(), fill);
  program.arrays[size_t(added)].isAligned |= mustBeAligned;
  return added;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

ExprPtr ExprGenerator::literal(Scalar scalar) {
  double value = isFloat(scalar)      ? random.pick({0.5, 2.0, -1.5, 0.25, 3.0, -0.125, 0.3, 1.0})
                 : isUnsigned(scalar) ? random.pick({0, 1, 2, 3, 7, 100})
                                      : random.pick({-1, 0, 1, 2, 3, -5, 7, 100});
  return make(Rule::Number, {scalar, {}},
              isFloat(scalar) ? textOf(value) : std::to_string(int(value)), value);
}

ExprPtr ExprGenerator::number(const Type &type) {
  ExprPtr expr = makeOne(type);
  if (isBool(type.scalar)) {
    bool value = random.chance(50);
    expr->parameter = value;
    if (!value)
      expr->text.replace(expr->text.find("True"), 4, "False");
    return finish(std::move(expr));
  }
  double value = random.pick({0, 1, 2, 3, 5});
  if (isFloat(type.scalar))
    value = random.pick({0.5, 1.0, -2.0, 0.0, 1.5, -0.25});
  expr->parameter = value;
  std::string one = isFloat(type.scalar) ? "1.0" : "1,";
  std::string text = isFloat(type.scalar) ? textOf(value) : std::to_string(int(value)) + ",";
  expr->text.replace(expr->text.rfind(one), one.size(), text);
  return finish(std::move(expr));
}

ExprPtr ExprGenerator::variable(const Type &type) {
  std::vector<int> fitting;
  for (int v : scope)
    if (program.variables[size_t(v)].type == type)
      fitting.push_back(v);
  return fitting.empty() ? nullptr : read(random.pick(fitting));
}

ExprPtr ExprGenerator::read(int variable) {
  auto expr = std::make_unique<Expr>();
  expr->rule = Rule::Variable;
  expr->type = program.variables[size_t(variable)].type;
  expr->variable = variable;
  return finish(std::move(expr));
}

ExprPtr ExprGenerator::adapt(const Type &type) {
  if (scope.empty())
    return nullptr;
  ExprPtr expr = read(random.pick(scope));
  if (!expr)
    return nullptr;
  Type from = expr->type, to{from.scalar, type.shape};
  size_t rank = type.shape.size();
  if (from.shape == type.shape) {
  } else if (from.shape.empty()) {
    expr =
        make(Rule::Keep, to, "tl.broadcast_to(%0, " + textOf(to.shape) + ")", 0, std::move(expr));
  } else if (type.shape.empty()) {
    if (isBool(from.scalar) || bitsOf(from.scalar) < 32)
      return nullptr;
    expr = make(Rule::Keep, to, "tl.max(%0, axis=None)", 0, std::move(expr));
  } else if (countOf(from.shape) == countOf(type.shape)) {
    expr = make(Rule::Keep, to, "tl.reshape(%0, " + textOf(to.shape) + ")", 0, std::move(expr));
  } else if (from.shape.size() == rank + 1) {
    if (isBool(from.scalar) || bitsOf(from.scalar) < 32)
      return nullptr;
    for (size_t axis = 0; axis <= rank; ++axis) {
      Shape without = from.shape;
      without.erase(without.begin() + long(axis));
      if (without == type.shape)
        return castTo(type, make(Rule::Sum, to, "tl.sum(%0, axis=" + std::to_string(axis) + ")",
                                 from.shape[axis], std::move(expr)));
    }
    return nullptr;
  } else if (from.shape.size() + 1 == rank) {
    for (size_t axis = 0; axis < rank; ++axis) {
      Shape without = type.shape;
      without.erase(without.begin() + long(axis));
      if (without == from.shape)
        return castTo(type, make(Rule::Keep, to,
                                 "tl.broadcast_to(tl.expand_dims(%0, " + std::to_string(axis) +
                                     "), " + textOf(to.shape) + ")",
                                 0, std::move(expr)));
    }
    return nullptr;
  } else {
    return nullptr;
  }
  return castTo(type, std::move(expr));
}

ExprPtr ExprGenerator::castTo(const Type &type, ExprPtr expr) {
  if (!expr || expr->type.scalar == type.scalar)
    return expr;
  return make(Rule::Cast, type, "%0.to(" + languageName(type.scalar) + ")", 0, std::move(expr));
}

ExprPtr ExprGenerator::index(const Type &type) {
  if (type.scalar != Scalar::I32)
    return nullptr;
  if (type.shape.empty()) {
    if (random.chance(50))
      return make(Rule::Index, type, "pid", 4);
    return make(Rule::Index, type, random.pick(program.scalars).name, 8);
  }
  return make(Rule::Index, type, "(" + positions(type.shape, true) + ")", inputSize());
}

ExprPtr ExprGenerator::leaf(const Type &type) {
  ExprPtr expr;
  if (random.chance(60))
    expr = variable(type);
  if (!expr && random.chance(50))
    expr = adapt(type);
  if (!expr && random.chance(30))
    expr = index(type);
  if (!expr && random.chance(20))
    expr = number(type);
  return expr ? std::move(expr) : load(type, 0);
}

//===----------------------------------------------------------------------===//
// Any, exact, small
//===----------------------------------------------------------------------===//

ExprPtr ExprGenerator::tame(ExprPtr expr) {
  if (!expr || !isFloat(expr->type.scalar) || isFloat8(expr->type.scalar))
    return expr;
  double limit = bitsOf(expr->type.scalar) == 16 ? 64 : 1e4;
  if (expr->bounds.magnitude <= limit)
    return expr;
  Type type = expr->type;
  if (random.chance(50))
    return make(Rule::Clamp, type, "tl.clamp(%0, -16.0, 16.0)", 16, std::move(expr));
  double factor = std::exp2(std::floor(std::log2(limit / expr->bounds.magnitude)));
  ExprPtr scale = make(Rule::Number, {type.scalar, {}}, textOf(factor), factor);
  return make(Rule::Multiply, type, "(%0 * %1)", 0, std::move(expr), std::move(scale));
}

ExprPtr ExprGenerator::any(const Type &type, int depth) {
  for (int tries = 0; depth > 0 && tries < 6; ++tries)
    if (ExprPtr expr = tame(attempt(type, depth)))
      return expr;
  for (int tries = 0; tries < 4; ++tries)
    if (ExprPtr expr = leaf(type))
      return expr;
  return makeOne(type);
}

ExprPtr ExprGenerator::exact(const Type &type, int depth) {
  for (int tries = 0; tries < 4; ++tries) {
    ExprPtr expr = any(type, depth);
    if (expr->bounds.error == 0)
      return expr;
    depth = std::max(0, depth - 1);
  }
  return load(type, 0);
}

ExprPtr ExprGenerator::small(const Type &type, int depth) {
  ExprPtr expr = exact(type, depth);
  if (!isFloat(type.scalar) || expr->bounds.magnitude <= 8)
    return expr;
  if (isFloat8(type.scalar))
    return load(type, 0);
  return make(Rule::Clamp, type, "tl.clamp(%0, -8.0, 8.0)", 8, std::move(expr));
}

ExprPtr ExprGenerator::partner(const Type &type, int depth) {
  if (random.chance(20) && !isBool(type.scalar))
    return literal(type.scalar);
  if (type.shape.size() > 1 && random.chance(40)) {
    size_t axis = size_t(random.below(int(type.shape.size())));
    Type narrow = type;
    narrow.shape.erase(narrow.shape.begin() + long(axis));
    Type wide = type;
    wide.shape[axis] = 1;
    return make(Rule::Keep, wide, "tl.expand_dims(%0, " + std::to_string(axis) + ")", 0,
                any(narrow, depth));
  }
  if (!type.shape.empty() && random.chance(20))
    return any({type.scalar, {}}, depth);
  return any(type, depth);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

ExprPtr ExprGenerator::attempt(const Type &type, int depth) {
  int choice = random.below(100);
  if (choice < 6)
    return leaf(type);
  if (choice < 12)
    return adapt(type);
  if (choice < 18)
    return load(type, depth);
  if (choice < 21)
    return loadBlock(type);
  if (choice < 23)
    return make(Rule::Pick, type, "_blend(%0, %1, " + random.pick(program.scalars).name + ")", 0,
                any(type, depth - 1), any(type, depth - 1));
  if (choice < 45)
    return attemptShape(type, depth);
  if (choice < 57 || isFloat8(type.scalar))
    return cast(type, depth);
  if (choice < 64)
    return make(Rule::PickOther, type, "tl.where(%0, %1, %2)", 0,
                exact({Scalar::I1, type.shape}, depth - 1), any(type, depth - 1),
                any(type, depth - 1));
  if (isBool(type.scalar))
    return attemptBool(type, depth);
  return isFloat(type.scalar) ? attemptFloat(type, depth) : attemptInteger(type, depth);
}

ExprPtr ExprGenerator::attemptBool(const Type &type, int depth) {
  if (random.chance(35))
    return make(Rule::Compare, type,
                random.pick<std::string>({"(%0 & %1)", "(%0 | %1)", "(%0 ^ %1)"}), 0,
                exact(type, depth - 1), exact(type, depth - 1));
  Type operand{Scalar::I1, type.shape};
  while (isBool(operand.scalar) || isFloat8(operand.scalar))
    operand.scalar = randomScalar();
  std::string compare = random.pick<std::string>({"<", "<=", ">", ">=", "==", "!="});
  ExprPtr right = partner(operand, depth - 1);
  return make(Rule::Compare, type, "(%0 " + compare + " %1)", 0, exact(operand, depth - 1),
              std::move(right));
}

ExprPtr ExprGenerator::attemptInteger(const Type &type, int depth) {
  Scalar s = type.scalar;
  int bits = int(bitsOf(s));
  auto operand = [&] { return any(type, depth - 1); };
  switch (random.below(14)) {
  case 0:
  case 1:
    return make(Rule::Integer, type, random.pick<std::string>({"(%0 + %1)", "(%0 - %1)"}), 0,
                operand(), partner(type, depth - 1));
  case 2:
    return make(Rule::Integer, type, "(%0 * %1)", 0, operand(), partner(type, depth - 1));
  case 3:
    return make(Rule::Integer, type,
                random.pick<std::string>({"(%0 & %1)", "(%0 | %1)", "(%0 ^ %1)"}), 0, operand(),
                operand());
  case 4:
    return make(Rule::Integer, type,
                random.pick<std::string>({"(%0 << ", "(%0 >> "}) +
                    std::to_string(random.below(bits)) + ")",
                0, operand());
  case 5:
    return make(Rule::Integer, type,
                random.pick<std::string>({"(%0 // ", "(%0 % "}) +
                    std::to_string(random.pick({1, 2, 3, 7, 8, 10})) + ")",
                0, operand());
  case 6:
    return make(Rule::Integer, type,
                random.pick<std::string>({"(%0 // ((%1 & 7) + 1))", "(%0 % ((%1 & 15) + 1))"}), 0,
                operand(), operand());
  case 7:
    return make(Rule::Integer, type,
                random.pick<std::string>({"tl.minimum(%0, %1)", "tl.maximum(%0, %1)"}), 0,
                operand(), operand());
  case 8:
    return make(Rule::Integer, type,
                isUnsigned(s) ? "(%0 ^ (%0 >> 1))"
                              : random.pick<std::string>({"(-%0)", "tl.abs(%0)", "(~%0)"}),
                0, operand());
  case 9:
    return make(Rule::Integer, type,
                random.pick<std::string>({"(%0 << (%1 & ", "(%0 >> (%1 & "}) +
                    std::to_string(bits - 1) + "))",
                0, operand(), operand());
  case 10: {
    int mask = (1 << random.between(1, std::min(bits - 1, 12))) - 1;
    return make(Rule::MaskInteger, type, "(%0 & " + std::to_string(mask) + ")", mask, operand());
  }
  case 11:
    if (s == Scalar::U32 && random.chance(40))
      return make(Rule::Integer, type, "tl.randint(%0, %1)", 0, literal(Scalar::U8),
                  exact({Scalar::I32, type.shape}, depth - 1));
    if ((s == Scalar::U32 || s == Scalar::U64))
      return make(Rule::Integer, type, "tl.umulhi(%0, %1)", 0, operand(), operand());
    return nullptr;
  default:
    // A narrower operand of the same signedness is promoted.
    if (bits == 8)
      return nullptr;
    return make(Rule::Integer, type, random.pick<std::string>({"(%0 + %1)", "(%1 * %0)"}), 0,
                operand(), any({isUnsigned(s) ? Scalar::U8 : Scalar::I8, type.shape}, depth - 1));
  }
}

ExprPtr ExprGenerator::attemptFloat(const Type &type, int depth) {
  auto operand = [&] { return any(type, depth - 1); };
  bool hasFunctions = type.scalar == Scalar::F32 || type.scalar == Scalar::F64;
  switch (random.below(hasFunctions ? 18 : 9)) {
  case 0:
  case 1:
    return make(Rule::Add, type, random.pick<std::string>({"(%0 + %1)", "(%0 - %1)"}), 0, operand(),
                partner(type, depth - 1));
  case 2:
  case 3:
    return make(Rule::Multiply, type, "(%0 * %1)", 0, operand(), partner(type, depth - 1));
  case 4:
    // bf16 is compared in fp32, which is the result's type too.
    return make(Rule::Pick, type,
                random.pick<std::string>({"tl.minimum(%0, %1)", "tl.maximum(%0, %1)"}) +
                    (type.scalar == Scalar::BF16 ? ".to(tl.bfloat16)" : ""),
                0, operand(), operand());
  case 5:
    return make(Rule::Negate, type, random.pick<std::string>({"(-%0)", "tl.abs(%0)"}), 0,
                operand());
  case 6:
    return make(Rule::Clamp, type, "tl.clamp(%0, -4.0, 4.0)", 4, operand());
  case 7:
    return make(Rule::Fma, type, "tl.fma(%0, %1, %2)", 0, operand(), operand(), operand());
  case 8:
    // A narrower operand is promoted.
    if (type.scalar == Scalar::F32)
      return make(Rule::Add, type, "(%0 + %1)", 0, operand(),
                  any({random.pick({Scalar::F16, Scalar::BF16}), type.shape}, depth - 1));
    return nullptr;
  case 9:
    return make(Rule::Divide, type, "(%0 / (tl.abs(%1) + 0.5))", 0.5, operand(), operand());
  case 10:
    return make(Rule::Exp, type, "tl.exp(tl.clamp(%0, -4.0, 4.0))", 0,
                make(Rule::Clamp, type, "%0", 4, operand()));
  case 11:
    return make(Rule::Exp2, type, "tl.exp2(tl.clamp(%0, -4.0, 4.0))", 0,
                make(Rule::Clamp, type, "%0", 4, operand()));
  case 12:
    return make(Rule::LogOnePlus, type,
                random.pick<std::string>({"tl.log(1.0 + tl.abs(%0))", "tl.log2(1.0 + tl.abs(%0))"}),
                0, operand());
  case 13:
    return make(Rule::Sqrt, type,
                random.pick<std::string>({"tl.sqrt(tl.abs(%0))", "tl.sqrt_rn(tl.abs(%0))"}), 0,
                operand());
  case 14:
    return make(Rule::RsqrtOnePlus, type, "tl.rsqrt(1.0 + tl.abs(%0))", 0, operand());
  case 15:
    return make(
        Rule::Smooth, type,
        random.pick<std::string>({"tl.sin(%0)", "tl.cos(%0)", "tl.erf(%0)", "tl.sigmoid(%0)"}), 0,
        operand());
  case 16:
    return make(Rule::Round, type, random.pick<std::string>({"tl.floor(%0)", "tl.ceil(%0)"}), 0,
                exact(type, depth - 1));
  default:
    return make(Rule::Divide, type, "tl.div_rn(%0, (tl.abs(%1) + 0.5))", 0.5, operand(), operand());
  }
}

ExprPtr ExprGenerator::cast(const Type &type, int depth) {
  Type from{randomScalar(), type.shape};
  if (from.scalar == type.scalar)
    return nullptr;
  if (isInteger(type.scalar) && isFloat(from.scalar) && !isFloat8(from.scalar) &&
      bitsOf(from.scalar) == bitsOf(type.scalar) && random.chance(30))
    return make(Rule::Bits, type, "%0.to(" + languageName(type.scalar) + ", bitcast=True)", 0,
                load(from, depth));
  // What is to be an integer or a boolean must be known exactly.
  ExprPtr operand = isFloat(type.scalar) ? any(from, depth - 1) : exact(from, depth - 1);
  return make(Rule::Cast, type, "%0.to(" + languageName(type.scalar) + ")", 0, std::move(operand));
}

} // namespace tilec::fuzz
