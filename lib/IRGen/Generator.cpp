// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, source places, diagnostics with call chains, budgets, and the mapping of language
// types to MLIR types.

#include "Generator.h"

#include "tilec/Sema/Lint.h"
#include "tilec/Support/NearestName.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace tilec::irgen {

/// Nested evaluations, calls included: bounds the use of the C++ stack.
static constexpr unsigned nestingLimit = 1000;

Generator::Generator(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
                     const IRGenOptions &irgenOptions, DiagnosticEngine &engine)
    : context(mlirContext), sources(sourceManager), options(irgenOptions), diagnostics(engine),
      builder(&mlirContext), imported(std::make_shared<ImportedModules>()) {
  imported->loader = options.modules;
  if (!imported->loader) {
    imported->ownLoader = std::make_unique<ModuleLoader>(sources);
    imported->loader = imported->ownLoader.get();
  }
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
}

Generator::Generator(Generator &around, DiagnosticEngine &aside)
    : context(around.context), sources(around.sources), options(around.options), diagnostics(aside),
      builder(&around.context), current(around.current), steps(around.steps),
      outerGenerator(&around), numOps(around.numOps), nesting(around.nesting),
      lastFrameId(around.lastFrameId), kernelWarps(around.kernelWarps),
      asideDepth(around.asideDepth + 1), imported(around.imported),
      globalsInProgress(around.globalsInProgress),
      selectionsInProgress(around.selectionsInProgress), checkedShadow(true) {}

Generator::~Generator() {
  if (!outerGenerator)
    return;
  outerGenerator->steps = steps;
  outerGenerator->numOps = numOps;
}

Diagnostic &Generator::report(Severity severity, SourceRange range, const llvm::Twine &message,
                              llvm::StringRef category) {
  // Positions in the library say nothing to the user: show the call that led there.
  const Frame *place = frame;
  while (place && place->module && place->module->isLibrary) {
    range = place->callSite;
    place = place->caller;
  }
  if (severity == Severity::Error && options.stepsToError && asideDepth == 0 &&
      !diagnostics.hasErrors())
    *options.stepsToError = stepsBeforeBody ? steps - *stepsBeforeBody : 0;
  Diagnostic &diagnostic = diagnostics.report(severity, range, message, category);
  llvm::SmallVector<const Frame *, 8> chain;
  for (; place && place->caller && place->callSite.isValid(); place = place->caller)
    if (!place->caller->module || !place->caller->module->isLibrary)
      chain.push_back(place);
  // The ends of a long chain tell enough.
  auto addCall = [&](SourceRange call, const llvm::Twine &text) {
    diagnostic.addNote(call, text);
    diagnostic.notes.back().category = "call";
  };
  size_t shown = 3;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (chain.size() > 2 * shown + 1 && i == shown) {
      size_t skipped = chain.size() - 2 * shown;
      addCall(chain[i]->callSite, "and " + llvm::Twine(skipped) + " more calls");
      i += skipped;
    }
    if (!chain[i]->function && !chain[i]->isLambda) {
      addCall(chain[i]->callSite, "in a module-level value used here");
      continue;
    }
    std::string name = chain[i]->function ? "'" + chain[i]->function->name.str() + "'" : "lambda";
    addCall(chain[i]->callSite, "in the call of " + name + " here");
  }
  return diagnostic;
}

Diagnostic *Generator::warn(llvm::StringRef name, SourceRange range, const llvm::Twine &message) {
  if (!options.warn || !range.isValid() || asideDepth != 0)
    return nullptr;
  // What the library does with its arguments is not the user's doing.
  if (frame && frame->module && frame->module->isLibrary)
    return nullptr;
  // A function that is called twice, or an unrolled loop, says it once.
  if (!warned.insert({range.file, range.begin, name.str()}).second)
    return nullptr;
  return &report(Severity::Warning, range, message, name);
}

void Generator::observe(SourceRange range, const Value &value) {
  bool isLibrary = frame && frame->module && frame->module->isLibrary;
  if (options.observer && asideDepth == 0 && !isLibrary && !value.isPoison())
    options.observer->evaluated(range, value.describe());
}

