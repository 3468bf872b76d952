// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceNames.h.

#include "tilec/Analysis/SourceNames.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;

Value tilec::splatSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::ShapeOpInterface, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return isa<RankedTensorType>(value.getType()) && !getConstantIntValue(value) ? Value() : value;
}

/// The expression that a value may have been written as; empty when there is no short one.
static std::string expressionOf(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::to_string(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = func ? func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                         tile::TileDialect::kNameAttr)
                     : StringAttr();
    return name ? name.str() : "";
  }
  Operation *op = value.getDefiningOp();
  if (auto program = dyn_cast<tile::ProgramIdOp>(op))
    return "tl.program_id(" + std::to_string(program.getAxis()) + ")";
  if (auto programs = dyn_cast<tile::NumProgramsOp>(op))
    return "tl.num_programs(" + std::to_string(programs.getAxis()) + ")";
  if (auto range = dyn_cast<tile::MakeRangeOp>(op))
    return "tl.arange(" + std::to_string(range.getStart()) + ", " + std::to_string(range.getEnd()) +
           ")";
  if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tilegpu::ConvertLayoutOp,
          arith::ExtSIOp>(op))
    return expressionOf(op->getOperand(0), depth);
  StringRef sign = isa<arith::AddIOp>(op)   ? " + "
                   : isa<arith::SubIOp>(op) ? " - "
                   : isa<arith::MulIOp>(op) ? " * "
                                            : "";
  constexpr unsigned kMaxDepth = 3;
  if (sign.empty() || depth == kMaxDepth)
    return "";
  std::string left = expressionOf(op->getOperand(0), depth + 1);
  std::string right = expressionOf(op->getOperand(1), depth + 1);
  if (left.empty() || right.empty())
    return "";
  if (!isa<arith::AddIOp>(op))
    for (std::string *side : {&left, &right})
      if (StringRef(*side).contains(" + ") || StringRef(*side).contains(" - "))
        *side = "(" + *side + ")";
  return left + sign.str() + right;
}

std::string tilec::sourceName(Value value) {
  constexpr size_t kMaxLength = 60;
  if (!value)
    return "";
  std::string text = expressionOf(value, 0);
  if (text.empty() || text.size() > kMaxLength)
    return "";
  return getConstantIntValue(value) ? text : "'" + text + "'";
}
