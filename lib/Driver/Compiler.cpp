// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks of the compiler: a compilation, from the cache where it is there, and the
// ways to run and estimate its result.

#include "tilec/Driver/Compiler.h"

#include "Compilation.h"
#include "DiagnosticBridge.h"
#include "KernelCaching.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Target/HostJIT.h"
#include "tilecrt/TensorMapValues.h"

#include <chrono>

using namespace mlir;

namespace tilec {

CompiledKernel::CompiledKernel() = default;
CompiledKernel::CompiledKernel(CompiledKernel &&) noexcept = default;
CompiledKernel &CompiledKernel::operator=(CompiledKernel &&) noexcept = default;
CompiledKernel::~CompiledKernel() = default;

struct Compiler::Impl {
  /// Made when something is to be compiled: a kernel from the cache does not need it.
  MLIRContext &getContext() {
    if (!context) {
      context.emplace(makeRegistry(), MLIRContext::Threading::DISABLED);
      // A message is for who wrote the source.
      context->printOpOnDiagnostic(false);
    }
    return *context;
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerPTXTranslations(registry);
    return registry;
  }

  std::optional<MLIRContext> context;
  Failure failure = Failure::None;
  /// The last source: kernels of one file share its text.
  std::shared_ptr<const std::string> lastText;
};

Compiler::Compiler() : impl(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

bool Compiler::canUseCache(const CompileOptions &options) {
  return KernelCaching::isCacheable(options);
}

Failure Compiler::lastFailure() const { return impl->failure; }

bool Compiler::interpret(const CompiledKernel &kernel, void *const *arguments,
                         const InterpreterConfig &config, const SourceManager &sources,
                         DiagnosticEngine &diagnostics, InterpreterResult &result) {
  ModuleOp module = *kernel.program;
  func::FuncOp function = module ? findKernel(module) : func::FuncOp();
  if (!function) {
    diagnostics.error(SourceRange(), "the kernel was not compiled for the interpreter");
    return false;
  }
  DiagnosticBridge bridge(*module.getContext(), sources, diagnostics);
  return succeeded(tilec::interpret(function, arguments, config, result));
}

std::unique_ptr<CompiledKernel> Compiler::compileAfresh(SourceManager &sources, FileId file,
                                                        const CompileOptions &options,
                                                        DiagnosticEngine &diagnostics,
                                                        ModuleLoader &modules,
                                                        std::unique_ptr<ast::Module> tree) {
  MLIRContext &context = impl->getContext();
  DiagnosticBridge bridge(context, sources, diagnostics);
  if (options.remarks)
    DiagnosticBridge::collectRemarks(context, sources, diagnostics);
  Compilation compilation(context, sources, file, options, diagnostics, modules, std::move(tree));
  std::unique_ptr<CompiledKernel> kernel = compilation.run();
  context.setRemarkEngine(nullptr);
  impl->failure = compilation.failure;
  return kernel;
}

std::unique_ptr<CompiledKernel> Compiler::compileThroughCache(SourceManager &sources, FileId file,
                                                              const CompileOptions &options,
                                                              DiagnosticEngine &diagnostics,
                                                              ModuleLoader &modules) {
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ast::Module> tree = parseModule(sources, file, diagnostics);
  if (!tree || diagnostics.hasErrors()) {
    impl->failure = Failure::Input;
    return nullptr;
  }
  CompileCache &cache = *options.cache;
  std::unique_ptr<KernelCaching> caching = KernelCaching::create(sources, *tree, options, modules);
  if (!caching)
    return compileAfresh(sources, file, options, diagnostics, modules, std::move(tree));
  auto find = [&]() -> std::unique_ptr<CompiledKernel> {
    CacheLevel level = CacheLevel::None;
    std::shared_ptr<const CacheEntry> entry =
        cache.find(caching->getKey(), &level, caching->isSharable());
    if (!entry)
      return nullptr;
    std::unique_ptr<CompiledKernel> kernel = caching->read(*entry, diagnostics);
    if (!kernel)
      return nullptr;
    kernel->cacheLevel = level;
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    kernel->times = {{"cache", elapsed.count()}};
    return kernel;
  };
  impl->failure = Failure::None;
  if (std::unique_ptr<CompiledKernel> kernel = find())
    return kernel;
  CompileCache::Claim claim = cache.claim(caching->getKey());
  // Whoever had the claim before may have compiled it.
  if (std::unique_ptr<CompiledKernel> kernel = find())
    return kernel;
  size_t firstMessage = diagnostics.getDiagnostics().size();
  std::unique_ptr<CompiledKernel> kernel =
      compileAfresh(sources, file, options, diagnostics, modules, std::move(tree));
  if (kernel && impl->failure == Failure::None)
    if (std::optional<CacheEntry> entry = caching->write(*kernel, diagnostics, firstMessage))
      cache.store(caching->getKey(), *entry, caching->isSharable());
  return kernel;
}

void Compiler::noteOrigin(const SourceBuffer &source, const CompileOptions &options,
                          CompiledKernel &kernel) {
  if (!impl->lastText || *impl->lastText != source.getText())
    impl->lastText = std::make_shared<const std::string>(source.getText());
  auto origin = std::make_shared<KernelOrigin>();
  origin->file = source.getName().str();
  origin->text = impl->lastText;
  origin->options = options;
  visitOptions<OptionUse::Machine, OptionUse::Call>(
      origin->options, [](const char *, auto &option) { option = {}; });
  kernel.origin = std::move(origin);
}

/// The files that a source has imported.
/// A text that was given has the path that it is imported by, whatever it says that it is from.
static std::vector<ModuleText> importedTexts(const SourceManager &sources, FileId file,
                                             const ModuleSearch &modules) {
  std::vector<ModuleText> texts;
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const SourceBuffer *buffer = sources.getBuffer(FileId(id));
    StringRef name = buffer->getName();
    // Not the language's own library, and not the texts of constants.
    if (id == file || name == "standard.tile" || name.starts_with("<"))
      continue;
    auto given = llvm::find_if(
        modules.texts, [&](const ModuleText &text) { return text.text == buffer->getText(); });
    texts.push_back(
        {given != modules.texts.end() ? given->path : name.str(), buffer->getText().str()});
  }
  return texts;
}

std::unique_ptr<CompiledKernel> Compiler::compile(SourceManager &sources, FileId file,
                                                  const CompileOptions &options,
                                                  DiagnosticEngine &diagnostics) {
  diagnostics.setWarningOptions(options.warnings);
  ModuleLoader modules(sources, options.modules);
  std::unique_ptr<CompiledKernel> kernel;
  if (!options.cache || !KernelCaching::isCacheable(options)) {
    kernel = compileAfresh(sources, file, options, diagnostics, modules, nullptr);
  } else {
    kernel = compileThroughCache(sources, file, options, diagnostics, modules);
    for (const std::string &problem : options.cache->takeProblems())
      diagnostics.remark(SourceRange(), problem, "cache");
  }
  if (kernel) {
    CompileOptions noted = options;
    noted.modules.texts = importedTexts(sources, file, options.modules);
    noteOrigin(*sources.getBuffer(file), noted, *kernel);
  }
  return kernel;
}

std::optional<KernelEstimate> Compiler::estimate(SourceManager &sources, FileId file,
                                                 const CompileOptions &options,
                                                 const llvm::StringMap<int64_t> &arguments,
                                                 DiagnosticEngine &diagnostics) {
  MLIRContext &context = impl->getContext();
  DiagnosticBridge bridge(context, sources, diagnostics);
  ModuleLoader modules(sources, options.modules);
  Compilation compilation(context, sources, file, options, diagnostics, modules, nullptr);
  std::optional<KernelEstimate> estimate = compilation.estimate(arguments);
  impl->failure = compilation.failure;
  return estimate;
}

std::unique_ptr<CompiledKernel>
Compiler::compileFitting(SourceManager &sources, FileId file, CompileOptions options,
                         const std::array<uint32_t, 3> &grid,
                         llvm::function_ref<bool(const tilecrt::KernelMetadata &)> haveMaps,
                         DiagnosticEngine &diagnostics) {
  std::unique_ptr<CompiledKernel> kernel = compile(sources, file, options, diagnostics);
  if (kernel && !tilecrt::hasWholeClusters(kernel->metadata, grid)) {
    options.numCtas.reset();
    diagnostics.clear();
    kernel = compile(sources, file, options, diagnostics);
  }
  if (!kernel || !tilecrt::hasInferredMaps(kernel->metadata) || haveMaps(kernel->metadata))
    return kernel;
  options.tensorCopies = false;
  diagnostics.clear();
  return compile(sources, file, options, diagnostics);
}

std::string kernelSourceHash(const SourceManager &sources, const ast::Module &module,
                             llvm::StringRef kernel, const ModuleSearch &search) {
  const ast::FunctionDef *function = findKernel(module, kernel);
  if (!function)
    return "";
  SourceManager importedSources;
  ModuleLoader modules(importedSources, search);
  KernelTokens tokens = collectKernelTokens(sources, module, *function, {}, modules);
  KeyHasher hasher;
  hasher.add("kernel", function->name).add("tokens", tokens.text);
  if (!tokens.imports.empty())
    hasher.add("imports", tokens.imports);
  return hasher.finish().hex();
}

tilecrt::sim::LaunchResult simulate(const CompiledKernel &kernel, void **arguments,
                                    tilecrt::sim::LaunchConfig config) {
  config.block = {kernel.metadata.threadsPerCta, 1, 1};
  config.sharedBytes = kernel.metadata.dynamicSharedBytes;
  config.sites = &kernel.host->sites();
  const tilecrt::KernelMetadata &metadata = kernel.metadata;
  auto refuse = [](std::string problem) {
    tilecrt::sim::LaunchResult refused;
    refused.status = tilecrt::sim::LaunchStatus::Invalid;
    refused.error = std::move(problem);
    return refused;
  };
  std::vector<tilecrt::sim::TensorMap> maps(metadata.tensorMaps.size());
  std::vector<void *> all(arguments, arguments + metadata.arguments.size());
  for (auto [map, description] : llvm::zip(maps, metadata.tensorMaps)) {
    tilecrt::Result<tilecrt::sim::TensorMapFields> fields =
        tilecrt::tensorMapFields(metadata, description, arguments);
    std::string problem = fields ? encodeTensorMap(*fields, map) : fields.status().message();
    if (!problem.empty())
      return refuse(problem);
    all.push_back(&map);
  }
  if (config.cluster == std::array<uint32_t, 3>{1, 1, 1})
    config.cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
  if (metadata.splitK > 1 && config.cluster != std::array<uint32_t, 3>{metadata.splitK, 1, 1})
    return refuse("the launch has clusters of its own, the code is for those of the " +
                  std::to_string(metadata.splitK) + " CTAs that run a program");
  std::array<uint32_t, 3> programs = config.grid;
  uint64_t row = tilecrt::ctasAlongX(programs[0], metadata.splitK);
  if (!metadata.isPersistent && metadata.splitK > 1) {
    if (row > tilecrt::mostCtasAlongX)
      return refuse("grid of " + std::to_string(programs[0]) + " programs of " +
                    std::to_string(metadata.splitK) + " CTAs each in x, expected at most " +
                    std::to_string(tilecrt::mostCtasAlongX) + " CTAs");
    config.grid[0] = uint32_t(row);
    config.programCtas = metadata.splitK;
  }
  // Zero between launches: this one's own.
  uint32_t counter = 0;
  void *counterAddress = &counter;
  if (metadata.isPersistent) {
    for (uint32_t &number : programs)
      all.push_back(&number);
    if (metadata.hasProgramCounter) {
      all.push_back(&counterAddress);
      if (!config.buffers.empty())
        config.buffers.push_back({&counter, sizeof counter, "<program counter>"});
    }
    // What is no grid is for the simulator to refuse.
    uint64_t most = tilecrt::maxPersistentPrograms, plane = uint64_t(programs[0]) * programs[1];
    if (plane != 0 && programs[2] != 0) {
      if (plane > most / programs[2])
        return refuse("grid of more than 2^30 programs of a persistent kernel");
      // Whole clusters in a row: a CTA for which no program is left has nothing to do.
      uint64_t ctas = tilecrt::persistentCtas(row * programs[1] * programs[2], config.residentCtas);
      // What is no cluster is for the simulator to refuse, too.
      if (llvm::all_of(config.cluster, [](uint32_t size) { return size != 0 && size <= 16; })) {
        uint32_t cluster = config.cluster[0] * config.cluster[1] * config.cluster[2];
        config.cluster = {cluster, 1, 1};
        ctas = (ctas + cluster - 1) / cluster * cluster;
      }
      config.grid = {uint32_t(ctas), 1, 1};
    }
  }
  return tilecrt::sim::launch(kernel.host->entry(), all.data(), config);
}

} // namespace tilec
