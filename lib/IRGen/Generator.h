// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specialising evaluator. It walks the syntax tree of a kernel once, folds what is known at
// compile time and emits operations for the rest. One object serves one compilation; its members
// are implemented by subject in the files of this folder:
//
//   Generator.cpp        frames, locations, diagnostics
//   Kernel.cpp           entry, arguments
//   KernelTuples.cpp     tuples as arguments
//   Autotune.cpp         configurations and heuristics
//   Names.cpp            name lookup, modules
//   Imports.cpp          modules from files
//   HostFacts.cpp        what is known of the host
//   Expressions.cpp      literals, tuples, f-strings
//   Collections.cpp      dicts, sets, comprehensions
//   Operators.cpp        arithmetic and comparison
//   CollectionChanges.cpp methods that change lists, dicts and sets
//   OverflowChecks.cpp   integers that overflow, in debug builds
//   ObjectOperators.cpp  operators of aggregates
//   LogicalOps.cpp       and, or, not, conditional
//   Promotion.cpp        result types, broadcasting
//   Casts.cpp            conversions, constants
//   Attributes.cpp       attributes and methods
//   Subscript.cpp        indexing
//   Classes.cpp          named tuples and aggregates
//   Calls.cpp            functions, arguments
//   Statements.cpp       assignments, simple statements
//   Branches.cpp         if and early return
//   JoinedBranches.cpp   branches that may be left, with one copy of what follows
//   Loops.cpp            for
//   WhileLoops.cpp       while
//   LoopExits.cpp        break and return in loops
//   Trial.cpp            what is tried aside
//   Warnings.cpp         warnings of types and values
//   Builtins*.cpp        operations of the language

#ifndef TILEC_LIB_IRGEN_GENERATOR_H
#define TILEC_LIB_IRGEN_GENERATOR_H

#include "Builtins.h"
#include "SourceModule.h"
#include "Value.h"

#include "dialects/Tile/TileOps.h"
#include "tilec/IRGen/IRGen.h"
#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Syntax/AssignedNames.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tilec::irgen {

using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

/// The variables of a function, by name.
using Variables = llvm::DenseMap<llvm::StringRef, Value>;

/// How an iteration of a loop ends. The flags are compile-time bools, or int1 at run time.
struct LoopExit {
  /// Whether `break` was reached.
  Value broke = Value::boolean(false);
  /// Whether `return` was reached.
  Value returned = Value::boolean(false);
  /// Whether `continue` was reached; in a joined branch only, loops need not know.
  Value continued = Value::boolean(false);
  /// What was returned, where `returned` may be true.
  Value result;
};

/// The innermost loop around a statement, for `break`, `continue` and `return`; or a joined branch,
/// which is left like an iteration.
struct LoopContext {
  /// Names that the body assigns.
  const ast::NameSet *assigned = nullptr;
  /// How this iteration ends, as far as it has been executed.
  LoopExit exit;
  /// A joined branch, in `around`, which may be null.
  bool isJoined = false;
  LoopContext *around = nullptr;
  /// Names of which only the value at a `break` counts; or null.
  const ast::NameSet *breakNames = nullptr;
  /// Names that have no value where a joined branch was left by `break` or `continue`.
  ast::NameSet withoutValue;

  /// Whether there is a loop to leave.
  bool isInLoop() const { return !isJoined || (around && around->isInLoop()); }
};

/// A statement that runs code under a condition, for messages.
struct BranchSite {
  /// The statement, and its first line.
  SourceRange range, headerRange;
  bool isLoop = false;
};

/// One activation of a function.
struct Frame {
  /// Null for lambdas and module-level expressions.
  const ast::FunctionDef *function = nullptr;
  const SourceModule *module = nullptr;
  /// The host function around the code, whose names are visible; null at module level.
  const ast::FunctionDef *around = nullptr;
  /// Where this activation was called, in the caller's file.
  SourceRange callSite;
  const Frame *caller = nullptr;
  /// Location of the call in the IR; null in the kernel.
  mlir::LocationAttr callLocation;
  unsigned depth = 0;

  Variables variables;
  /// Names declared `: tl.constexpr`; their values do not decay to runtime ones.
  llvm::DenseSet<llvm::StringRef> constexprNames;
  /// Loops around this place of the activation that are not unrolled.
  unsigned runtimeLoops = 0;
  /// Variables that the body of a loop has just given another type, before it reads them; they
  /// have no value behind it.
  std::vector<std::pair<llvm::StringRef, std::string>> retyped;
  /// Set when a `return` was executed.
  Value returnValue;
  bool isKernel = false;
  /// Compile-time code (module level, constexpr functions): assigned numbers do not decay.
  bool keepsConstants = false;
  /// In `__init__` the parameter that is being filled; empty elsewhere.
  llvm::StringRef constructed;
  /// The activation of a lambda.
  bool isLambda = false;
  /// Of a function inside of a function: what its parameters are by default.
  const std::vector<std::pair<std::string, Value>> *defaults = nullptr;
  /// Names this activation for the functions that are defined in it; 0 when there are none.
  uint64_t id = 0;
  /// The innermost loop around the current statement in this activation, or null.
  LoopContext *loop = nullptr;
  /// Branches around this place that have what follows them in both of their arms.
  unsigned copies = 0;
  /// Branches around this place that have what follows them inside.
  unsigned leaving = 0;
};

