// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DiagnosticBridge.h.

#include "DiagnosticBridge.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"

using namespace mlir;
using namespace tilec;

/// The source range of one file location.
static SourceRange rangeOf(FileLineColLoc location, const SourceManager &sources) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const SourceBuffer *buffer = sources.getBuffer(id);
    if (buffer->getName() != location.getFilename().getValue() ||
        !buffer->hasLine(location.getLine()))
      continue;
    uint32_t column = location.getColumn() ? location.getColumn() - 1 : 0;
    uint32_t begin = std::min(buffer->getLineStart(location.getLine()) + column, buffer->size());
    return SourceRange(id, begin, begin);
  }
  return {};
}

ResolvedLocation tilec::resolveLocation(Location location, const SourceManager &sources) {
  ResolvedLocation resolved;
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    resolved.range = rangeOf(file, sources);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    resolved = resolveLocation(call.getCallee(), sources);
    ResolvedLocation caller = resolveLocation(call.getCaller(), sources);
    resolved.callers.push_back(caller.range);
    resolved.callers.insert(resolved.callers.end(), caller.callers.begin(), caller.callers.end());
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    resolved = resolveLocation(name.getChildLoc(), sources);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location inner : fused.getLocations())
      if (resolved = resolveLocation(inner, sources); resolved.range.isValid())
        break;
  }
  return resolved;
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

static void addCallers(tilec::Diagnostic &diagnostic, const ResolvedLocation &place) {
  for (SourceRange caller : place.callers) {
    diagnostic.addNote(caller, "called from here");
    diagnostic.notes.back().category = "call";
  }
}

/// MLIR's conversions add that they failed where a pattern has said why.
static bool isEcho(llvm::StringRef message, SourceRange place,
                   const tilec::DiagnosticEngine &engine) {
  return message.starts_with("failed to legalize operation") &&
         llvm::any_of(engine.getDiagnostics(), [&](const tilec::Diagnostic &known) {
           return known.severity == Severity::Error && known.range == place;
         });
}

DiagnosticBridge::DiagnosticBridge(MLIRContext &context, const SourceManager &sources,
                                   tilec::DiagnosticEngine &engine)
    : handler(&context, [&sources, &engine](mlir::Diagnostic &diagnostic) {
        ResolvedLocation place = resolveLocation(diagnostic.getLocation(), sources);
        if (isEcho(diagnostic.str(), place.range, engine))
          return success();
        tilec::Diagnostic &made =
            engine.report(severityOf(diagnostic.getSeverity()), place.range, diagnostic.str());
        addCallers(made, place);
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          made.addNote(resolveLocation(note.getLocation(), sources).range, note.str());
        return success();
      }) {}

namespace {
/// Turns MLIR's optimisation remarks into diagnostics.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkCollector(const SourceManager &sourceManager, tilec::DiagnosticEngine &diagnosticEngine)
      : sources(sourceManager), engine(diagnosticEngine) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text, reason, suggestion;
    std::vector<std::pair<std::string, std::string>> metrics;
    for (const auto &arg : remark.getArgs()) {
      if (arg.key == "Remark")
        text += arg.val;
      else if (arg.key == "Reason")
        reason += ": " + arg.val;
      else if (arg.key == "Suggestion")
        suggestion += "; " + arg.val;
      else
        metrics.emplace_back(arg.key, arg.val);
    }
    text += reason + suggestion;
    ResolvedLocation place = resolveLocation(remark.getLocation(), sources);
    // What was done is no ground for an error; what was missed may be one.
    bool passed = remark.getRemarkType() == llvm::remarks::Type::Passed;
    std::string category =
        (passed ? remarks::kPassedPrefix.str() : "") + remark.getCombinedCategoryName().str();
    tilec::Diagnostic &made = engine.remark(place.range, text, category);
    made.metrics = std::move(metrics);
    addCallers(made, place);
  }

private:
  const SourceManager &sources;
  tilec::DiagnosticEngine &engine;
};
} // namespace

void DiagnosticBridge::collectRemarks(MLIRContext &context, const SourceManager &sources,
                                      tilec::DiagnosticEngine &engine) {
  remark::RemarkCategories categories;
  // `all` only widens the kinds that are enabled one by one.
  categories.passed = categories.missed = categories.analysis = categories.failed = ".*";
  // Failure means that the context's engine could not be made; the compilation goes on without
  // remarks.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkCollector>(sources, engine),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
