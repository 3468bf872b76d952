// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the way from a file to the tile dialect: every kernel is emitted with guessed types of its
// arguments, as `tilec check` does, or with those that lines like `# arg x=*fp32`, `# const B=16`
// and `# heuristic n=5` in the text give it. Beyond "no crash, hang or unbounded memory" it checks
// that a kernel is either emitted and valid or an error is reported, that messages are in the text,
// and that a second run says the same. When it ends it prints how far the texts went.

#include "FuzzChecks.h"
#include "SourceMutator.h"

#include "tilec/IRGen/IRGen.h"
#include "tilec/Sema/Language.h"
#include "tilec/Sema/SignatureGuess.h"
#include "tilec/Syntax/Parser.h"

#include <cstdio>
#include <functional>

using namespace tilec;
using fuzz::check;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// LLVM itself is not instrumented: its allocators and ours must not poison for each other.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {
/// How far inputs went.
struct Reached {
  size_t texts = 0, parsed = 0, kernels = 0, emitted = 0;
  ~Reached() {
    std::fprintf(stderr, "texts: %zu, parsed: %zu, kernels: %zu, emitted: %zu\n", texts, parsed,
                 kernels, emitted);
  }
};
} // namespace

static Reached reached;

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

/// What is said about a kernel while it is emitted; that the module is valid generateTile checks.
static std::string generate(const ast::Module &tree, SourceManager &sources,
                            const IRGenOptions &options, unsigned &errors) {
  DiagnosticEngine diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      generateTile(getContext(), tree, sources, options, diagnostics);
  check(module || diagnostics.hasErrors(), "no module and no error");
  reached.emitted += module ? 1 : 0;
  errors += diagnostics.getNumErrors();
  return fuzz::checkDiagnostics(sources, diagnostics);
}

/// Takes what lines of the text say about arguments.
static void readGiven(llvm::StringRef text, const ast::FunctionDef &function,
                      IRGenOptions &options) {
  auto isParam = [&](llvm::StringRef name) {
    return llvm::any_of(function.params, [&](const ast::Param &param) {
      return param.name == name.split('.').first;
    });
  };
  for (llvm::StringRef line; !text.empty();) {
    std::tie(line, text) = text.split('\n');
    if (!line.consume_front("# "))
      continue;
    auto [word, rest] = line.split(' ');
    auto [name, value] = rest.split('=');
    int64_t number;
    if (!isParam(name))
      continue;
    if (word == "arg")
      options.arguments.push_back({name.str(), value.str()});
    else if (word == "const")
      options.constants.push_back({name.str(), value.str()});
    else if (word == "heuristic" && !value.getAsInteger(0, number))
      options.heuristicArguments.push_back({name.str(), number});
  }
}

/// Gives the number of errors in a kernel.
static unsigned checkKernel(const ast::Module &tree, SourceManager &sources,
                            const KernelInfo &kernel, llvm::StringRef text, size_t choice) {
  const ast::FunctionDef *function = tree.findJitFunction(kernel.name);
  if (!function)
    return 0;
  ++reached.kernels;
  IRGenOptions options;
  options.kernel = kernel.name;
  options.debug = true;
  options.warn = true;
  options.stepLimit = 20'000;
  options.opLimit = 10'000;
  readGiven(text, *function, options);

  std::vector<std::string> known = kernel.heuristics;
  for (const ArgumentSpec &argument : options.arguments)
    known.push_back(llvm::StringRef(argument.name).split('.').first.str());
  for (const ConstantSpec &constant : options.constants)
    known.push_back(llvm::StringRef(constant.name).split('.').first.str());
  if (!kernel.configs.empty())
    for (const auto &[name, value] : kernel.configs.front().constants)
      known.push_back(name);
  // Every second text is taken as what is most plausible.
  llvm::ArrayRef<GuessVariant> variants = guessVariants();
  const GuessVariant &variant = variants[choice % 2 ? choice / 2 % variants.size() : 0];
  std::vector<ParamUse> uses = findParamUses(tree, *function);
  for (const ParamGuess &param : guessSignature(tree, *function, uses, known, variant)) {
    if (param.isConstant)
      options.constants.push_back({param.name, param.text});
    else
      options.arguments.push_back({param.name, param.text});
  }
  unsigned errors = 0, again = 0;
  std::string first = generate(tree, sources, options, errors);
  // The second run costs as much as the first: of some inputs only.
  if (choice % 16 == 0)
    check(first == generate(tree, sources, options, again), "two runs differ", first);
  if (kernel.hasEarlyPruning && choice % 4 == 0) {
    auto configs = pruneConfigs(tree, sources, kernel.name, options.heuristicArguments);
    if (!configs)
      llvm::consumeError(configs.takeError());
  }
  return errors;
}

