// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DocumentAnalysis.h. The text may be in the middle of an edit: whatever is wrong with it is a
// message, and compile-time evaluation has a small budget.

#include "DocumentAnalysis.h"

#include "tilec/Driver/KernelCheck.h"
#include "tilec/Syntax/Parser.h"

namespace tilec::lsp {

/// Compile-time code that needs more than this is not waited for while somebody is typing.
static constexpr uint64_t stepLimit = 1'000'000, opLimit = 100'000;
/// Different values of one expression that are kept.
static constexpr size_t mostValues = 4;

/// Collects the values of the expressions of one file.
class ValueCollector final : public EvaluationObserver {
public:
  explicit ValueCollector(DocumentAnalysis &owner) : analysis(owner) {}

  void evaluated(SourceRange range, const std::string &description) override {
    if (range.file != analysis.file)
      return;
    std::vector<std::string> &known = analysis.values[{range.begin, range.end}];
    if (known.size() < mostValues && !llvm::is_contained(known, description))
      known.push_back(description);
  }

private:
  DocumentAnalysis &analysis;
};

const std::vector<std::string> *DocumentAnalysis::findValues(SourceRange range) const {
  auto found = values.find({range.begin, range.end});
  return found == values.end() ? nullptr : &found->second;
}

const std::vector<std::string> *DocumentAnalysis::findLayouts(SourceRange range) const {
  LineColumn place = sources.getLineColumn(range);
  auto found = layouts.find({place.line, place.column});
  return found == layouts.end() ? nullptr : &found->second;
}

void DocumentAnalysis::take(const DiagnosticEngine &engine) {
  for (const Diagnostic &diagnostic : engine.getDiagnostics()) {
    if (diagnostic.severity == Severity::Remark)
      continue;
    // Kernels share helpers, and so their messages.
    bool isKnown = llvm::any_of(diagnostics, [&](const Diagnostic &known) {
      return known.range == diagnostic.range && known.message == diagnostic.message;
    });
    if (!isKnown)
      diagnostics.push_back(diagnostic);
  }
}

void DocumentAnalysis::readLayouts(llvm::StringRef text) {
  // Aliases: "#linear = #tilegpu.linear<...>", "#loc4 = loc("file":5:21)", and of inlined code
  // "#loc9 = loc(callsite(#loc4 at #loc7))".
  llvm::StringMap<llvm::StringRef> layoutNames;
  llvm::StringMap<std::pair<unsigned, unsigned>> places;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string quoted = "loc(\"" + path + "\":";
  for (llvm::StringRef line : lines) {
    auto [name, value] = line.split(" = ");
    if (!name.starts_with("#"))
      continue;
    if (!name.starts_with("#loc")) {
      layoutNames[name] = value;
      continue;
    }
    unsigned row = 0, column = 0;
    if (value.consume_front(quoted) && !value.consumeInteger(10, row) && value.consume_front(":") &&
        !value.consumeInteger(10, column))
      places[name] = {row, column};
  }
  for (llvm::StringRef line : lines) {
    auto [name, value] = line.split(" = ");
    if (!name.starts_with("#loc") || !value.consume_front("loc(callsite("))
      continue;
    auto inner = places.find(value.split(' ').first);
    if (inner != places.end())
      places[name] = inner->second;
  }
  for (llvm::StringRef line : lines) {
    size_t at = line.rfind(" loc(#");
    if (at == llvm::StringRef::npos || !line.ltrim().starts_with("%"))
      continue;
    llvm::StringRef place = line.substr(at).drop_front(5).split(')').first;
    llvm::StringRef type = line.take_front(at);
    size_t tensor = type.rfind("tensor<");
    size_t comma = type.rfind(", #");
    auto found = places.find(place);
    if (tensor == llvm::StringRef::npos || comma == llvm::StringRef::npos || comma < tensor ||
        found == places.end())
      continue;
    auto layout = layoutNames.find(type.drop_front(comma + 2).split('>').first);
    if (layout == layoutNames.end())
      continue;
    std::vector<std::string> &known = layouts[found->second];
    std::string shown = layout->second.str();
    if (known.size() < mostValues && !llvm::is_contained(known, shown))
      known.push_back(shown);
  }
}

void DocumentAnalysis::compileKernels(const Settings &settings,
                                      llvm::function_ref<bool()> isCancelled) {
  ModuleSearch search{settings.importRoots, {}};
  ModuleLoader modules(sources, search);
  DiagnosticEngine listing;
  listing.setWarningOptions(settings.warnings);
  std::vector<KernelInfo> kernels = listKernels(*tree, sources, listing, &modules);
  take(listing);
  ValueCollector collector(*this);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Compiler compiler;
  for (const KernelInfo &kernel : kernels) {
    if (isCancelled())
      return;
    // Helpers are seen through the kernels that call them.
    if (!kernel.isEntry)
      continue;
    CompileOptions options;
    options.modules = search;
    options.kernel = kernel.name;
    options.target = settings.target;
    options.warnings = warningsOfGuess(settings.warnings);
    options.stopAfter = Stage::TileGPU;
    options.keep = {Stage::TileGPU};
    options.stepLimit = stepLimit;
    options.opLimit = opLimit;
    constexpr double searchSeconds = 1;
    PlausibleSignature signature =
        findPlausibleSignature(context, sources, *tree, kernel, options, searchSeconds);
    options.arguments = signature.arguments;
    options.constants = signature.constants;
    if (isCancelled())
      return;

    IRGenOptions irgen;
    irgen.modules = &modules;
    irgen.kernel = kernel.name;
    irgen.specialization() = options;
    irgen.observer = &collector;
    DiagnosticEngine aside;
    (void)generateTile(context, *tree, sources, irgen, aside);
    if (isCancelled())
      return;

    DiagnosticEngine engine;
    std::unique_ptr<CompiledKernel> compiled = compiler.compile(sources, file, options, engine);
    take(engine);
    if (compiled)
      readLayouts(compiled->stages[Stage::TileGPU]);
  }
}

std::shared_ptr<const DocumentAnalysis>
DocumentAnalysis::make(const std::string &path, const std::string &text, const Settings &settings,
                       llvm::function_ref<bool()> isCancelled) {
  std::shared_ptr<DocumentAnalysis> result(new DocumentAnalysis);
  result->path = path;
  llvm::Expected<FileId> file = result->sources.addBuffer(path, text);
  DiagnosticEngine syntax;
  if (!file) {
    // Something must be there to show the message at.
    syntax.error(SourceRange(1, 0, 0), llvm::toString(file.takeError()));
    result->file = llvm::cantFail(result->sources.addBuffer(path, ""));
    result->take(syntax);
    return result;
  }
  result->file = *file;
  result->tree = parseModule(result->sources, *file, syntax);
  bool isEmpty = llvm::StringRef(text).trim().empty();
  if (!isEmpty)
    result->take(syntax);
  if (!result->tree)
    return result;
  result->scope = std::make_unique<ModuleScope>(*result->tree);
  if (!syntax.hasErrors())
    result->compileKernels(settings, isCancelled);
  return isCancelled() ? nullptr : result;
}

} // namespace tilec::lsp
