// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of memory: through pointers at positions of the program's own block or at random ones, and
// through descriptors and block pointers, also partly outside.

#include "ExprGenerator.h"

#include <algorithm>

namespace tilec::fuzz {

std::string ExprGenerator::positions(const Shape &shape, bool mayPermute) {
  std::string text;
  int stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    if (shape[d] == 1)
      continue;
    std::string part = "tl.arange(0, " + std::to_string(shape[d]) + ")";
    if (shape.size() > 1) {
      part += "[";
      for (size_t i = 0; i < shape.size(); ++i)
        part += std::string(i == 0 ? "" : ", ") + (i == d ? ":" : "None");
      part += "]";
    }
    if (stride != 1)
      part += " * " + std::to_string(stride);
    text = part + (text.empty() ? "" : " + " + text);
  }
  int count = int(countOf(shape));
  if (count == 1)
    text = "tl.zeros(" + textOf(shape) + ", tl.int32)";
  if (mayPermute && random.chance(15))
    text = "((" + text + ") ^ " + std::to_string(random.below(count)) + ")";
  return text + " + pid * " + std::to_string(count);
}

std::string ExprGenerator::counterOffset(int step) {
  if (!random.chance(60))
    return "";
  for (size_t i = scope.size(); i-- > 0;) {
    const Variable &variable = program.variables[size_t(scope[i])];
    if (variable.name[0] == 'i' || variable.name[0] == 'w')
      return " + " + variable.name + " * " + std::to_string(step);
  }
  return "";
}

bool ExprGenerator::hasDescriptor(const Type &type) {
  if (type.shape.empty() || type.shape.size() > 3 || isBool(type.scalar))
    return false;
  return type.shape.back() * int(bitsOf(type.scalar)) >= 128 && countOf(type.shape) >= 2;
}

std::string ExprGenerator::describeBlocks(const std::string &array, const Type &type) {
  const Shape &shape = type.shape;
  std::string sizes, strides, offsets;
  int stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    std::string comma = d + 1 == shape.size() ? "" : ", ";
    // The last elements of a dimension may be missing.
    int size = shape[d] - (random.chance(25) ? random.below(shape[d]) : 0);
    sizes = (d == 0 ? std::to_string((program.grid - 1) * shape[d] + size) : std::to_string(size)) +
            comma + sizes;
    strides = std::to_string(stride) + comma + strides;
    offsets = (d == 0 ? "pid * " + std::to_string(shape[d]) : "0") + comma + offsets;
  }
  std::string block = textOf(shape);
  block = "[" + block.substr(1, block.find_last_not_of(",)")) + "]";
  return "tl.make_tensor_descriptor(" + array + ", shape=[" + sizes + "], strides=[" + strides +
         "], block_shape=" + block + ").store([" + offsets + "]";
}

ExprPtr ExprGenerator::loadBlock(const Type &type) {
  if (!hasDescriptor(type))
    return nullptr;
  int array = input(type.scalar, Array::Fill::Tame, /*mustBeAligned=*/true);
  const std::string name = program.arrays[size_t(array)].name;
  const Shape &shape = type.shape;
  bool isPointer = random.chance(40);
  std::string sizes, strides, offsets, dims;
  int stride = 1, count = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    std::string comma = d + 1 == shape.size() ? "" : ", ";
    // A multiple of 16 bytes, at least in the last dimension.
    int size = shape[d] * random.pick({1, 1, 2});
    if (count * size > inputSize())
      return nullptr;
    sizes = std::to_string(std::max(1, size - (d == 0 ? random.below(3) : 0))) + comma + sizes;
    strides = std::to_string(stride) + comma + strides;
    stride *= size;
    count *= size;
    offsets = std::to_string(random.pick({0, 0, 0, isPointer ? 1 : -3, shape[d] / 2, shape[d]})) +
              (d == 0 ? counterOffset(2) : "") + comma + offsets;
    dims = std::to_string(d) + comma + dims;
  }
  if (shape[0] * 2 <= 2)
    return nullptr;
  std::string block = textOf(shape);
  block = block.substr(1, block.find_last_not_of(",)"));
  auto expr = std::make_unique<Expr>();
  expr->rule = Rule::Load;
  expr->type = type;
  expr->variable = array;
  if (isPointer) {
    std::string order;
    for (size_t d = shape.size(); d-- > 0;)
      order += std::to_string(d) + (d == 0 ? "" : ", ");
    expr->text = "tl.load(tl.make_block_ptr(" + name + ", shape=[" + sizes + "], strides=[" +
                 strides + "], offsets=[" + offsets + "], block_shape=[" + block + "], order=[" +
                 order + "]), boundary_check=[" + dims + "], padding_option=\"zero\")";
  } else {
    expr->text = "tl.make_tensor_descriptor(" + name + ", shape=[" + sizes + "], strides=[" +
                 strides + "], block_shape=[" + block + "]).load([" + offsets + "])";
  }
  return finish(std::move(expr));
}

ExprPtr ExprGenerator::load(const Type &type, int depth) {
  // Wild numbers of 8 and 16 bits would overflow soon.
  bool isWild = random.chance(40) && (!isFloat(type.scalar) || bitsOf(type.scalar) >= 32);
  int array = input(type.scalar, isWild ? Array::Fill::Wild : Array::Fill::Tame);
  const std::string name = program.arrays[size_t(array)].name;
  std::vector<ExprPtr> operands;
  std::string place;
  if (type.shape.empty()) {
    place = random.pick<std::string>({"pid", "pid * 3 + 1", "17", program.scalars[0].name});
  } else if (depth > 0 && random.chance(15)) {
    operands.push_back(exact({Scalar::I32, type.shape}, depth - 1));
    place = "(%0 & " + std::to_string(inputSize() - 1) + ")";
  } else {
    place = positions(type.shape, true) + counterOffset(inputSize() / 128);
    if (random.chance(20))
      place = "(" + place + ") * " + std::to_string(random.pick({1, 2, 3})) + " % " +
              std::to_string(inputSize());
  }
  std::string mask;
  if (!type.shape.empty() && depth > 0 && random.chance(35)) {
    std::string slot = "%" + std::to_string(operands.size());
    if (random.chance(60)) {
      mask = ", mask=" + positions(type.shape, false) + " < " + program.scalars[0].name + " * " +
             std::to_string(1 << random.between(0, 8));
      if (random.chance(50))
        mask += " + " + std::to_string(random.below(5));
    } else {
      operands.push_back(exact({Scalar::I1, type.shape}, depth - 1));
      mask = ", mask=" + slot;
    }
    if (random.chance(60) && !isBool(type.scalar))
      mask += isFloat(type.scalar) ? ", other=1.5" : ", other=3";
  }
  auto expr = std::make_unique<Expr>();
  expr->rule = Rule::Load;
  expr->type = type;
  expr->text = "tl.load(" + name + " + " + place + mask + ")";
  expr->operands = std::move(operands);
  expr->variable = array;
  return finish(std::move(expr));
}

} // namespace tilec::fuzz
