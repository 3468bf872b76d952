// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specialising evaluator. It walks the syntax tree of a kernel once, folds what is known at
// compile time and emits operations for the rest. It stands on three others, each in a header of
// its own with a list of its files:
//
//   Evaluation       where the walk is, what it may cost, what it reports; compile-time values
//   ModuleEvaluator  what names of modules mean, what is known of the host
//   Emitter          values and operations of the program
//
// The members of the walk are implemented by subject:
//
//   Generator.cpp         construction, code of modules
//   Kernel.cpp            entry; KernelBinding.h has what binds parameters
//   Expressions.cpp       literals, names, tuples, f-strings
//   Collections.cpp       dicts, sets, comprehensions
//   Operators.cpp         arithmetic and comparison
//   CollectionChanges.cpp methods that change lists, dicts and sets
//   ObjectOperators.cpp   operators of aggregates
//   LogicalOps.cpp        and, or, not, conditional
//   Attributes.cpp        attributes and methods
//   Subscript.cpp         indexing
//   Classes.cpp           named tuples and aggregates
//   Calls.cpp             functions, arguments
//   Statements.cpp        assignments, simple statements
//   Branches.cpp          if and early return
//   JoinedBranches.cpp    branches that may be left, with one copy of what follows
//   Loops.cpp             for
//   WhileLoops.cpp        while
//   LoopExits.cpp         break and return in loops
//   Trial.cpp             what is tried aside
//   Warnings.cpp          warnings of types and values
//   Builtins*.cpp         operations of the language

#ifndef TILEC_LIB_IRGEN_GENERATOR_H
#define TILEC_LIB_IRGEN_GENERATOR_H

#include "Emitter.h"
#include "Frame.h"
#include "ModuleEvaluator.h"

#include "llvm/Support/SaveAndRestore.h"

namespace tilec::irgen {

/// What a loop at run time counts, see Loops.cpp.
struct LoopBounds;

/// The walk over statements, expressions and calls of one compilation, and what the functions of
/// the language get to see: the evaluation and the emitter as its own members.
class Generator final : public Evaluation, public Emitter, private ExpressionEvaluator {
public:
  Generator(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
            const IRGenOptions &irgenOptions, DiagnosticEngine &engine);
  /// An evaluator to try something aside, on its parent's budget.
  Generator(Generator &around, DiagnosticEngine &aside);

  int getNumWarps() const { return kernelWarps; }
  ModuleEvaluator &getModules() { return modules; }
  LogicalResult errorNoOperand(const Value &value, SourceRange range) override;

  // Expressions -----------------------------------------------------------------------------------

  FailureOr<Value> evaluate(const ast::Expr *expr);
  FailureOr<Value> binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range,
                          bool isChecked = false);
  FailureOr<Value> unary(ast::UnaryOp op, const Value &operand, SourceRange range);
  FailureOr<Value> compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                           SourceRange range);
  /// The condition of an "if" or a "while": a compile-time bool or a scalar int1.
  FailureOr<Value> evaluateCondition(const ast::Expr *expr, llvm::StringRef what);

  // Code of modules -------------------------------------------------------------------------------

  FailureOr<Value> evaluateInModule(const SourceModule &module, const ast::Expr *expr,
                                    const ast::FunctionDef *around = nullptr) override;
  /// Computes a value in an activation of its own whose operations are thrown away; an error where
  /// the value is not known at compile time, which says what it is.
  FailureOr<Value> evaluateApart(Frame &inner, SourceRange range, const llvm::Twine &what,
                                 llvm::function_ref<FailureOr<Value>()> compute);

  // Calls -----------------------------------------------------------------------------------------

  FailureOr<Value> call(const Value &callee, llvm::ArrayRef<CallArg> args, SourceRange range);
  /// Calls a method that the class of an aggregate has; nothing where it has none of that name, or
  /// where the value is no such object.
  std::optional<FailureOr<Value>> callMethod(const Value &object, llvm::StringRef name,
                                             llvm::ArrayRef<CallArg> args, SourceRange range);
  FailureOr<Value> getAttribute(const Value &base, llvm::StringRef name, SourceRange range);
  /// Whether getAttribute would succeed, as a compile-time bool.
  Value hasAttribute(const Value &base, llvm::StringRef name);
  FailureOr<Value> subscript(const Value &base, const ast::Subscript &expr);
  /// An aggregate or named tuple like `object` but for some fields.
  FailureOr<Value> replaceFields(const Value &object, llvm::ArrayRef<CallArg> changes,
                                 SourceRange range);

  // Entry -----------------------------------------------------------------------------------------

  mlir::OwningOpRef<mlir::ModuleOp> generate(const ast::Module &module);