/// Host code is skipped in texts that import what they use, as in a .py file.
static llvm::StringRef getFileName(llvm::StringRef text) {
  return text.contains("import triton") ? "fuzz.py" : "fuzz.tile";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t maxKernels = 4;
  fuzz::MemoryWatch memory;
  ++reached.texts;
  SourceManager sources;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<FileId> file = sources.addBuffer(getFileName(text), text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return -1;
  }
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::Module> tree = parseModule(sources, *file, diagnostics);
  // The other fuzzer's business.
  if (!tree || diagnostics.hasErrors())
    return -1;
  ++reached.parsed;
  std::vector<KernelInfo> kernels = listKernels(*tree, sources, diagnostics);
  fuzz::checkDiagnostics(sources, diagnostics);
  // What other kernels call is emitted with them, and by itself of some inputs only.
  size_t choice = llvm::hash_value(text);
  auto isEntry = [](const KernelInfo &kernel) { return kernel.isEntry; };
  if (choice % 8 != 0 && llvm::any_of(kernels, isEntry))
    llvm::erase_if(kernels, std::not_fn(isEntry));
  if (kernels.size() > maxKernels)
    kernels.resize(maxKernels);
  unsigned errors = diagnostics.getNumErrors();
  for (const KernelInfo &kernel : kernels) {
    unsigned inKernel = checkKernel(*tree, sources, kernel, text, choice / 8);
    errors += kernel.isEntry ? inKernel : 0;
  }
  // What is wrong in several places hides what comes behind, and its offspring would be most of
  // the corpus.
  constexpr unsigned maxErrors = 1;
  return errors > maxErrors ? -1 : 0;
}

static const std::vector<std::string> &getVocabulary() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const LanguageFunction &function : getLanguage()) {
      if (function.name.starts_with("_"))
        continue;
      if (function.places & (inLanguage | asType))
        list.push_back("tl." + function.name.str());
      if (function.places & (inPython | asMethod | asDescriptorMethod))
        list.push_back(function.name.str());
      if (function.places & inLibdevice && function.name.size() % 4 == 0)
        list.push_back("tl.extra.libdevice." + function.name.str());
    }
    return list;
  }();
  return words;
}

static bool parses(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(/*limit=*/1);
  llvm::Expected<FileId> file = sources.addBuffer(getFileName(text), text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  return parseModule(sources, *file, diagnostics) && !diagnostics.hasErrors();
}

/// The first of some attempts that parses, or else the last one.
template <typename ChangeFn>
static size_t putParsed(ChangeFn change, uint8_t *out, size_t maxSize) {
  constexpr unsigned maxAttempts = 4;
  std::string changed;
  for (unsigned attempt = 0; attempt < maxAttempts; ++attempt) {
    changed = change();
    if (changed.size() <= maxSize && parses(changed))
      break;
  }
  return fuzz::put(changed, out, maxSize);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 32 == 0 || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  fuzz::SourceMutator mutator(getVocabulary(), seed);
  return putParsed([&] { return mutator.mutate(text); }, data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  llvm::StringRef a(reinterpret_cast<const char *>(first), firstSize);
  llvm::StringRef b(reinterpret_cast<const char *>(second), secondSize);
  fuzz::SourceMutator mutator(getVocabulary(), seed);
  return putParsed([&] { return mutator.cross(a, b); }, out, maxSize);
}