/// The files that a compilation reads, shared by an evaluator and those that try things aside.
struct ImportedModules {
  /// Set when the caller gave no loader.
  std::unique_ptr<ModuleLoader> ownLoader;
  ModuleLoader *loader = nullptr;
  llvm::StringMap<std::unique_ptr<SourceModule>> files;
  /// The names in the bodies of host functions that have kernels inside, and of classes.
  llvm::DenseMap<const ast::Stmt *, std::unique_ptr<ModuleScope>> bodies;
  /// What module-level conditions were found to be, and whether candidates for a name can be
  /// evaluated, with the number of evaluators around the one that found it: conditions that ask for
  /// names with conditions would be evaluated again and again.
  llvm::DenseMap<const ast::Expr *, std::pair<unsigned, std::optional<bool>>> conditions;
  llvm::DenseMap<const ModuleBinding *, std::pair<unsigned, bool>> evaluable;
};

/// The innermost function around a definition, classes skipped; null at module level.
const ast::FunctionDef *getFunctionAround(const ast::FunctionDef &function);

/// Whether a class is decorated as an aggregate.
bool isAggregateClass(const ast::ClassDef &classDef);

/// How a statement ended: after Break and Continue the rest of the loop's body has been dealt with
/// and the loop's context knows whether it was left.
enum class Flow {
  Next,
  Return,
  Break,
  Continue,
};

/// The statements that follow a block when it runs to its end: needed where an early return makes
/// the rest of the function part of a branch.
struct Continuation {
  ast::Block rest;
  const Continuation *next = nullptr;
};

/// A block under construction that becomes the body of a region once the op around it can be made.
/// Thrown away with its operations when that never happens.
class DetachedBlock {
public:
  DetachedBlock() : block(new mlir::Block) {}
  ~DetachedBlock() {
    if (!block)
      return;
    block->dropAllReferences();
    block->dropAllDefinedValueUses();
    delete block;
  }
  DetachedBlock(const DetachedBlock &) = delete;
  DetachedBlock &operator=(const DetachedBlock &) = delete;

  mlir::Block *get() { return block; }
  /// Hands the block over to a region.
  void moveTo(mlir::Region &region) {
    region.push_back(block);
    block = nullptr;
  }

private:
  mlir::Block *block;
};

class Generator {
public:
  Generator(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
            const IRGenOptions &irgenOptions, DiagnosticEngine &engine);
  /// An evaluator to try something aside, on its parent's budget.
  Generator(Generator &around, DiagnosticEngine &aside);
  ~Generator();

  // Diagnostics -----------------------------------------------------------------------------------

  /// Reports at a place of the current frame, with notes for the chain of calls. Inside the
  /// library the error moves to the call in the user's file. Returns failure.
  LogicalResult error(SourceRange range, const llvm::Twine &message);
  /// Reports that a value is no operand of arithmetic.
  LogicalResult errorNoOperand(const Value &value, SourceRange range);
  /// As error, but hands out the diagnostic for notes.
  Diagnostic &report(Severity severity, SourceRange range, const llvm::Twine &message,
                     llvm::StringRef category = "");
  /// Reports the warning of that name, once for each place; null where there is nothing to report:
  /// warnings are off, the place is in the library.
  Diagnostic *warn(llvm::StringRef name, SourceRange range, const llvm::Twine &message);
  /// Reports that a name is unknown, with the nearest candidate.
  LogicalResult errorUnknown(SourceRange range, const llvm::Twine &message, llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> candidates);
  bool isAborted() const { return aborted || diagnostics.isErrorLimitReached(); }

  // Emission --------------------------------------------------------------------------------------

  mlir::OpBuilder &getBuilder() { return builder; }
  const IRGenOptions &getOptions() const { return options; }
  int getNumWarps() const { return kernelWarps; }
  SourceManager &getSources() { return sources; }
  DiagnosticEngine &getDiagnostics() { return diagnostics; }
  Frame &getFrame() { return *frame; }
  /// The IR location of what is being evaluated.
  mlir::Location getLocation();
  template <typename OpT, typename... Args> OpT create(Args &&...args) {
    OpT op = OpT::create(builder, getLocation(), std::forward<Args>(args)...);
    countOp(op->getNumResults());
    return op;
  }
  /// The MLIR type of a language type.
  mlir::Type lower(const Type &type);
  /// An op with one result, wrapped with its language type.
  template <typename OpT, typename... Args> Value emit(const Type &type, Args &&...args) {
    return Value::runtime(create<OpT>(std::forward<Args>(args)...)->getResult(0), type);
  }

  // Expressions -----------------------------------------------------------------------------------

  FailureOr<Value> evaluate(const ast::Expr *expr);

