// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion over definitions. A loop-carried tensor is taken to have the steps of its initial value
// and checked against what the loop yields.

#include "tilec/Analysis/AddressSteps.h"

#include "AxisTransfer.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

bool AddressStep::operator==(const AddressStep &other) const {
  return isKnown == other.isKnown && constant == other.constant && factor == other.factor &&
         scale == other.scale;
}

static unsigned rankOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getRank() : 0;
}

static AddressSteps::Steps unknownSteps(Value value) {
  return AddressSteps::Steps(rankOf(value), AddressStep::unknown());
}

static AddressSteps::Steps zeroSteps(Value value) {
  return AddressSteps::Steps(rankOf(value), AddressStep());
}

static AddressStep sum(const AddressStep &left, const AddressStep &right) {
  AddressStep result = left;
  if (!left.isKnown || !right.isKnown ||
      (left.factor && right.factor && left.factor != right.factor))
    return AddressStep::unknown();
  if (llvm::AddOverflow(left.constant, right.constant, result.constant) ||
      llvm::AddOverflow(left.scale, right.scale, result.scale))
    return AddressStep::unknown();
  result.factor = left.factor ? left.factor : right.factor;
  if (result.scale == 0)
    result.factor = Value();
  return result;
}

static AddressStep scaled(const AddressStep &step, int64_t by) {
  AddressStep result = step;
  if (!step.isKnown || llvm::MulOverflow(step.constant, by, result.constant) ||
      llvm::MulOverflow(step.scale, by, result.scale))
    return AddressStep::unknown();
  if (result.scale == 0)
    result.factor = Value();
  return result;
}

std::optional<int64_t> tilec::constantOf(Value value) {
  APInt constant;
  if (!value || !matchPattern(value, m_ConstantInt(&constant)) || constant.getBitWidth() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

Value tilec::splatSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tile::SplatOp>(op))
      value = op->getOperand(0);
    else if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::BroadcastOp,
                 tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp, tilegpu::ConvertLayoutOp>(
                 op))
      value = op->getOperand(0);
    else
      break;
  }
  return isa<RankedTensorType>(value.getType()) && !constantOf(value) ? Value() : value;
}

/// The expression that a value may have been written as; empty when there is no short one.
static std::string expressionOf(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = constantOf(value))
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
  return constantOf(value) ? text : "'" + text + "'";
}

bool AddressSteps::isUniform(Value value) {
  return llvm::all_of(of(value), [](const AddressStep &step) { return step.isZero(); });
}

const AddressSteps::Steps &AddressSteps::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  constexpr unsigned kMaxDepth = 400;
  ++depth;
  Steps steps = depth > kMaxDepth ? unknownSteps(value) : compute(value);
  --depth;
  return known[value] = std::move(steps);
}

AddressSteps::Steps AddressSteps::compute(Value value) {
  if (rankOf(value) == 0)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofLoopArgument(argument);
  if (value.getDefiningOp()->getNumResults() != 1)
    return unknownSteps(value);
  return ofOperation(value.getDefiningOp());
}

AddressSteps::Steps AddressSteps::ofLoopArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return unknownSteps(argument);
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Steps start = of(loop.getInitArgs()[index]);
  // What is computed from the assumption is forgotten when it turns out to be wrong.
  llvm::DenseMap<Value, Steps> before = known;
  known[argument] = start;
  if (of(loop.getYieldedValues()[index]) == start)
    return start;
  known = std::move(before);
  return unknownSteps(argument);
}

/// Element-wise multiplication, one side of which is the same everywhere.
AddressSteps::Steps AddressSteps::product(Operation *op) {
  Value result = op->getResult(0), value = op->getOperand(0), by = op->getOperand(1);
  bool isShift = isa<arith::ShLIOp>(op);
  if (!isShift && isUniform(value))
    std::swap(value, by);
  if (!isUniform(by))
    return unknownSteps(result);
  Value scalar = splatSource(by);
  std::optional<int64_t> constant = constantOf(scalar);
  if (isShift && (!constant || *constant < 0 || *constant > 62))
    return unknownSteps(result);
  Steps steps = of(value);
  for (AddressStep &step : steps) {
    if (constant)
      step = scaled(step, isShift ? int64_t(1) << *constant : *constant);
    else if (!step.isConstant())
      step = AddressStep::unknown();
    else if (step.constant != 0)
      step = {true, 0, scalar ? scalar : by, step.constant};
  }
  return steps;
}

AddressSteps::Steps AddressSteps::ofOperation(Operation *op) {
  Value result = op->getResult(0);
  if (isa<tile::SplatOp>(op))
    return zeroSteps(result);
  if (isa<tile::MakeRangeOp>(op)) {
    Steps steps = zeroSteps(result);
    steps.front().constant = axisShape(result.getType()).front() > 1 ? 1 : 0;
    return steps;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::BroadcastOp,
          tilegpu::ConvertLayoutOp>(op))
    return of(op->getOperand(0));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    Steps steps = of(expand.getSource());
    steps.insert(steps.begin() + expand.getAxis(), AddressStep());
    return steps;
  }
  if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    const Steps &source = of(permute.getSource());
    Steps steps;
    for (int32_t from : permute.getOrder())
      steps.push_back(source[from]);
    return steps;
  }
  if (isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op)) {
    Steps left = of(op->getOperand(0));
    const Steps &right = of(op->getOperand(1));
    int64_t factor = isa<arith::SubIOp>(op) ? -1 : 1;
    if (isa<tile::AddPtrOp>(op))
      factor = cast<tile::PtrType>(getElementTypeOrSelf(result.getType())).getElementBytes();
    for (auto [step, other] : llvm::zip_equal(left, right))
      step = sum(step, scaled(other, factor));
    return left;
  }
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    return product(op);
  // Equal operands give equal results; that is all there is to know about the others.
  bool keepsPlaces = op->hasTrait<OpTrait::Elementwise>() || isa<tile::LoadOp, tile::ReshapeOp>(op);
  if (matchPattern(result, m_Constant())
          ? constantOf(result).has_value()
          : keepsPlaces && llvm::all_of(op->getOperands(), [&](Value v) { return isUniform(v); }))
    return zeroSteps(result);
  return unknownSteps(result);
}
