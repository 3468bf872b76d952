// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the way from a file to the tile dialect: every kernel is emitted with guessed types of its
// arguments, as `tilec check` does. Beyond "no crash, hang or unbounded memory" it checks that a
// kernel is either emitted and valid or an error is reported, that messages are in the text, and
// that a second run says the same.

#include "SourceMutator.h"

#include "dialects/Tile/TileOps.h"
#include "tilec/IRGen/IRGen.h"
#include "tilec/IRGen/LanguageNames.h"
#include "tilec/Sema/SignatureGuess.h"
#include "tilec/Syntax/Parser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tilec;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// LLVM itself is not instrumented: its allocators and ours must not poison for each other.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

static void check(bool condition, const char *what, llvm::StringRef detail = "") {
  if (condition)
    return;
  std::fprintf(stderr, "property violated: %s\n%s\n", what, detail.str().c_str());
  std::abort();
}

/// A context for some inputs: types and locations of all of them stay in it.
static mlir::MLIRContext &getContext() {
  constexpr unsigned inputsOfContext = 500;
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned inputs = 0;
  if (!context || ++inputs > inputsOfContext) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    inputs = 0;
  }
  return *context;
}

static void checkDiagnostics(const SourceManager &sources, const DiagnosticEngine &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    const SourceBuffer *buffer = sources.getBuffer(diagnostic.range.file);
    check(!diagnostic.range.isValid() || buffer, "diagnostic in no file", diagnostic.message);
    check(diagnostic.range.begin <= diagnostic.range.end &&
              (!buffer || diagnostic.range.end <= buffer->size()),
          "diagnostic range", diagnostic.message);
    check(!diagnostic.message.empty(), "empty message");
  }
  renderDiagnostics(sources, diagnostics);
  renderDiagnosticsAsJson(sources, diagnostics);
}

static std::string generate(const ast::Module &tree, SourceManager &sources,
                            const IRGenOptions &options) {
  mlir::MLIRContext &context = getContext();
  std::string problems;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    problems += diagnostic.str() + "\n";
    return mlir::success();
  });
  DiagnosticEngine diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      generateTile(context, tree, sources, options, diagnostics);
  check(module || diagnostics.hasErrors(), "no module and no error");
  checkDiagnostics(sources, diagnostics);
  std::string text = renderDiagnostics(sources, diagnostics);
  if (!module || diagnostics.hasErrors())
    return text;
  if (mlir::failed(mlir::verify(*module))) {
    std::string printed;
    llvm::raw_string_ostream out(printed);
    module->print(out, mlir::OpPrintingFlags().printGenericOpForm());
    check(false, "invalid module", problems + printed);
  }
  return text;
}

static void checkKernel(const ast::Module &tree, SourceManager &sources, const KernelInfo &kernel) {
  const ast::FunctionDef *function = tree.findJitFunction(kernel.name);
  if (!function)
    return;
  std::vector<std::string> known = kernel.heuristics;
  if (!kernel.configs.empty())
    for (const auto &[name, value] : kernel.configs.front().constants)
      known.push_back(name);
  IRGenOptions options;
  options.kernel = kernel.name;
  options.debug = true;
  options.warn = true;
  options.stepLimit = 20'000;
  options.opLimit = 10'000;
  for (const ParamGuess &param : guessSignature(tree, *function, findParamUses(tree, *function),
                                                known, guessVariants().front())) {
    if (param.isConstant)
      options.constants.push_back({param.name, param.text});
    else
      options.arguments.push_back({param.name, param.text});
  }
  std::string first = generate(tree, sources, options);
  // The second run costs as much as the first: of some inputs only.
  if (llvm::hash_value(kernel.name) % 8 == 0)
    check(first == generate(tree, sources, options), "two runs differ", first);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t maxKernels = 4;
  SourceManager sources;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<FileId> file = sources.addBuffer("fuzz.tile", text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return -1;
  }
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::Module> tree = parseModule(sources, *file, diagnostics);
  // The other fuzzer's business.
  if (!tree || diagnostics.hasErrors())
    return -1;
  std::vector<KernelInfo> kernels = listKernels(*tree, sources, diagnostics);
  checkDiagnostics(sources, diagnostics);
  if (kernels.size() > maxKernels)
    kernels.resize(maxKernels);
  for (const KernelInfo &kernel : kernels)
    checkKernel(*tree, sources, kernel);
  return 0;
}

static const std::vector<std::string> &getVocabulary() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const LanguageName &name : listLanguageNames())
      if (name.place == LanguageName::Place::Language || name.place == LanguageName::Place::Type)
        list.push_back("tl." + name.name);
    return list;
  }();
  return words;
}

static size_t put(const std::string &text, uint8_t *out, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(out, text.data(), size);
  return size;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 16 == 0 || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  return put(fuzz::SourceMutator(getVocabulary(), seed).mutate(text), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  llvm::StringRef a(reinterpret_cast<const char *>(first), firstSize);
  llvm::StringRef b(reinterpret_cast<const char *>(second), secondSize);
  return put(fuzz::SourceMutator(getVocabulary(), seed).cross(a, b), out, maxSize);
}