  /// A runtime value for a number, or the value itself; `None`, strings and the like are errors.
  FailureOr<Value> toRuntime(const Value &value, SourceRange range);
  /// Compile-time values of a tuple or single value as integers (shapes, axes).
  FailureOr<llvm::SmallVector<int64_t>> toIntegers(const Value &value, SourceRange range,
                                                   const llvm::Twine &what);
  FailureOr<int64_t> toInteger(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<bool> toBool(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<std::string> toString(const Value &value, SourceRange range, const llvm::Twine &what);
  FailureOr<DType> toDType(const Value &value, SourceRange range, const llvm::Twine &what);
  /// What a key of a dict or an element of a set is looked up by.
  FailureOr<std::string> toDictKey(const Value &value, SourceRange range,
                                   const llvm::Twine &what = "the key of a dict");
  /// The value of a key, or null.
  FailureOr<const Value *> findInDict(const DictValue &dict, const Value &key, SourceRange range);
  FailureOr<bool> isInSet(const SetValue &set, const Value &element, SourceRange range);
  /// Block dimensions: powers of two, at most 2^20 elements.
  LogicalResult checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range);

  // Operators -------------------------------------------------------------------------------------

  /// Of the program's own operations a debug build checks the results (`isChecked`); there is
  /// nothing to check about addresses that the compiler makes.
  FailureOr<Value> binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range,
                          bool isChecked = false);
  FailureOr<Value> unary(ast::UnaryOp op, const Value &operand, SourceRange range);
  FailureOr<Value> compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                           SourceRange range);
  /// Comparison of two runtime values of the same type.
  Value emitCompare(ast::CompareOp op, const Value &lhs, const Value &rhs);
  /// In a debug build, has the kernel stop where the integer `result` of an operation is not what
  /// it is in 64 bits. Not in the language's library and in combine functions.
  void checkOverflow(ast::BinaryOp op, const Value &lhs, const Value &rhs, const Value &result);
  /// The assertion of such a check; `exact` is the result in 64 bits.
  void assertExact(ast::BinaryOp op, const Value &result, const Value &exact);
  /// Elementwise logical operations through int1.
  FailureOr<Value> logical(ast::BoolOpKind op, const Value &lhs, const Value &rhs,
                           SourceRange range);
  FailureOr<Value> logicalNot(const Value &operand, SourceRange range);

  // Types -----------------------------------------------------------------------------------------

  /// The type that arithmetic computes in (rules 1 to 7), or nothing after an error.
  FailureOr<DType> promote(DType lhs, DType rhs, bool isDivision, SourceRange range);
  /// Integer promotion alone (rule 7).
  static DType promoteInts(DType lhs, DType rhs);
  /// The type a number takes when nothing else decides (int32 ..., fp32 or fp64).
  FailureOr<DType> getDefaultType(const Constant &number, SourceRange range);
  /// Turns two operands into runtime values of one element type; numbers take the other operand's
  /// type where rule 0 says so and `relaxed` is set.
  LogicalResult unifyElements(Value &lhs, Value &rhs, bool relaxed, bool isDivision,
                              SourceRange range);
  /// Broadcasts runtime values against each other.
  LogicalResult unifyShapes(llvm::MutableArrayRef<Value> values, SourceRange range);
  /// Broadcasts a runtime value to a shape.
  FailureOr<Value> broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape,
                               SourceRange range);
  /// Converts numbers and runtime values to an element type.
  FailureOr<Value> cast(const Value &value, DType type, SourceRange range,
                        tile::RoundingMode rounding = tile::RoundingMode::rtne);
  FailureOr<Value> bitcast(const Value &value, DType type, SourceRange range);
  /// A scalar constant of a type; errors when the number does not fit.
  FailureOr<Value> makeConstant(const Constant &number, DType type, SourceRange range);
  /// A constant scalar or block with every element zero.
  Value makeZero(const Type &type);
  /// A block filled with a scalar.
  Value splat(const Value &scalar, llvm::ArrayRef<int64_t> shape);
  /// The condition of an "if" or a "while": a compile-time bool or a scalar int1.
  FailureOr<Value> evaluateCondition(const ast::Expr *expr, llvm::StringRef what);

  // Calls -----------------------------------------------------------------------------------------

  /// The keyword is empty for positional arguments.
  using CallArg = KeywordValue;
  FailureOr<Value> call(const Value &callee, llvm::ArrayRef<CallArg> args, SourceRange range);
  /// Calls a method that the class of an aggregate has; nothing where it has none of that name, or
  /// where the value is no such object.
  std::optional<FailureOr<Value>> callMethod(const Value &object, llvm::StringRef name,
                                             llvm::ArrayRef<CallArg> args, SourceRange range);
  FailureOr<Value> getAttribute(const Value &base, llvm::StringRef name, SourceRange range);
  /// Whether getAttribute would succeed, as a compile-time bool.
  Value hasAttribute(const Value &base, llvm::StringRef name);
  /// A member of a module path, e.g. ("triton.language", "load").
  FailureOr<Value> getModuleMember(llvm::StringRef path, llvm::StringRef name, SourceRange range);
  /// A function of TorchInductor's module triton_helpers, from the library.
  FailureOr<Value> getInductorHelper(llvm::StringRef name, SourceRange range);
  FailureOr<Value> subscript(const Value &base, const ast::Subscript &expr);
  /// An aggregate or named tuple like `object` but for some fields.
  FailureOr<Value> replaceFields(const Value &object, llvm::ArrayRef<CallArg> changes,
                                 SourceRange range);

  // Shape operations that several constructs use --------------------------------------------------

  Value expandDims(const Value &value, int64_t axis);
  FailureOr<Value> reshape(const Value &value, llvm::ArrayRef<int64_t> shape, bool allowReorder,
                           SourceRange range);
  Value permute(const Value &value, llvm::ArrayRef<int32_t> order);
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank, SourceRange range);

  // Entry -----------------------------------------------------------------------------------------

  mlir::OwningOpRef<mlir::ModuleOp> generate(const ast::Module &module);
  IRGenStatistics getStatistics() const { return {steps, numOps}; }
  std::vector<KernelInfo> listKernels(const ast::Module &module, bool hidden);
  /// Nothing after errors.
  FailureOr<std::vector<AutotuneConfig>>
  pruneConfigs(const ast::Module &module, llvm::StringRef kernel,
               llvm::ArrayRef<std::pair<std::string, int64_t>> integers);
  /// The elements of a compile-time iterable (tuple, constant range), or failure.
  FailureOr<std::vector<Value>> enumerateIterable(const Value &iterable, SourceRange range);
  /// A tuple, or an error when it is too large.
  FailureOr<Value> makeTuple(std::vector<Value> elements, SourceRange range);
  /// Counts what is done in one go with many elements, or with characters in place of elements, as
  /// steps of the evaluation.
  void charge(size_t elements) { steps += elements / 4; }
  /// The same for the search of a text in another one.
  void chargeSearch(size_t size, size_t other) { charge((size + other) / 4 + size * other / 2048); }

