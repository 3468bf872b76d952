// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one run: values, memory, the program's place. The operations are functions in the
// other files of this folder, one file per group, found by the operation's name.

#ifndef TILEC_LIB_INTERPRETER_EVALUATOR_H
#define TILEC_LIB_INTERPRETER_EVALUATOR_H

#include "Numbers.h"

#include "tilec/Interpreter/Interpreter.h"

namespace tilec::interpreter {

class Evaluator;
using Handler = llvm::LogicalResult (*)(Evaluator &, mlir::Operation *);

/// An elementwise operation by its folder.
llvm::LogicalResult runFolded(Evaluator &e, mlir::Operation *op);

/// What each operation means, by type of operation.
class HandlerTable {
public:
  HandlerTable();
  template <typename... OpTs> void add(Handler handler) {
    (handlers.try_emplace(mlir::TypeID::get<OpTs>(), handler), ...);
  }
  /// Null for what is not known; `runFolded` for what is elementwise, and not in the table.
  Handler find(mlir::OperationName name) const {
    if (Handler handler = handlers.lookup(name.getTypeID()))
      return handler;
    return name.hasTrait<mlir::OpTrait::Elementwise>() ? runFolded : nullptr;
  }

private:
  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

// One per file.
void addIntegerOps(HandlerTable &table);
void addFloatOps(HandlerTable &table);
void addCastOps(HandlerTable &table);
void addShapeOps(HandlerTable &table);
void addMemoryOps(HandlerTable &table);
void addAtomicOps(HandlerTable &table);
void addDescriptorOps(HandlerTable &table);
void addReduceOps(HandlerTable &table);
void addIndexedOps(HandlerTable &table);
void addMatrixOps(HandlerTable &table);
void addProgramOps(HandlerTable &table);
void addControlOps(HandlerTable &table);
void addInlineOps(HandlerTable &table);

class Evaluator {
public:
  Evaluator(const InterpreterConfig &runConfig, InterpreterResult &runResult)
      : config(runConfig), result(runResult) {}

  llvm::LogicalResult runProgram(mlir::func::FuncOp kernel, llvm::ArrayRef<Bits> arguments,
                                 std::array<uint32_t, 3> place);
  /// All operations of a block but its terminator.
  llvm::LogicalResult runBlock(mlir::Block &block);

  const Bits &get(mlir::Value value) const { return values.find(value)->second; }
  uint64_t getScalar(mlir::Value value) const { return get(value)[0]; }
  void set(mlir::Value value, Bits bits) { values[value] = std::move(bits); }
  /// The values that end a block.
  std::vector<Bits> getAll(mlir::ValueRange range) const;
  void setAll(mlir::ValueRange range, std::vector<Bits> bits);

  /// Elements of a value of a type. Scalars count `lanes`.
  size_t sizeOf(mlir::Type type) const {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor ? size_t(tensor.getNumElements()) : lanes;
  }
  /// More than one: scalar operations run for so many sets of scalars together.
  size_t lanes = 1;

  /// An error at the operation, with the program, and the element of the value that it is about.
  mlir::InFlightDiagnostic error(mlir::Operation *op);
  mlir::InFlightDiagnostic error(mlir::Operation *op, mlir::Type type, size_t element);

  /// Host memory of an access to one element; null after an error.
  char *memoryAt(mlir::Operation *op, llvm::StringRef what, uint64_t address, unsigned bytes,
                 bool isWrite, mlir::Type type, size_t element);

  /// Writes an element; `memory` is what memoryAt gave.
  void write(char *memory, mlir::Type element, uint64_t bits);
  /// Grows with everything that a program can see later: changed memory, a look at the clock.
  uint64_t getChanges() const { return changes; }

  void print(std::string line);
  /// Nanoseconds, a hundred more each time.
  uint64_t readClock() {
    ++changes;
    return clock += 100;
  }
  std::array<uint32_t, 3> getProgram() const { return program; }
  const InterpreterConfig &getConfig() const { return config; }
  std::vector<mlir::func::FuncOp> active;

private:
  llvm::LogicalResult run(mlir::Operation *op);

  const InterpreterConfig &config;
  InterpreterResult &result;
  llvm::DenseMap<mlir::Value, Bits> values;
  std::array<uint32_t, 3> program = {0, 0, 0};
  uint64_t elementsDone = 0;
  uint64_t clock = 0;
  uint64_t changes = 0;
};

/// The element's bits of an access of memory: a boolean is a byte there.
uint64_t readElement(const char *memory, mlir::Type element);

/// What an atomic makes of the old and the given value.
uint64_t combineAtomically(tile::AtomicKind kind, mlir::Type element, uint64_t old, uint64_t value);

/// Sets the only result to the function of each element of the operands.
template <typename Function>
llvm::LogicalResult mapUnary(Evaluator &e, mlir::Operation *op, Function function) {
  const Bits &a = e.get(op->getOperand(0));
  Bits bits(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    bits[i] = function(a[i]);
  e.set(op->getResult(0), std::move(bits));
  return llvm::success();
}
template <typename Function>
llvm::LogicalResult mapBinary(Evaluator &e, mlir::Operation *op, Function function) {
  const Bits &a = e.get(op->getOperand(0)), &b = e.get(op->getOperand(1));
  Bits bits(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    bits[i] = function(a[i], b[i]);
  e.set(op->getResult(0), std::move(bits));
  return llvm::success();
}
template <typename Function>
llvm::LogicalResult mapTernary(Evaluator &e, mlir::Operation *op, Function function) {
  const Bits &a = e.get(op->getOperand(0)), &b = e.get(op->getOperand(1)),
             &c = e.get(op->getOperand(2));
  Bits bits(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    bits[i] = function(a[i], b[i], c[i]);
  e.set(op->getResult(0), std::move(bits));
  return llvm::success();
}

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_EVALUATOR_H