void Generator::lint(const ast::FunctionDef &function, bool isKernel) {
  if (options.warn && asideDepth == 0 && linted.insert(&function).second)
    lintFunction(function, isKernel, diagnostics);
}

LogicalResult Generator::error(SourceRange range, const llvm::Twine &message) {
  report(Severity::Error, range, message);
  return failure();
}

LogicalResult Generator::errorUnknown(SourceRange range, const llvm::Twine &message,
                                      llvm::StringRef name,
                                      llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest = nearestName(name, candidates);
  if (nearest.empty())
    return error(range, message);
  Diagnostic &diagnostic =
      report(Severity::Error, range, message + "; did you mean '" + nearest + "'?");
  if (sources.getText(range) == name)
    diagnostic.setFixIt(range, nearest);
  return failure();
}

void Generator::countOp(unsigned results) {
  numOps += std::max(1u, results);
  if (numOps <= options.opLimit || aborted)
    return;
  aborted = true;
  report(Severity::Error, current,
         "this kernel becomes more than " + llvm::Twine(options.opLimit) +
             " operations; is a loop unrolled that should not be? ('--max-ops' is the limit)");
}

bool Generator::enter(SourceRange range) {
  if (isAborted())
    return false;
  if (++steps > options.stepLimit) {
    aborted = true;
    report(Severity::Error, range,
           "evaluating this kernel at compile time takes more than " +
               llvm::Twine(options.stepLimit) +
               " steps; does a loop or a recursion not end? ('--max-steps' is the limit)");
    return false;
  }
  if (nesting > nestingLimit) {
    aborted = true;
    report(Severity::Error, range, "compile-time evaluation is nested too deeply");
    return false;
  }
  return true;
}

mlir::Location Generator::getLocation() {
  auto makeLocation = [&](SourceRange range) -> mlir::Location {
    LineColumn position = sources.getLineColumn(range);
    if (position.line == 0)
      return mlir::UnknownLoc::get(&context);
    return mlir::FileLineColLoc::get(&context, sources.getFileName(range), position.line,
                                     position.column);
  };
  if (!frame)
    return makeLocation(current);
  // Code of the library counts as part of the call in the user's file.
  if (frame->module && frame->module->isLibrary)
    return frame->callLocation ? mlir::Location(frame->callLocation)
                               : mlir::UnknownLoc::get(&context);
  mlir::Location here = makeLocation(current);
  if (!frame->callLocation)
    return here;
  return mlir::CallSiteLoc::get(here, mlir::Location(frame->callLocation));
}

static mlir::Type lowerScalar(mlir::MLIRContext &context, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Void:
    return mlir::NoneType::get(&context);
  case ScalarKind::FP8E4NV:
    return mlir::Float8E4M3FNType::get(&context);
  case ScalarKind::FP8E5:
    return mlir::Float8E5M2Type::get(&context);
  case ScalarKind::FP8E4B8:
    return mlir::Float8E4M3FNUZType::get(&context);
  case ScalarKind::FP8E5B16:
    return mlir::Float8E5M2FNUZType::get(&context);
  case ScalarKind::FP8E4B15: // Only stored and converted, which Casts.cpp does on its bits.
    return mlir::IntegerType::get(&context, 8);
  case ScalarKind::FP16:
    return mlir::Float16Type::get(&context);
  case ScalarKind::BF16:
    return mlir::BFloat16Type::get(&context);
  case ScalarKind::FP32:
    return mlir::Float32Type::get(&context);
  case ScalarKind::FP64:
    return mlir::Float64Type::get(&context);
  default:
    return mlir::IntegerType::get(&context, DType(kind).getBitWidth());
  }
}

mlir::Type Generator::lower(const Type &type) {
  mlir::Type element = lowerScalar(context, type.element.getKind());
  if (type.element.isPointer())
    element = tile::PtrType::get(element);
  return type.isBlock() ? mlir::RankedTensorType::get(type.shape, element) : element;
}

} // namespace tilec::irgen
