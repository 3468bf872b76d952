// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, code of modules and other code that leaves nothing behind but a value.

#include "Generator.h"

namespace tilec::irgen {

Generator::Generator(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
                     const IRGenOptions &irgenOptions, DiagnosticEngine &engine)
    : Evaluation(mlirContext, sourceManager, irgenOptions, engine),
      Emitter(static_cast<Evaluation &>(*this)), modules(*this, *this) {
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
}

Generator::Generator(Generator &around, DiagnosticEngine &aside)
    : Evaluation(around, aside), Emitter(static_cast<Evaluation &>(*this)),
      modules(*this, *this, around.modules), lastFrameId(around.lastFrameId),
      kernelWarps(around.kernelWarps) {}

FailureOr<Value> Generator::evaluateInModule(const SourceModule &module, const ast::Expr *expr,
                                             const ast::FunctionDef *around) {
  Frame inner;
  inner.module = &module;
  inner.around = around;
  inner.keepsConstants = true;
  inner.depth = frame ? frame->depth : 0;
  inner.caller = frame;
  inner.callSite = frame ? current : SourceRange();
  return evaluateApart(inner, expr->range, "a value outside of kernels",
                       [&] { return evaluate(expr); });
}

FailureOr<Value> Generator::evaluateApart(Frame &inner, SourceRange range, const llvm::Twine &what,
                                          llvm::function_ref<FailureOr<Value>()> compute) {
  // Constant expressions emit nothing that lasts: what they emit goes to a block thrown away.
  DetachedBlock scratch;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(scratch.get());
  llvm::SaveAndRestore<Frame *> activation(frame, &inner);
  FailureOr<Value> value = compute();
  if (mlir::succeeded(value) && hasProgramValues(*value))
    return error(range, what + " must be known at compile time, got " + value->describe());
  return value;
}

LogicalResult Generator::errorNoOperand(const Value &value, SourceRange range) {
  const ModuleValue *module = value.getIf<ModuleValue>();
  bool isOfHost = module && !module->source && module->folder.empty() &&
                  !llvm::StringRef(module->path).starts_with("triton");
  return isOfHost ? modules.errorHostValue(module->path, range)
                  : Evaluation::errorNoOperand(value, range);
}

} // namespace tilec::irgen
