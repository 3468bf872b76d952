// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's place, assertions and printing. A barrier does nothing: there is one thread.

#include "Evaluator.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstdio>

using namespace mlir;

namespace tilec::interpreter {
namespace {

LogicalResult runProgramId(Evaluator &e, Operation *op) {
  e.set(op->getResult(0), {e.getProgram()[cast<tile::ProgramIdOp>(op).getAxis()]});
  return success();
}

LogicalResult runNumPrograms(Evaluator &e, Operation *op) {
  e.set(op->getResult(0), {e.getConfig().grid[cast<tile::NumProgramsOp>(op).getAxis()]});
  return success();
}

LogicalResult runAssume(Evaluator &e, Operation *op) {
  if (!e.getScalar(op->getOperand(0)))
    return e.error(op) << "the condition of 'tl.assume' does not hold";
  return success();
}

LogicalResult runAssert(Evaluator &e, Operation *op) {
  auto check = cast<tile::AssertOp>(op);
  const Bits &conditions = e.get(check.getCondition());
  for (size_t i = 0; i < conditions.size(); ++i)
    if (!conditions[i])
      return e.error(op, check.getCondition().getType(), i)
             << "assertion failed: " << check.getMessage();
  return success();
}

std::string textOf(Type element, uint64_t bits, bool isHex, bool isSigned) {
  unsigned width = tile::bitWidthOf(element);
  if (isa<tile::PtrType>(element))
    return llvm::formatv("{0:x}", bits);
  if (isHex) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%0*llx", int(llvm::divideCeil(width, 4)),
                  static_cast<unsigned long long>(bits));
    return text;
  }
  if (isa<FloatType>(element)) {
    char text[512];
    std::snprintf(text, sizeof(text), "%f", FloatFormat(element).decode(bits));
    return text;
  }
  if (isSigned && width > 1)
    return std::to_string(asSigned(bits, width));
  return std::to_string(bits);
}

void printValue(Evaluator &e, tile::PrintOp op, size_t operand, bool isSigned,
                ArrayRef<int64_t> extents) {
  Value value = op.getValues()[operand];
  SmallVector<int32_t> widths = op.getIndexWidths(operand);
  std::string prefix = op.getPrefixOf(operand);
  const Bits &bits = e.get(value);
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  for (size_t i = 0; i < bits.size(); ++i) {
    std::array<uint32_t, 3> program = e.getProgram();
    std::string line =
        llvm::formatv("pid ({0}, {1}, {2}) idx (", program[0], program[1], program[2]);
    bool isInside = true;
    if (tensor) {
      size_t rest = bits.size(), place = i;
      for (int64_t d = 0; d < tensor.getRank(); ++d) {
        rest /= size_t(tensor.getDimSize(d));
        isInside &= extents.empty() || place / rest < size_t(extents[d]);
        std::string index = std::to_string(place / rest);
        // Elements of the padding can have longer ones; they are not printed.
        size_t width = std::max(size_t(widths[d]), index.size());
        line += (d == 0 ? "" : ", ") + std::string(width - index.size(), ' ') + index;
        place %= rest;
      }
    }
    if (!isInside)
      continue;
    e.print(line + ")" + prefix +
            textOf(elementOf(value.getType()), bits[i], op.getHex(), isSigned));
  }
}

LogicalResult runPrint(Evaluator &e, Operation *op) {
  auto print = cast<tile::PrintOp>(op);
  if (print.getValues().empty()) {
    std::array<uint32_t, 3> program = e.getProgram();
    e.print(llvm::formatv("pid ({0}, {1}, {2}) ", program[0], program[1], program[2]).str() +
            print.getPrefix().str());
  }
  for (auto [i, value] : llvm::enumerate(print.getValues())) {
    ArrayRef<int64_t> extents;
    if (print.getExtents())
      extents = cast<DenseI64ArrayAttr>((*print.getExtents())[i]).asArrayRef();
    printValue(e, print, i, !print.getIsSigned() || (*print.getIsSigned())[i], extents);
  }
  return success();
}

LogicalResult runBarrier(Evaluator &, Operation *) { return success(); }

} // namespace

void addProgramOps(HandlerTable &table) {
  table.add<tile::ProgramIdOp>(runProgramId);
  table.add<tile::NumProgramsOp>(runNumPrograms);
  table.add<tile::AssumeOp>(runAssume);
  table.add<tile::AssertOp>(runAssert);
  table.add<tile::PrintOp>(runPrint);
  table.add<tile::BarrierOp>(runBarrier);
}

} // namespace tilec::interpreter
