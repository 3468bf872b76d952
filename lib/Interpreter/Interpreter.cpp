// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run: the grid's programs in order, the table of operations, values, memory and messages.

#include "Evaluator.h"

#include <cstring>

using namespace mlir;

namespace tilec::interpreter {

HandlerTable::HandlerTable() {
  addIntegerOps(*this);
  addFloatOps(*this);
  addCastOps(*this);
  addShapeOps(*this);
  addMemoryOps(*this);
  addAtomicOps(*this);
  addDescriptorOps(*this);
  addReduceOps(*this);
  addIndexedOps(*this);
  addMatrixOps(*this);
  addProgramOps(*this);
  addControlOps(*this);
  addInlineOps(*this);
}

LogicalResult Evaluator::runProgram(func::FuncOp kernel, ArrayRef<Bits> arguments,
                                    std::array<uint32_t, 3> place) {
  program = place;
  active = {kernel};
  values.clear();
  for (auto [argument, bits] : llvm::zip_equal(kernel.getArguments(), arguments))
    set(argument, bits);
  return runBlock(kernel.getBody().front());
}

LogicalResult Evaluator::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(run(&op)))
      return failure();
  return success();
}

static const HandlerTable &getHandlerTable() {
  static const HandlerTable table;
  return table;
}

LogicalResult Evaluator::run(Operation *op) {
  Handler handler = getHandlerTable().find(op->getName());
  if (!handler)
    return error(op) << "the interpreter does not know the operation '"
                     << op->getName().getStringRef() << "'";
  elementsDone += op->getNumResults() == 0 ? 1 : sizeOf(op->getResult(0).getType());
  if (elementsDone > config.maxElements)
    return error(op) << "stopped after computing " << config.maxElements << " elements";
  return handler(*this, op);
}

std::vector<Bits> Evaluator::getAll(ValueRange range) const {
  std::vector<Bits> all;
  for (Value value : range)
    all.push_back(get(value));
  return all;
}

void Evaluator::setAll(ValueRange range, std::vector<Bits> bits) {
  for (auto [value, one] : llvm::zip_equal(range, bits))
    set(value, std::move(one));
}

InFlightDiagnostic Evaluator::error(Operation *op) {
  InFlightDiagnostic diagnostic = mlir::emitError(op->getLoc());
  diagnostic << "in program (" << program[0] << ", " << program[1] << ", " << program[2] << "): ";
  return diagnostic;
}

InFlightDiagnostic Evaluator::error(Operation *op, Type type, size_t element) {
  InFlightDiagnostic diagnostic = error(op);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return diagnostic;
  SmallVector<size_t> coordinates(size_t(tensor.getRank()));
  for (size_t d = coordinates.size(); d-- > 0; element /= size_t(tensor.getDimSize(d)))
    coordinates[d] = element % size_t(tensor.getDimSize(d));
  diagnostic << "element (";
  for (auto [d, coordinate] : llvm::enumerate(coordinates))
    diagnostic << (d == 0 ? "" : ", ") << uint64_t(coordinate);
  diagnostic << "): ";
  return diagnostic;
}

char *Evaluator::memoryAt(Operation *op, StringRef what, uint64_t address, unsigned bytes,
                          bool isWrite, Type type, size_t element) {
  const InterpreterBuffer *readOnly = nullptr;
  for (const InterpreterBuffer &buffer : config.buffers) {
    uint64_t base = uint64_t(reinterpret_cast<uintptr_t>(buffer.base));
    if (address < base || address - base > buffer.bytes || buffer.bytes - (address - base) < bytes)
      continue;
    if (isWrite && buffer.readOnly) {
      readOnly = &buffer;
      continue;
    }
    if (address % bytes != 0) {
      error(op, type, element) << bytes << "-byte " << what << " at offset " << (address - base)
                               << " of '" << buffer.name << "' is misaligned";
      return nullptr;
    }
    return static_cast<char *>(buffer.base) + (address - base);
  }
  if (readOnly) {
    error(op, type, element) << what << " writes to '" << readOnly->name << "', which is const";
    return nullptr;
  }
  InFlightDiagnostic diagnostic = error(op, type, element);
  diagnostic << bytes << "-byte " << what << " is outside of every array";
  for (const InterpreterBuffer &buffer : config.buffers) {
    uint64_t base = uint64_t(reinterpret_cast<uintptr_t>(buffer.base));
    int64_t offset = int64_t(address - base);
    // Near enough to be meant.
    if (offset > -(1 << 16) && offset < int64_t(buffer.bytes) + (1 << 16)) {
      diagnostic << ", at offset " << offset << " of '" << buffer.name << "' with "
                 << uint64_t(buffer.bytes) << " bytes";
      break;
    }
  }
  return nullptr;
}

void Evaluator::print(std::string line) {
  if (result.printed.size() < config.maxPrinted)
    result.printed.push_back({program, std::move(line)});
  else
    ++result.printedDropped;
}

} // namespace tilec::interpreter

using namespace tilec::interpreter;

bool tilec::isInterpreted(OperationName name) { return getHandlerTable().find(name) != nullptr; }

func::FuncOp tilec::findKernel(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(tile::TileDialect::kKernelAttr))
      return func;
  return nullptr;
}

LogicalResult tilec::interpret(func::FuncOp kernel, void *const *arguments,
                               const InterpreterConfig &config, InterpreterResult &result) {
  std::vector<Bits> values;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!isa<tile::PtrType>(type) && !type.isIntOrFloat())
      return kernel.emitError("the interpreter has no arguments of type ") << type;
    unsigned bytes = tile::bytesOf(type);
    uint64_t word = 0;
    // The host is little-endian, as devices are.
    std::memcpy(&word, arguments[i], bytes);
    values.push_back({type.isInteger(1) ? uint64_t(word != 0) : word});
  }
  Evaluator evaluator(config, result);
  for (uint32_t z = 0; z < config.grid[2]; ++z)
    for (uint32_t y = 0; y < config.grid[1]; ++y)
      for (uint32_t x = 0; x < config.grid[0]; ++x)
        if (failed(evaluator.runProgram(kernel, values, {x, y, z})))
          return failure();
  return success();
}