private:
  friend class Trial;

  // Trial.cpp
  FailureOr<Value>
  tryInModule(const SourceModule &module,
              llvm::function_ref<FailureOr<Value>(ModuleEvaluator &)> compute) override;

  // Expressions.cpp
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
  FailureOr<Value> evaluateBoolOp(const ast::BoolOp &expr);
  FailureOr<Value> evaluateCompare(const ast::Compare &expr);
  FailureOr<Value> evaluateConditional(const ast::Conditional &expr);
  std::vector<llvm::StringRef> getVisibleNames();
  FailureOr<Value> evaluateCall(const ast::Call &expr);

  // Statements.cpp
  Flow execute(ast::Block block, const Continuation *next);
  /// Executes one statement; failure means that it was reported.
  FailureOr<Flow> executeStmt(const ast::Stmt *stmt, const Continuation *next);
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
  void poison(const ast::NameSet &names);

  // CollectionChanges.cpp
  /// `name.append(x)` and its like, of a list, set or dict in compile-time code; nothing for other
  /// expressions.
  std::optional<LogicalResult> executeChange(const ast::Expr *expr);
  /// `base[i] = value` in compile-time code.
  LogicalResult assignElement(const ast::Subscript &target, const Value &value, SourceRange range);

  // Branches.cpp
  FailureOr<Flow> executeIf(const ast::If &stmt, const Continuation *next);
  void executeRuntimeIf(const ast::If &stmt, mlir::Value condition);
  /// Emits the beginning of an arm; what follows it is up to the caller.
  using ArmEmitter = llvm::function_ref<Flow()>;
  /// A branch that may leave the iteration: both arms run to the end of the loop's body.
  FailureOr<Flow> executeEscapingBranch(const BranchSite &site, mlir::Value condition,
                                        const Continuation *next, ArmEmitter emitThen,
                                        ArmEmitter emitElse);
  /// Gives a branch where the function ends without a value one of the type of `other`, the other
  /// branch's, with a warning.
  LogicalResult fillMissingResult(Value &missing, DetachedBlock &block, const Value &other,
                                  const BranchSite &site);
  /// A branch outside of loops that may return: both arms run to the end of the function.
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

  // Loops.cpp
  FailureOr<Flow> executeFor(const ast::For &stmt, const Continuation *next);
  FailureOr<Flow> executeStaticFor(const ast::For &stmt, llvm::ArrayRef<Value> values,
                                   const Continuation *next);
  FailureOr<Flow> executeRuntimeFor(const ast::For &stmt, const RangeValue &range,
                                    const Continuation *next);
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
  /// The variables a loop carries: assigned in it and defined before it.
  FailureOr<std::vector<llvm::StringRef>> findCarried(const ast::NameSet &assigned,
                                                      SourceRange range);
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

  // WhileLoops.cpp
  FailureOr<Flow> executeStaticWhile(const ast::While &stmt, const Continuation *next);
  FailureOr<Flow> executeWhile(const ast::While &stmt, const Continuation *next);
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

  // LoopExits.cpp
  /// Whether an iteration was left for good, as a compile-time bool or int1.
  Value isLeft(const LoopExit &exit);
  /// Notes that `return` was reached with a value.
  void setReturned(const Value &value);
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

  // Calls.cpp
  /// With `constructed` the first parameter may get its fields set, and is handed out.
  FailureOr<Value> callFunction(const FunctionValue &callee, llvm::ArrayRef<CallArg> args,
                                SourceRange range, Value *constructed = nullptr);
  FailureOr<Value> callLambda(const LambdaValue &callee, llvm::ArrayRef<CallArg> args,
                              SourceRange range);
  FailureOr<Value> callBuiltin(const BuiltinValue &callee, llvm::ArrayRef<CallArg> args,
                               SourceRange range);
  LogicalResult bindParams(llvm::ArrayRef<ast::Param> params, llvm::StringRef functionName,
                           llvm::ArrayRef<CallArg> args, SourceRange range, Frame &callee);

  // Classes.cpp
  /// Makes a named tuple or an aggregate.
  FailureOr<Value> callClass(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                             SourceRange range);
  /// An object that the host made, from a tuple of its fields, by order or with names.
  FailureOr<Value> makeObject(const ClassValue &type, const Value &fields, SourceRange range);
  /// Makes an aggregate by way of its `__init__`.
  FailureOr<Value> initAggregate(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                                 SourceRange range);
  /// `self.x = value` in `__init__`.
  LogicalResult assignField(const ast::Attribute &target, const Value &value);
  /// A member of a named tuple or aggregate; `found` is false for other attributes of tuples.
  FailureOr<Value> getFieldOrMethod(const Value &object, llvm::StringRef name, SourceRange range,
                                    bool &found);
  FailureOr<Value> getClassAttribute(const ClassValue &base, const Value &self,
                                     llvm::StringRef name, SourceRange range);

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

  // Warnings.cpp
  /// Looks at the text of a function that is about to be emitted.
  void lint(const ast::FunctionDef &function, bool isKernel);
  /// Warns when the value of a call is computed for nothing.
  void checkDropped(const ast::Expr *expr, const Value &value);
  /// Warns when a comparison of runtime values cannot go both ways.
  void checkCompare(const ast::Expr *lhs, ast::CompareOp op, const ast::Expr *rhs,
                    const Value &left, const Value &right);

  ModuleEvaluator modules;
  /// Functions whose text has been looked at.
  std::set<const ast::FunctionDef *> linted;
  uint64_t lastFrameId = 0;
  /// Warps of the kernel that is being compiled.
  int kernelWarps = 4;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_GENERATOR_H
