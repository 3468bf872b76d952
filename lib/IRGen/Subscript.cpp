// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing: new axes and full slices on blocks, constant indices and slices on tuples.

#include "Generator.h"

namespace tilec::irgen {

/// Resolves Python slice bounds on a sequence of `size` elements.
static std::vector<int64_t> getSliceIndices(std::optional<int64_t> lower,
                                            std::optional<int64_t> upper, int64_t step,
                                            int64_t size) {
  auto clamp = [&](int64_t index, int64_t low, int64_t high) {
    if (index < 0)
      index += size;
    return std::min(std::max(index, low), high);
  };
  std::vector<int64_t> indices;
  if (step > 0) {
    int64_t end = upper ? clamp(*upper, 0, size) : size;
    for (int64_t i = lower ? clamp(*lower, 0, size) : 0; i < end; i += std::min(step, size))
      indices.push_back(i);
    return indices;
  }
  int64_t end = upper ? clamp(*upper, -1, size - 1) : -1;
  for (int64_t i = lower ? clamp(*lower, -1, size - 1) : size - 1; i > end;
       i += std::max(step, -size))
    indices.push_back(i);
  return indices;
}

FailureOr<Value> Generator::subscript(const Value &base, const ast::Subscript &expr) {
  if (base.isRuntime() || base.isNumber()) {
    FailureOr<Value> value = toRuntime(base, expr.range);
    if (mlir::failed(value))
      return failure();
    // `x[(None, slice)]` cannot be written, so indices are always separate nodes here.
    int64_t rank = value->getRuntime()->type.getRank(), axis = 0, taken = 0;
    int64_t slices = 0;
    for (const ast::Expr *index : expr.indices)
      slices += llvm::isa<ast::Slice, ast::EllipsisLiteral>(index);
    Value result = *value;
    for (const ast::Expr *index : expr.indices) {
      auto *slice = llvm::dyn_cast<ast::Slice>(index);
      bool isNone = llvm::isa<ast::NoneLiteral>(index);
      if (!slice && !isNone && !llvm::isa<ast::EllipsisLiteral>(index)) {
        // A name or parameter that stands for None.
        FailureOr<Value> indexValue = evaluate(index);
        if (mlir::failed(indexValue))
          return failure();
        isNone = indexValue->isNone();
      }
      if (isNone) {
        result = expandDims(result, axis++);
        continue;
      }
      if (llvm::isa<ast::EllipsisLiteral>(index)) {
        int64_t skipped = rank - (slices - 1);
        axis += std::max<int64_t>(skipped, 0);
        taken += std::max<int64_t>(skipped, 0);
        continue;
      }
      if (!slice || !slice->isFull())
        return error(index->range, "a block can only be indexed with ':' and None; use tl.load on "
                                   "pointers or reductions to select elements");
      ++axis;
      ++taken;
    }
    if (taken > rank)
      return error(expr.range, "too many indices: a value of type " + base.describe() +
                                   " has " + llvm::Twine(rank) + " dimensions, got " +
                                   llvm::Twine(taken));
    if (mlir::failed(checkShape(result.getRuntime()->type.shape, expr.range)))
      return failure();
    return result;
  }

  if (expr.indices.size() != 1)
    return error(expr.range, base.describe() + " needs one index, got " +
                                 llvm::Twine(expr.indices.size()));
  const ast::Expr *index = expr.indices.front();
  const std::vector<Value> *elements = base.getTuple();
  if (const DictValue *dict = base.getIf<DictValue>()) {
    FailureOr<Value> key = evaluate(index);
    if (mlir::failed(key))
      return failure();
    FailureOr<std::string> name = toString(*key, index->range, "the key");
    if (mlir::failed(name))
      return failure();
    for (const auto &[entryName, value] : *dict->entries)
      if (entryName == *name)
        return value;
    return error(index->range, "no value for '" + *name + "' is known at compile time");
  }
  if (!elements)
    return error(expr.range, base.describe() + " cannot be indexed");

  int64_t size = static_cast<int64_t>(elements->size());
  if (auto *slice = llvm::dyn_cast<ast::Slice>(index)) {
    std::optional<int64_t> parts[3];
    const ast::Expr *exprs[] = {slice->lower, slice->upper, slice->step};
    for (int i = 0; i < 3; ++i) {
      if (!exprs[i])
        continue;
      FailureOr<Value> value = evaluate(exprs[i]);
      if (mlir::failed(value))
        return failure();
      if (value->isNone())
        continue;
      FailureOr<int64_t> number = toInteger(*value, exprs[i]->range, "the bound of a slice");
      if (mlir::failed(number))
        return failure();
      // Beyond the tuple all bounds mean the same.
      parts[i] = std::min<int64_t>(std::max<int64_t>(*number, -(1 << 20)), 1 << 20);
    }
    if (parts[2] && *parts[2] == 0)
      return error(slice->step->range, "the step of a slice must not be zero");
    std::vector<Value> selected;
    if (size > 0)
      for (int64_t i : getSliceIndices(parts[0], parts[1], parts[2].value_or(1), size))
        selected.push_back((*elements)[i]);
    return Value::tuple(std::move(selected));
  }
  FailureOr<Value> indexValue = evaluate(index);
  if (mlir::failed(indexValue))
    return failure();
  FailureOr<int64_t> number = toInteger(*indexValue, index->range, "the index of a tuple");
  if (mlir::failed(number))
    return failure();
  if (*number < -size || *number >= size)
    return error(index->range, "index " + llvm::Twine(*number) + " is out of range for a tuple of " +
                                   llvm::Twine(size));
  return (*elements)[*number < 0 ? *number + size : *number];
}

} // namespace tilec::irgen
