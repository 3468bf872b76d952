// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an evaluation is, what it may cost and what it reports; and reading compile-time values.
//
//   Evaluation.cpp         diagnostics with call chains, budgets, locations
//   CompileTimeValues.cpp  values as integers, strings, types, keys; tuples, what is iterated over

#ifndef TILEC_LIB_IRGEN_EVALUATION_H
#define TILEC_LIB_IRGEN_EVALUATION_H

#include "SourceModule.h"
#include "Value.h"

#include "tilec/IRGen/IRGen.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <set>

namespace tilec::irgen {

using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

struct Frame;

/// What all parts of one evaluation share: the activation and the place that it is at, its budgets,
/// its diagnostics. It knows no operations and no names. Its second half reads compile-time values,
/// as far as that needs no more than to report what they are not.
class Evaluation {
public:
  Evaluation(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
             const IRGenOptions &irgenOptions, DiagnosticEngine &engine)
      : context(mlirContext), sources(sourceManager), options(irgenOptions), diagnostics(engine) {}
  /// One that tries something aside, on the budget of the one around it.
  Evaluation(Evaluation &around, DiagnosticEngine &aside);

  const IRGenOptions &getOptions() const { return options; }
  SourceManager &getSources() { return sources; }
  DiagnosticEngine &getDiagnostics() { return diagnostics; }
  mlir::MLIRContext &getContext() { return context; }
  IRGenStatistics getStatistics() const { return {steps, numOps}; }

  // Diagnostics -----------------------------------------------------------------------------------

  /// Reports at a place of the current frame, with notes for the chain of calls. Inside the
  /// library the error moves to the call in the user's file. Returns failure.
  LogicalResult error(SourceRange range, const llvm::Twine &message);
  /// As error, but hands out the diagnostic for notes.
  Diagnostic &report(Severity severity, SourceRange range, const llvm::Twine &message,
                     llvm::StringRef category = "");
  /// Reports the warning of that name, once for each place; null where there is nothing to report:
  /// warnings are off, the place is in the library.
  Diagnostic *warn(llvm::StringRef name, SourceRange range, const llvm::Twine &message);
  /// Reports that a name is unknown, with the nearest candidate.
  LogicalResult errorUnknown(SourceRange range, const llvm::Twine &message, llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> candidates);
  /// Reports that a value is no operand of arithmetic.
  virtual LogicalResult errorNoOperand(const Value &value, SourceRange range);

  // The place -------------------------------------------------------------------------------------

  /// The IR location of what is being evaluated.
  mlir::Location getLocation();
  /// The file that the code is from; null before there is any.
  const SourceModule *getModule() const;
  bool isInLibrary() const { return getModule() && getModule()->isLibrary; }
  /// Whether this is compile-time code.
  bool keepsConstants() const;
  /// Evaluations around this one, which is tried aside then.
  unsigned getAsideDepth() const { return asideDepth; }

  // Budgets ---------------------------------------------------------------------------------------

  /// Counts what is done in one go with many elements, or with characters in place of elements, as
  /// steps of the state.
  void charge(size_t elements) { steps += elements / 4; }
  /// The same for the search of a text in another one.
  void chargeSearch(size_t size, size_t other) { charge((size + other) / 4 + size * other / 2048); }
  /// Counts an emitted operation, as several when it has several results; past the budget the
  /// compilation is aborted at the next step.
  void countOp(unsigned results);

  // Compile-time values ---------------------------------------------------------------------------

  /// Compile-time values of a tuple or single value as integers (shapes, axes).
  FailureOr<llvm::SmallVector<int64_t>> toIntegers(const Value &value, SourceRange range,
                                                   const llvm::Twine &what);
  FailureOr<int64_t> toInteger(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<bool> toBool(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<std::string> toString(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<DType> toDType(const Value &value, SourceRange range, const llvm::Twine &what);
  /// The type a number takes when nothing else decides (int32 ..., fp32 or fp64).
  FailureOr<DType> getDefaultType(const Constant &number, SourceRange range);
  /// What was folded, or its error.
  FailureOr<Value> toValue(const FoldResult &folded, SourceRange range);
  /// What a key of a dict or an element of a set is looked up by.
  FailureOr<std::string> toDictKey(const Value &value, SourceRange range,
                                   const llvm::Twine &what = "the key of a dict");
  /// The value of a key, or null.
  FailureOr<const Value *> findInDict(const DictValue &dict, const Value &key, SourceRange range);
  FailureOr<bool> isInSet(const SetValue &set, const Value &element, SourceRange range);
  /// The elements of a compile-time iterable (tuple, constant range), or failure.
  FailureOr<std::vector<Value>> enumerateIterable(const Value &iterable, SourceRange range);
  /// A tuple, or an error when it is too large.
  FailureOr<Value> makeTuple(std::vector<Value> elements, SourceRange range);

protected:
  ~Evaluation();

  bool isAborted() const { return aborted || diagnostics.isErrorLimitReached(); }
  /// Counts evaluation steps and nesting; false once a budget is used up (and reported).
  bool enter(SourceRange range);
  /// Notes that the body of the kernel begins.
  void beginBody() { stepsBeforeBody = steps; }
  /// Tells the observer, if there is one, unless in the library or aside.
  void observe(SourceRange range, const Value &value);

  mlir::MLIRContext &context;
  SourceManager &sources;
  const IRGenOptions &options;
  DiagnosticEngine &diagnostics;
  /// The activation that is being evaluated, or null.
  Frame *frame = nullptr;
  /// Place of the innermost construct being evaluated.
  SourceRange current;
  unsigned nesting = 0;
  bool aborted = false;

private:
  uint64_t steps = 0;
  /// Steps before the body of the kernel, which the text of its constants takes.
  std::optional<uint64_t> stepsBeforeBody;
  uint64_t numOps = 0;
  /// The one that tries something aside with this one, or null.
  Evaluation *const outer = nullptr;
  unsigned asideDepth = 0;
  /// Warnings that have been given.
  std::set<std::tuple<FileId, uint32_t, std::string>> warned;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_EVALUATION_H
