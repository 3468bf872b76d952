// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions whose operands have other shapes: reshapes, broadcasts, reductions, scans, products,
// gathers, joins.

#include "ExprGenerator.h"

#include <algorithm>

namespace tilec::fuzz {

ExprPtr ExprGenerator::attemptShape(const Type &type, int depth) {
  if (type.shape.empty())
    return reduce(type, depth);
  switch (random.below(12)) {
  case 0:
  case 1:
  case 2:
    return reduce(type, depth);
  case 3:
    return scan(type, depth);
  case 4:
  case 5:
    return dot(type, depth);
  case 6:
    return gather(type, depth);
  case 7:
  case 8:
    return halves(type, depth);
  default:
    return reshape(type, depth);
  }
}

ExprPtr ExprGenerator::reshape(const Type &type, int depth) {
  const Shape &shape = type.shape;
  Type from = type;
  switch (random.below(4)) {
  case 0: {
    // The same elements in another shape.
    from.shape.clear();
    int64_t rest = countOf(shape);
    while (rest > 1 && from.shape.size() < 3) {
      int part = from.shape.size() == 2 ? int(rest) : 1 << random.between(0, 5);
      part = int(std::min<int64_t>(part, rest));
      from.shape.push_back(part);
      rest /= part;
    }
    if (rest != 1 || from.shape.empty())
      return nullptr;
    return make(Rule::Keep, type, "tl.reshape(%0, " + textOf(shape) + ")", 0, any(from, depth - 1));
  }
  case 1: {
    std::vector<int> order;
    for (size_t d = 0; d < shape.size(); ++d)
      order.push_back(int(d));
    for (size_t d = order.size(); d > 1; --d)
      std::swap(order[d - 1], order[size_t(random.below(int(d)))]);
    for (size_t d = 0; d < order.size(); ++d)
      from.shape[size_t(order[d])] = shape[d];
    if (shape.size() < 2)
      return nullptr;
    return make(Rule::Keep, type,
                shape.size() == 2 && order[0] == 1 ? "tl.trans(%0)"
                                                   : "tl.permute(%0, " + textOf(order) + ")",
                0, any(from, depth - 1));
  }
  case 2: {
    // Broadcast along one dimension.
    int axis = random.below(int(shape.size()));
    from.shape.erase(from.shape.begin() + axis);
    if (from.shape.empty())
      return nullptr;
    return make(Rule::Keep, type,
                "tl.broadcast_to(tl.expand_dims(%0, " + std::to_string(axis) + "), " +
                    textOf(shape) + ")",
                0, any(from, depth - 1));
  }
  default:
    return make(Rule::Keep, type, "tl.broadcast_to(%0, " + textOf(shape) + ")", 0,
                any({type.scalar, {}}, depth - 1));
  }
}

ExprPtr ExprGenerator::reduce(const Type &type, int depth) {
  Scalar s = type.scalar;
  Type from = type;
  std::string where;
  int size = 1;
  if (type.shape.empty() && random.chance(50)) {
    from.shape = randomShape();
    size = int(countOf(from.shape));
    where = random.chance(50) ? "" : ", axis=None";
  } else {
    int rank = int(type.shape.size());
    int axis = random.below(rank + 1);
    size = 1 << random.between(0, type.shape.empty() ? 9 : 5);
    bool keep = axis < rank && type.shape[size_t(axis)] == 1;
    if (keep)
      from.shape[size_t(axis)] = size;
    else
      from.shape.insert(from.shape.begin() + axis, size);
    where = ", axis=" + std::to_string(axis) + (keep ? ", keep_dims=True" : "");
  }
  if (countOf(from.shape) > mostElements() || from.shape.size() > 4)
    return nullptr;
  bool hasAxis = where.find("axis=N") == std::string::npos && !where.empty();
  // Narrow integers are summed in 32 bits, narrow numbers compared in 32 bits.
  if (random.chance(25) && (s == Scalar::I32 || s == Scalar::U32))
    from.scalar = s == Scalar::I32 ? random.pick({Scalar::I8, Scalar::I16})
                                   : random.pick({Scalar::U8, Scalar::U16});
  int choice = random.below(8);
  if (isBool(s))
    return nullptr;
  if (choice < 3 && !isFloat8(s)) {
    if (bitsOf(s) < 32 && !isFloat(s))
      return nullptr;
    return make(Rule::Sum, type, "tl.sum(%0" + where + ")", size, any(from, depth - 1));
  }
  if (choice < 5 && (bitsOf(s) >= 32) && from.scalar == s)
    return make(Rule::Keep, type,
                random.pick<std::string>({"tl.max(%0", "tl.min(%0"}) + where + ")", 0,
                any(from, depth - 1));
  if (choice == 5 && s == Scalar::I32 && hasAxis && where.find("keep") == std::string::npos) {
    from.scalar = random.pick({Scalar::I32, Scalar::F32, Scalar::F16, Scalar::I64, Scalar::U8});
    return make(Rule::Place, type,
                random.pick<std::string>({"tl.argmax(%0", "tl.argmin(%0"}) + where + ")", size,
                exact(from, depth - 1));
  }
  if (choice == 6 && isInteger(s) && from.scalar == s)
    return make(Rule::Integer, type, "tl.xor_sum(%0" + where + ")", 0, any(from, depth - 1));
  if (choice == 7 && from.scalar == s && !isFloat8(s) && hasAxis &&
      where.find("keep") == std::string::npos) {
    std::string axis = where.substr(7);
    if (isInteger(s) && random.chance(50)) {
      Type key{random.pick({Scalar::I32, Scalar::F32, Scalar::I64}), from.shape};
      // Equal keys: the larger payload wins, so the order does not matter.
      return make(Rule::Integer, type, "_last_peak(%0, %1, " + axis + ")", 0, exact(key, depth - 1),
                  exact(from, depth - 1));
    }
    if (bitsOf(s) >= 32)
      return make(Rule::Keep, type, "tl.reduce(%0, " + axis + ", _larger)", 0,
                  any(from, depth - 1));
  }
  return nullptr;
}

ExprPtr ExprGenerator::scan(const Type &type, int depth) {
  Scalar s = type.scalar;
  int axis = random.below(int(type.shape.size()));
  bool reverse = random.chance(30);
  std::string where = ", axis=" + std::to_string(axis) + (reverse ? ", reverse=True" : "");
  if (isBool(s) || isFloat8(s) || s == Scalar::BF16 || (bitsOf(s) < 32 && !isFloat(s)))
    return nullptr;
  int size = type.shape[size_t(axis)];
  if (isInteger(s))
    switch (random.below(4)) {
    case 0:
      return make(Rule::Integer, type, "tl.cumprod(%0" + where + ")", 0, any(type, depth - 1));
    case 1:
      return make(Rule::Integer, type,
                  "_recurrence(%0, %1, " + std::to_string(axis) +
                      (reverse ? ", True)" : ", False)"),
                  0, any(type, depth - 1), any(type, depth - 1));
    case 2:
      return make(Rule::Integer, type,
                  "tl.associative_scan(%0, " + std::to_string(axis) + ", _larger" +
                      (reverse ? ", True)" : ")"),
                  0, any(type, depth - 1));
    default:
      break;
    }
  return make(Rule::Sum, type, "tl.cumsum(%0" + where + ")", size, any(type, depth - 1));
}

ExprPtr ExprGenerator::dot(const Type &type, int depth) {
  size_t rank = type.shape.size();
  if (rank < 2 || rank > 3 || (rank == 3 && type.shape[0] > 4))
    return nullptr;
  int m = type.shape[rank - 2], n = type.shape[rank - 1];
  if ((m < 8 || n < 8) && random.chance(70))
    return nullptr;
  int k = 1 << random.between(3, 6);
  Scalar factor;
  double factorError = 0;
  std::string precision;
  switch (type.scalar) {
  case Scalar::F32:
    factor = random.pick({Scalar::F16, Scalar::F16, Scalar::BF16, Scalar::BF16, Scalar::F32,
                          Scalar::E4M3, Scalar::E5M2});
    if (factor == Scalar::F32) {
      precision = random.pick<std::string>(
          {"", ", input_precision=\"ieee\"", ", input_precision=\"tf32x3\""});
      factorError = precision.empty() ? 0x1p-10 : 0x1p-19;
    }
    // The tensor core's own accumulator of 8-bit floats is shorter.
    if (isFloat8(factor))
      factorError = 0x1p-12;
    break;
  case Scalar::F64:
    factor = Scalar::F64;
    break;
  case Scalar::F16:
    factor = Scalar::F16;
    precision = ", out_dtype=tl.float16";
    break;
  case Scalar::I32:
    factor = Scalar::I8;
    break;
  default:
    return nullptr;
  }
  Type left{factor, type.shape}, right{factor, type.shape};
  left.shape[rank - 1] = k;
  right.shape[rank - 2] = k;
  if (countOf(left.shape) > mostElements() || countOf(right.shape) > mostElements() ||
      m * n * k > (isLarge ? 131072 : 32768))
    return nullptr;
  bool hasAcc = random.chance(30);
  auto expr = std::make_unique<Expr>();
  expr->rule = isFloat(type.scalar) ? Rule::Product : Rule::Integer;
  expr->type = type;
  expr->text = std::string("tl.dot(%0, %1") + (hasAcc ? ", %2" : "") + precision + ")";
  expr->parameter = k;
  expr->factorError = factorError;
  expr->operands.push_back(any(left, depth - 1));
  expr->operands.push_back(any(right, depth - 1));
  if (hasAcc)
    expr->operands.push_back(any(type, depth - 1));
  return finish(std::move(expr));
}

ExprPtr ExprGenerator::gather(const Type &type, int depth) {
  if (type.shape.size() == 1 && type.scalar == Scalar::I32 && random.chance(50)) {
    Type from{Scalar::I32, {1 << random.between(4, 9)}};
    int bins = type.shape[0];
    if (bins < 2)
      return nullptr;
    return make(Rule::Index, type,
                "tl.histogram((%0 & " + std::to_string(2 * bins - 1) + "), " +
                    std::to_string(bins) + ")",
                from.shape[0], exact(from, depth - 1));
  }
  int axis = random.below(int(type.shape.size()));
  Type from = type;
  int size = 1 << random.between(0, 6);
  from.shape[size_t(axis)] = size;
  if (countOf(from.shape) > mostElements() || isFloat8(type.scalar))
    return nullptr;
  return make(Rule::Keep, type,
              "tl.gather(%0, (%1 & " + std::to_string(size - 1) + "), " + std::to_string(axis) +
                  ")",
              0, any(from, depth - 1), exact({Scalar::I32, type.shape}, depth - 1));
}

ExprPtr ExprGenerator::halves(const Type &type, int depth) {
  const Shape &shape = type.shape;
  Type half = type;
  switch (random.below(4)) {
  case 0:
    if (shape.size() < 2 || shape.back() != 2)
      return nullptr;
    half.shape.pop_back();
    return make(Rule::Pick, type, "tl.join(%0, %1)", 0, any(half, depth - 1), any(half, depth - 1));
  case 1:
    if (shape.back() < 4)
      return nullptr;
    half.shape.back() /= 2;
    return make(Rule::Pick, type, "tl.interleave(%0, %1)", 0, any(half, depth - 1),
                any(half, depth - 1));
  case 2: {
    size_t axis = size_t(random.below(int(shape.size())));
    if (shape[axis] < 4)
      return nullptr;
    half.shape[axis] /= 2;
    return make(Rule::Pick, type, "tl.cat(%0, %1, dim=" + std::to_string(axis) + ")", 0,
                any(half, depth - 1), any(half, depth - 1));
  }
  default:
    half.shape.push_back(2);
    if (half.shape.size() > 4 || countOf(half.shape) > mostElements())
      return nullptr;
    return make(Rule::Keep, type, random.pick<std::string>({"_low_half(%0)", "_high_half(%0)"}), 0,
                any(half, depth - 1));
  }
}

} // namespace tilec::fuzz
