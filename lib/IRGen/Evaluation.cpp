// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics with chains of calls, budgets, and the places of operations.

#include "Evaluation.h"

#include "Frame.h"

#include "tilec/Support/NearestName.h"

#include "mlir/IR/Location.h"

namespace tilec::irgen {

/// Nested evaluations, calls included: bounds the use of the C++ stack.
static constexpr unsigned nestingLimit = 1000;

Evaluation::Evaluation(Evaluation &around, DiagnosticEngine &aside)
    : context(around.context), sources(around.sources), options(around.options), diagnostics(aside),
      current(around.current), nesting(around.nesting), steps(around.steps), numOps(around.numOps),
      outer(&around), asideDepth(around.asideDepth + 1) {}

Evaluation::~Evaluation() {
  if (!outer)
    return;
  outer->steps = steps;
  outer->numOps = numOps;
}

Diagnostic &Evaluation::report(Severity severity, SourceRange range, const llvm::Twine &message,
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

Diagnostic *Evaluation::warn(llvm::StringRef name, SourceRange range, const llvm::Twine &message) {
  if (!options.warn || !range.isValid() || asideDepth != 0)
    return nullptr;
  // What the library does with its arguments is not the user's doing.
  if (isInLibrary())
    return nullptr;
  // A function that is called twice, or an unrolled loop, says it once.
  if (!warned.insert({range.file, range.begin, name.str()}).second)
    return nullptr;
  return &report(Severity::Warning, range, message, name);
}

void Evaluation::observe(SourceRange range, const Value &value) {
  if (options.observer && asideDepth == 0 && !isInLibrary() && !value.isPoison())
    options.observer->evaluated(range, value.describe());
}

LogicalResult Evaluation::error(SourceRange range, const llvm::Twine &message) {
  report(Severity::Error, range, message);
  return failure();
}

LogicalResult Evaluation::errorNoOperand(const Value &value, SourceRange range) {
  return error(range, "expected a number or tensor, got " + value.describe());
}

LogicalResult Evaluation::errorUnknown(SourceRange range, const llvm::Twine &message,
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

void Evaluation::countOp(unsigned results) {
  numOps += std::max(1u, results);
  if (numOps <= options.opLimit || aborted)
    return;
  aborted = true;
  report(Severity::Error, current,
         "this kernel becomes more than " + llvm::Twine(options.opLimit) +
             " operations; is a loop unrolled that should not be? ('--max-ops' is the limit)");
}

bool Evaluation::enter(SourceRange range) {
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

mlir::Location Evaluation::getLocation() {
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
  if (isInLibrary())
    return frame->callLocation ? mlir::Location(frame->callLocation)
                               : mlir::UnknownLoc::get(&context);
  mlir::Location here = makeLocation(current);
  if (!frame->callLocation)
    return here;
  return mlir::CallSiteLoc::get(here, mlir::Location(frame->callLocation));
}

const SourceModule *Evaluation::getModule() const { return frame ? frame->module : nullptr; }

bool Evaluation::keepsConstants() const { return frame && frame->keepsConstants; }

} // namespace tilec::irgen