private:
  friend class Trial;

  // Expressions.cpp, Names.cpp
  FailureOr<Value> evaluateImpl(const ast::Expr *expr);
  FailureOr<Value> evaluateName(const ast::Name &name);
  FailureOr<Value> evaluateFString(const ast::FString &string);
  FailureOr<Value> evaluateElements(llvm::ArrayRef<ast::Expr *> elements);
  FailureOr<Value> evaluateDict(const ast::Dict &dict);
  FailureOr<Value> evaluateSet(const ast::Set &set);
  FailureOr<Value> evaluateComprehension(const ast::Comprehension &comprehension);
  /// Calls `addElement` for every assignment of the targets that passes the conditions.
  LogicalResult expandClauses(const ast::Comprehension &comprehension, unsigned clause,
                              llvm::function_ref<LogicalResult()> addElement);
  /// Whether a slice takes all of a dimension: its bounds are left out or None.
  FailureOr<bool> isFullSlice(const ast::Slice &slice);
  FailureOr<Value> subscriptBlock(const Value &value, const ast::Subscript &expr);
  FailureOr<Value> evaluateBoolOp(const ast::BoolOp &expr);
  FailureOr<Value> evaluateCompare(const ast::Compare &expr);
  FailureOr<Value> evaluateConditional(const ast::Conditional &expr);
  FailureOr<Value> evaluateCall(const ast::Call &expr);
  FailureOr<Value> lookup(const SourceModule &module, llvm::StringRef name, SourceRange range,
                          bool &found);
  /// The same without the names that every module has.
  FailureOr<Value> lookupMember(const SourceModule &module, llvm::StringRef name, SourceRange range,
                                bool &found);
  /// In the bodies of the host functions around a kernel.
  FailureOr<Value> lookupAround(const SourceModule &module, llvm::StringRef name, SourceRange range,
                                bool &found);
  FailureOr<Value> evaluateBindings(const SourceModule &module, const ModuleScope &scope,
                                    llvm::StringRef name, SourceRange range);
  FailureOr<Value> evaluateBinding(const SourceModule &module, const ModuleBinding &binding,
                                   llvm::StringRef name, SourceRange range,
                                   const ast::FunctionDef *around = nullptr);
  std::vector<llvm::StringRef> getVisibleNames();

  // Imports.cpp
  /// Which of several bindings counts: the last one whose guards hold.
  const ModuleBinding &selectBinding(const SourceModule &module,
                                     llvm::ArrayRef<ModuleBinding> candidates,
                                     llvm::StringRef name);
  /// Whether a host condition holds, where that can be known.
  std::optional<bool> evaluateCondition(const SourceModule &module, const ast::Expr *expr);
  enum class GuardState { Holds, MayHold, MayFail, Fails };
  /// Whether the guards hold; MayHold and MayFail where a condition is not known. A handler of a
  /// `try` may fail.
  GuardState checkGuards(const SourceModule &module, const ModuleBinding &binding);
  bool canEvaluate(const SourceModule &module, const ModuleBinding &binding, llvm::StringRef name);
  FailureOr<Value> importMember(const SourceModule &module, const ModuleBinding &binding,
                                llvm::StringRef name, SourceRange range);
  FailureOr<Value> importModule(const SourceModule &module, const ModuleBinding &binding,
                                SourceRange range);
  FailureOr<Value> lookupStarImports(const SourceModule &module, llvm::StringRef name,
                                     SourceRange range, bool &found);
  FailureOr<Value> getFileMember(const ModuleValue &module, llvm::StringRef name,
                                 SourceRange range);
  /// The module that was found; poison when its file cannot be used, which is reported.
  FailureOr<Value> openModule(const FoundModule &found, llvm::StringRef path, SourceRange range);
  LogicalResult errorMissingModule(const SourceModule &module, llvm::StringRef path,
                                   llvm::StringRef name, SourceRange range);
  /// Reports the use of something of the host, or of a module that is imported and not found.
  LogicalResult errorHostValue(llvm::StringRef path, SourceRange range);
  LogicalResult checkShadow(const SourceModule &module, SourceRange range);
  /// Says of which star imports a name may come that was not found.
  void noteMissingStars(const SourceModule &module, Diagnostic &diagnostic);
  std::string describeRoots(const SourceModule &module, llvm::StringRef path);

  // HostFacts.cpp
  /// What is known of a name of the host's world ("torch.version.hip"), if anything.
  std::optional<Value> getHostFact(llvm::StringRef path);
  /// What a module that is not found most likely has under that name: a module of the language.
  static std::optional<Value> guessModule(llvm::StringRef path, llvm::StringRef member);
  /// Parses the body of a host function, for compile-time code that calls it.
  bool parseHostBody(const SourceModule &module, const ast::FunctionDef &function);
  FailureOr<Value> callHost(const ModuleValue &callee, llvm::ArrayRef<CallArg> args,
                            SourceRange range);
  /// The module of a name that module-level code looks up; None when there is none.
  FailureOr<Value> findModule(llvm::StringRef name, SourceRange range);
  /// Functions of `importlib`, by which projects look for modules of the language.
  FailureOr<Value> callImportlib(llvm::StringRef path, llvm::ArrayRef<CallArg> args,
                                 SourceRange range);
  /// The answer of a function that is known by its name ("is_hip"), if it is.
  std::optional<bool> answerHostPredicate(llvm::StringRef path) const;

  // Operators.cpp
  FailureOr<Value> pointerArithmetic(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                     SourceRange range);
  FailureOr<Value> emitArithmetic(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  FailureOr<Value> compareTuples(ast::CompareOp op, llvm::ArrayRef<Value> lhs,
                                 llvm::ArrayRef<Value> rhs, SourceRange range);
  FailureOr<Value> compareDicts(ast::CompareOp op, const DictValue &lhs, const DictValue &rhs,
                                SourceRange range);
  FailureOr<Value> tupleArithmetic(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range);

  // Casts.cpp
  FailureOr<Value> castNumber(const Value &value, DType type, SourceRange range,
                              tile::RoundingMode rounding);
  FailureOr<Value> castLegacyFloat8(const Value &value, DType type, SourceRange range);
  FailureOr<Value> castPointer(const Value &value, DType type, SourceRange range);

  // Statements.cpp
  Flow execute(ast::Block block, const Continuation *next);
  /// Executes one statement; failure means that it was reported.
  FailureOr<Flow> executeStmt(const ast::Stmt *stmt, const Continuation *next);
  // CollectionChanges.cpp
  /// `name.append(x)` and its like, of a list, set or dict in compile-time code; nothing for other
  /// expressions.
  std::optional<LogicalResult> executeChange(const ast::Expr *expr);
  /// `base[i] = value` in compile-time code.
  LogicalResult assignElement(const ast::Subscript &target, const Value &value, SourceRange range);
  // Statements.cpp
  FailureOr<Flow> executeReturn(const ast::Return &stmt);
  FailureOr<Flow> executeRaise(const ast::Raise &stmt);
  FailureOr<Flow> executeWith(const ast::With &stmt, const Continuation *next);
  FailureOr<Flow> executeTry(const ast::Try &stmt, const Continuation *next);
  LogicalResult executeDelete(const ast::Delete &stmt);
  LogicalResult executeAssign(const ast::Assign &stmt);
  LogicalResult executeAnnAssign(const ast::AnnAssign &stmt);
  LogicalResult executeAugAssign(const ast::AugAssign &stmt);
  LogicalResult executeAssert(const ast::Assert &stmt);
  FailureOr<std::string> evaluateAssertMessage(const ast::Assert &stmt);
  LogicalResult assign(const ast::Expr *target, const Value &value, SourceRange range);
  /// The value that a plain assignment stores: numbers become runtime scalars.
  FailureOr<Value> decay(const Value &value, SourceRange range);
  void poison(const ast::NameSet &names);

  // Branches.cpp
  FailureOr<Flow> executeIf(const ast::If &stmt, const Continuation *next);
  void executeRuntimeIf(const ast::If &stmt, mlir::Value condition);
  /// Emits the beginning of an arm; what follows it is up to the caller.
  using ArmEmitter = llvm::function_ref<Flow()>;
  /// A branch that may leave the iteration: both arms run to the end of the loop's body.
  FailureOr<Flow> executeEscapingBranch(const BranchSite &site, mlir::Value condition,
                                        const Continuation *next, ArmEmitter emitThen,
                                        ArmEmitter emitElse);
  /// A branch outside of loops that may return: both arms run to the end of the function.
  /// Gives a branch where the function ends without a value one of the type of `other`, the other
  /// branch's, with a warning.
  LogicalResult fillMissingResult(Value &missing, DetachedBlock &block, const Value &other,
                                  const BranchSite &site);
  FailureOr<Flow> executeReturningBranch(const BranchSite &site, mlir::Value condition,
                                         const Continuation *next, ArmEmitter emitThen,
                                         ArmEmitter emitElse);
  /// One of the two above, whichever fits the place.
  FailureOr<Flow> executeLeavingBranch(const BranchSite &site, mlir::Value condition,
                                       const Continuation *next, ArmEmitter emitThen,
                                       ArmEmitter emitElse);
  /// A branch of whose arms several parts may be left and others reach the end: what follows comes
  /// once, under the condition that nothing was left. The arms run to their ends only.
  FailureOr<Flow> executeJoinedBranch(const ast::If &stmt, mlir::Value condition,
                                      const Continuation *next);
  /// Executes statements that may be left as one that is joined: deep inside of branches with what
  /// follows them the first half of what remains, so that depth grows with the logarithm only.
  FailureOr<Flow> executeJoinedPart(ast::Block part, const Continuation *next);
  /// The number of statements at the beginning of a block that are better executed so; 0 without.
  size_t findJoinedPart(ast::Block block) const;
  /// Goes on behind what was joined, and returns, breaks or continues where it was left.
  FailureOr<Flow> leaveJoined(const LoopContext &joined, const BranchSite &site,
                              const Continuation *next);
  /// Emits both arms and merges the variables among `names`; with a loop also its exit.
  void emitBranches(const BranchSite &site, mlir::Value condition, const ast::NameSet &names,
                    LoopContext *loop, llvm::function_ref<void()> emitThen,
                    llvm::function_ref<void()> emitElse);
  /// Decides what a variable is after a branch that left it as `thenValue` or `elseValue`.
  LogicalResult mergeVariable(llvm::StringRef name, const BranchSite &site, bool existed,
                              Value &thenValue, DetachedBlock &thenBlock, Value &elseValue,
                              DetachedBlock &elseBlock, bool &isMerged);
  /// In a joined branch an arm that was left has no say in the variables of the other. Gives an arm
  /// that was left for certain a value in place of one that it does not have, or that nobody reads;
  /// returns whether there is nothing to merge.
  bool fillLeftArm(llvm::StringRef name, const BranchSite &site, LoopContext &loop,
                   const LoopExit &exit, DetachedBlock &block, Variables &variables,
                   const Variables &others);
  /// Gives an arm that does not break a value in place of one that counts at a `break` only.
  void fillUnbrokenArm(llvm::StringRef name, const BranchSite &site, const LoopExit &exit,
                       DetachedBlock &block, Variables &variables, const Variables &others);
  /// Brings the exits of two arms to one structure: what only one of them returns gets a
  /// placeholder in the other.
  LogicalResult mergeExits(const BranchSite &site, LoopExit &thenExit, DetachedBlock &thenBlock,
                           LoopExit &elseExit, DetachedBlock &elseBlock);
  /// Makes an `scf.if` of two emitted blocks that end in values of the same type, and returns its
  /// results in their structure.
  Value finishIf(mlir::Value condition, DetachedBlock &thenBlock, DetachedBlock &elseBlock,
                 const Value &thenValue, const Value &elseValue);
  /// Brings the values of two branches to one type: numbers become runtime values at the end of
  /// their block where the other side is one. `what` names them in the error.
  LogicalResult unifyResults(Value &lhs, mlir::Block *lhsBlock, Value &rhs, mlir::Block *rhsBlock,
                             const llvm::Twine &what, SourceRange range);

  // Loops.cpp
  FailureOr<Flow> executeFor(const ast::For &stmt, const Continuation *next);
  FailureOr<Flow> executeStaticFor(const ast::For &stmt, llvm::ArrayRef<Value> values,
                                   const Continuation *next);
  FailureOr<Flow> executeRuntimeFor(const ast::For &stmt, const RangeValue &range,
                                    const Continuation *next);
  /// Bounds of a runtime loop in its one integer type; a negative step has been turned around.
  struct LoopBounds {
    mlir::Value lower, upper, step;
    DType type;
    bool descending = false;
  };
  FailureOr<LoopBounds> getLoopBounds(const ast::For &stmt, const RangeValue &range);
  void setLoopOptions(mlir::Operation *loop, const RangeValue &range);
  /// The value of the loop variable for a counter that ascends.
  Value getLoopVariable(const LoopBounds &bounds, mlir::Value counter);
  /// Emits a body into the builder's block and returns the values it hands to the next iteration,
  /// and how the iteration ends.
  LogicalResult emitLoopBody(ast::Block body, const ast::NameSet &assigned,
                             llvm::ArrayRef<llvm::StringRef> carried, const Variables &before,
                             llvm::SmallVectorImpl<mlir::Value> &leaves, LoopExit &exit,
                             SourceRange range, const ast::NameSet *breakNames = nullptr);
  mlir::ValueRange emitFor(const ast::For &stmt, const LoopBounds &bounds, const RangeValue &range,
                           const ast::NameSet &assigned, llvm::ArrayRef<llvm::StringRef> carried,
                           const Variables &before, llvm::ArrayRef<mlir::Value> inits,
                           LogicalResult &result);
  /// The same for a loop that may be left, which becomes an scf.while. `exit` is how it was left.
  mlir::ValueRange emitLeavingFor(const ast::For &stmt, const LoopBounds &bounds,
                                  const RangeValue &range, const ast::NameSet &assigned,
                                  llvm::ArrayRef<llvm::StringRef> carried, const Variables &before,
                                  llvm::ArrayRef<mlir::Value> inits, LoopExit &exit,
                                  LogicalResult &result);
  /// The loop of two blocks: `test` ends with the condition and what it hands to `body`, which ends
  /// with what the next iteration begins with.
  mlir::scf::WhileOp finishWhile(mlir::ValueRange inits, DetachedBlock &test, mlir::Value condition,
                                 mlir::ValueRange forwarded, DetachedBlock &body,
                                 mlir::ValueRange leaves);
  FailureOr<Flow> executeStaticWhile(const ast::While &stmt, const Continuation *next);
  FailureOr<Flow> executeWhile(const ast::While &stmt, const Continuation *next);

  // LoopExits.cpp
  /// Whether an iteration was left for good, as a compile-time bool or int1.
  Value isLeft(const LoopExit &exit);
  /// Notes that `return` was reached with a value.
  void setReturned(const Value &value);
  /// Whether the next function can make one: not of tensor descriptors and bound methods.
  static bool hasPlaceholder(const Value &value);
  /// A value of the same structure in which program values are arbitrary ones.
  FailureOr<Value> makePlaceholder(const Value &value, SourceRange range);
  /// The flag that ends the loop, and what an iteration that may return hands on behind the
  /// variables: whether it did, and the value.
  LogicalResult collectExit(const LoopExit &exit, mlir::Value &left,
                            llvm::SmallVectorImpl<mlir::Value> &returned, SourceRange range);
  /// Makes room for that in both regions of a loop that is to be made here.
  LogicalResult carryReturn(const LoopExit &exit, mlir::Block *condition, mlir::Block *body,
                            llvm::SmallVectorImpl<mlir::Value> &inits,
                            llvm::SmallVectorImpl<mlir::Value> &forwarded, SourceRange range);
  /// How the loop was left, from its results behind the variables.
  LoopExit readReturn(const LoopExit &exit, mlir::ValueRange results);
  /// Goes on behind a loop: returns where the loop did.
  FailureOr<Flow> leaveLoop(const LoopExit &exit, const BranchSite &site, const Continuation *next);
  /// The variables a loop carries: assigned in it and defined before it.
  FailureOr<std::vector<llvm::StringRef>> findCarried(const ast::NameSet &assigned,
                                                      SourceRange range);
  /// What only the condition of a loop assigns is carried too where the loop may be left, because
  /// the last value is needed then: gives these names first values of their types.
  LogicalResult carryConditionNames(const ast::While &stmt, const ast::NameSet &names,
                                    std::vector<llvm::StringRef> &carried);
  /// What only the body of `while True` assigns, on every way to a `break`, and the code around it
  /// reads is carried too: gives these names first values of their types, and returns them.
  FailureOr<ast::NameSet> carryBreakValues(const ast::While &stmt, const ast::NameSet &assigned,
                                           std::vector<llvm::StringRef> &carried);
  /// The condition of a while loop in the builder's block, as a runtime or compile-time bool.
  /// It assigns `assigned`; `isAlways` tells whether only `broke` ends the loop.
  FailureOr<Value> emitWhileCondition(const ast::While &stmt, const ast::NameSet &assigned,
                                      mlir::Value broke, bool &isAlways);
  /// Values of the carried variables at the end of a loop body; those that it does not assign
  /// before it reads them must have kept their types.
  LogicalResult collectCarried(llvm::ArrayRef<llvm::StringRef> carried, const Variables &before,
                               ast::Block body, llvm::SmallVectorImpl<mlir::Value> &leaves,
                               SourceRange range);
  /// Gives the carried variables new program values with the structure they had before.
  void rebindCarried(llvm::ArrayRef<llvm::StringRef> carried, const Variables &before,
                     mlir::ValueRange values);
  void forgetLoopLocals(const ast::NameSet &assigned, llvm::ArrayRef<llvm::StringRef> carried,
                        SourceRange range);

  // Calls.cpp
  /// With `constructed` the first parameter may get its fields set, and is handed out.
  FailureOr<Value> callFunction(const FunctionValue &callee, llvm::ArrayRef<CallArg> args,
                                SourceRange range, Value *constructed = nullptr);
  FailureOr<Value> callPartial(const PartialValue &callee, llvm::ArrayRef<CallArg> args,
                               SourceRange range);
  FailureOr<Value> callLambda(const LambdaValue &callee, llvm::ArrayRef<CallArg> args,
                              SourceRange range);
  FailureOr<Value> callBuiltin(const BuiltinValue &callee, llvm::ArrayRef<CallArg> args,
                               SourceRange range);
  LogicalResult bindParams(llvm::ArrayRef<ast::Param> params, llvm::StringRef functionName,
                           llvm::ArrayRef<CallArg> args, SourceRange range, Frame &callee);

  // Classes.cpp
  FailureOr<Value> makeClass(const SourceModule &module, const ast::ClassDef &classDef);
  /// Makes a named tuple or an aggregate.
  FailureOr<Value> callClass(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                             SourceRange range);
  /// The fields of a named tuple or an aggregate from the arguments, and from their defaults.
  FailureOr<std::vector<Value>> bindFields(const ClassValue &type, llvm::ArrayRef<CallArg> args,
                                           SourceRange range);
  /// An object that the host made, from a tuple of its fields, by order or with names.
  FailureOr<Value> makeObject(const ClassValue &type, const Value &fields, SourceRange range);
  /// Makes an aggregate by way of its `__init__`.
  FailureOr<Value> initAggregate(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                                 SourceRange range);
  /// Checks that all fields are there and are what the class says.
  FailureOr<Value> finishAggregate(const FieldsPtr &fields, std::vector<Value> elements,
                                   SourceRange range);
  // ObjectOperators.cpp
  /// `a + b` by the methods of an aggregate among them.
  FailureOr<Value> binaryOnObjects(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range);
  /// `-a`; nothing where the class has no such method.
  std::optional<FailureOr<Value>> unaryOnObject(ast::UnaryOp op, const Value &operand,
                                                SourceRange range);
  /// `a < b`; nothing where neither class has such a method.
  std::optional<FailureOr<Value>> compareObjects(ast::CompareOp op, const Value &lhs,
                                                 const Value &rhs, SourceRange range);
  /// `a[i, j]`, whose index is a tuple then; slices are tuples with names.
  FailureOr<Value> subscriptObject(const Value &base, const ast::Subscript &expr);

  // Classes.cpp
  /// `self.x = value` in `__init__`.
  LogicalResult assignField(const ast::Attribute &target, const Value &value);
  static std::vector<llvm::StringRef> getFieldNames(const TupleFields &fields);
  /// A member of a named tuple or aggregate; `found` is false for other attributes of tuples.
  FailureOr<Value> getFieldOrMethod(const Value &object, llvm::StringRef name, SourceRange range,
                                    bool &found);
  const ModuleScope &getClassScope(const SourceModule &module, const ast::ClassDef &classDef);
  FailureOr<Value> getClassAttribute(const ClassValue &base, const Value &self,
                                     llvm::StringRef name, SourceRange range);

  // Attributes.cpp
  FailureOr<Value> getRuntimeAttribute(const RuntimeValue &base, const Value &self,
                                       llvm::StringRef name, SourceRange range);
  /// `kwargs` and the launch options of a triton.Config.
  FailureOr<Value> getConfigAttribute(const DictValue &config, const Value &self,
                                      llvm::StringRef name, SourceRange range);
  FailureOr<Value> getBlockAccessAttribute(const BlockAccessValue &base, const Value &self,
                                           llvm::StringRef name, SourceRange range);
  FailureOr<Value> getTypeAttribute(const Type &type, const Value &self, llvm::StringRef name,
                                    SourceRange range);
  FailureOr<Value> getMethod(const Value &self, llvm::StringRef name, SourceRange range);

  // Kernel.cpp, Autotune.cpp
  struct KernelBinding;
  /// One entry of @triton.heuristics: the parameter, and what computes it, as it stands or, where
  /// the dict is written elsewhere, evaluated.
  struct Heuristic {
    std::string name;
    const ast::Expr *expr = nullptr;
    Value function;
    SourceRange range;
  };
  FailureOr<std::vector<Heuristic>> getHeuristics(const SourceModule &module,
                                                  const ast::Call &decorator);
  LogicalResult bindKernelParams(const SourceModule &module, const ast::FunctionDef &kernel,
                                 KernelBinding &binding);
  /// Whether a parameter is a tuple, which is bound then.
  FailureOr<bool> bindTupleParam(const SourceModule &module, const ast::Param &param,
                                 KernelBinding &binding);
  FailureOr<Value> evaluateConstantText(const SourceModule &module, llvm::StringRef name,
                                        llvm::StringRef text);
  /// With `around`, the names in the body of that host function are visible too.
  FailureOr<Value> evaluateInModule(const SourceModule &module, const ast::Expr *expr,
                                    const ast::FunctionDef *around = nullptr);
  /// Computes a value in an activation of its own whose operations are thrown away; an error where
  /// the value is not known at compile time, which says what it is.
  FailureOr<Value> evaluateApart(Frame &inner, SourceRange range, const llvm::Twine &what,
                                 llvm::function_ref<FailureOr<Value>()> compute);
  void readDecorators(const SourceModule &module, const ast::FunctionDef &kernel, KernelInfo &info,
                      bool complain);
  LogicalResult readConfigs(const Value &configs, std::vector<AutotuneConfig> &list);
  void readPruning(const SourceModule &module, const ast::Expr *pruning, KernelInfo &info);
  /// The aggregate that an annotation names; nothing when it is something else.
  std::optional<ClassValue> findAggregate(const SourceModule &module, const ast::Expr *annotation);
  LogicalResult bindKernelParam(const SourceModule &module, const ast::FunctionDef &kernel,
                                const ast::Param &param, KernelBinding &binding);
  LogicalResult verifyResult(mlir::ModuleOp module, SourceRange range);
  void applyAutotune(const SourceModule &module, const KernelInfo &info, KernelBinding &binding,
                     llvm::ArrayRef<llvm::StringRef> params);
  FailureOr<Value> callForHeuristic(const Value &function, const Value &args, SourceRange range);
  LogicalResult runHeuristics(const SourceModule &module, const ast::FunctionDef &kernel,
                              KernelBinding &binding);

  /// Counts an emitted operation, as several when it has several results; past the budget the
  /// compilation is aborted at the next step.
  void countOp(unsigned results);
  /// Tells the observer, if there is one, unless in the library or aside.
  void observe(SourceRange range, const Value &value);
  /// Looks at the text of a function that is about to be emitted.
  void lint(const ast::FunctionDef &function, bool isKernel);
  /// Warns when the value of a call is computed for nothing.
  void checkDropped(const ast::Expr *expr, const Value &value);
  /// Warns when a comparison of runtime values cannot go both ways.
  void checkCompare(const ast::Expr *lhs, ast::CompareOp op, const ast::Expr *rhs,
                    const Value &left, const Value &right);
  /// Counts evaluation steps and nesting; false once a budget is used up (and reported).
  bool enter(SourceRange range);

  mlir::MLIRContext &context;
  SourceManager &sources;
  const IRGenOptions &options;
  DiagnosticEngine &diagnostics;
  mlir::OpBuilder builder;
  Frame *frame = nullptr;
  /// Place of the innermost construct being evaluated.
  SourceRange current;
  uint64_t steps = 0;
  /// Steps before the body of the kernel, which the text of its constants takes.
  std::optional<uint64_t> stepsBeforeBody;
  /// The one that tries something aside with this one, or null.
  Generator *const outerGenerator = nullptr;
  /// Warnings that have been given, and functions whose text has been looked at.
  std::set<std::tuple<FileId, uint32_t, std::string>> warned;
  std::set<const ast::FunctionDef *> linted;
  uint64_t numOps = 0;
  unsigned nesting = 0;
  bool aborted = false;
  uint64_t lastFrameId = 0;
  /// Warps of the kernel that is being compiled.
  int kernelWarps = 4;
  /// Evaluators around this one.
  unsigned asideDepth = 0;
  std::shared_ptr<ImportedModules> imported;
  /// Module-level names that have been evaluated, and those in evaluation.
  using GlobalName = std::pair<const ModuleScope *, std::string>;
  std::map<GlobalName, Value> globals;
  std::set<GlobalName> globalsInProgress;
  /// Choices of selectBinding, and those being made.
  std::map<const ModuleBinding *, const ModuleBinding *> selections;
  std::set<const ModuleBinding *> selectionsInProgress;
  bool checkedShadow = false;
  /// Keeps the trees of constant texts alive.
  std::vector<std::unique_ptr<ast::Module>> constantTrees;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_GENERATOR_H
