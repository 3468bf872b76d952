// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling over the C interface: the options are checked and copied, then the Driver does the
// work.

#include "OptionsReader.h"
#include "tilec/Support/Processor.h"
#include "tilecrt/TimelineBuffer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <dlfcn.h>

using namespace tilec;
using namespace tilec::api;

static_assert(int(Stage::AST) + TILEC_STAGE_AST == TILEC_STAGE_AST &&
                  int(Stage::Cubin) + TILEC_STAGE_AST == TILEC_STAGE_CUBIN,
              "a stage of the interface is the Driver's, counted from TILEC_STAGE_AST");

std::string tilec::api::libraryPath() {
  Dl_info info;
  bool found = dladdr(reinterpret_cast<void *>(&tilec_version), &info) != 0 && info.dli_fname;
  return found ? info.dli_fname : "";
}

static std::string textOrEmpty(const char *text) { return text ? text : ""; }

template <typename Spec>
tilec_status OptionsReader::readBindings(const tilec_binding *bindings, size_t count,
                                         const char *what, std::vector<Spec> &specs) {
  if (count != 0 && !bindings)
    return invalid(llvm::Twine("options: ") + what + " are null, their number is " +
                   llvm::Twine(count));
  for (size_t i = 0; i < count; ++i) {
    if (!bindings[i].name || !bindings[i].text)
      return invalid(llvm::Twine("options: name or text of ") + what + " [" + llvm::Twine(i) +
                     "] is null");
    specs.push_back({bindings[i].name, bindings[i].text});
  }
  return TILEC_OK;
}

namespace {
/// What a flag of the interface makes of an option.
struct CompileFlag {
  uint32_t bit;
  bool CompileOptions::*option;
  bool value;
};
} // namespace

static constexpr CompileFlag compileFlags[] = {
    {TILEC_COMPILE_DEBUG, &CompileOptions::debug, true},
    {TILEC_COMPILE_NO_LINE_INFO, &CompileOptions::lineInfo, false},
    {TILEC_COMPILE_NO_FMA, &CompileOptions::fpFusion, false},
    {TILEC_COMPILE_REMARKS, &CompileOptions::remarks, true},
    {TILEC_COMPILE_COUNT_INSTRUCTIONS, &CompileOptions::countInstructions, true},
    {TILEC_COMPILE_NO_OVERFLOW_CHECKS, &CompileOptions::overflowChecks, false},
    {TILEC_COMPILE_KEEP_SUBNORMALS, &CompileOptions::flushSubnormals, false},
    {TILEC_COMPILE_NO_TENSOR_COPIES, &CompileOptions::tensorCopies, false}};

tilec_status tilec::api::checkNumCtas(const char *what, int32_t ctas) {
  std::optional<std::string> problem = clusterProblem(ctas ? ctas : 1, std::nullopt);
  return problem ? invalid(llvm::Twine(what) + ": " + *problem) : TILEC_OK;
}

tilec_status tilec::api::checkSplitK(const char *what, int32_t ctas, int32_t splitK) {
  std::optional<std::string> problem =
      clusterProblem(ctas ? ctas : 1, splitK ? std::optional(splitK) : std::nullopt);
  return problem ? invalid(llvm::Twine(what) + ": " + *problem) : TILEC_OK;
}

tilec_status OptionsReader::readNumbers(const tilec_options &options) {
  int warps = options.num_warps, stages = options.num_stages;
  if (warps < 0 || warps > 32 || (warps & (warps - 1)) != 0)
    return invalid("options: num_warps is " + llvm::Twine(warps) +
                   ", expected 1, 2, 4, 8, 16 or 32");
  if (stages < 0 || stages > 16)
    return invalid("options: num_stages is " + llvm::Twine(stages) + ", expected 1 to 16");
  int registers = options.max_registers;
  if (registers != 0 && (registers < 16 || registers > 255))
    return invalid("options: max_registers is " + llvm::Twine(registers) + ", expected 16 to 255");
  if (warps != 0)
    result.numWarps = warps;
  if (stages != 0)
    result.numStages = stages;
  if (registers != 0)
    result.maxRegisters = registers;
  if (tilec_status status = checkNumCtas("options", options.num_ctas))
    return status;
  if (tilec_status status = checkSplitK("options", options.num_ctas, options.split_k))
    return status;
  // A cluster is for several programs or for one: what is set here counts.
  if (options.num_ctas != 0)
    result.numCtas = options.num_ctas;
  else if (options.split_k > 1)
    result.numCtas.reset();
  if (options.split_k != 0)
    result.splitK = options.split_k;
  else if (options.num_ctas > 1)
    result.splitK.reset();

  constexpr uint32_t persistent = TILEC_COMPILE_PERSISTENT | TILEC_COMPILE_NO_PERSISTENT;
  if ((options.flags & persistent) == persistent)
    return invalid("options: flags make the kernel persistent and forbid it");
  if (options.flags & persistent)
    result.persistent = (options.flags & TILEC_COMPILE_PERSISTENT) != 0;
  if (options.flags & TILEC_COMPILE_TIMELINE)
    result.timelineMarks = tilecrt::timeline::usualMarks;
  uint32_t unknown = options.flags & ~(persistent | TILEC_COMPILE_TIMELINE);
  for (const CompileFlag &flag : compileFlags) {
    if (options.flags & flag.bit)
      result.*flag.option = flag.value;
    unknown &= ~flag.bit;
  }
  if (unknown)
    return invalid("options: unknown flags 0x" + llvm::utohexstr(unknown));
  if (options.max_steps != 0)
    result.stepLimit = options.max_steps;
  if (options.max_ops != 0)
    result.opLimit = options.max_ops;
  if (options.max_unroll != 0)
    result.unrollLimit = options.max_unroll;
  return TILEC_OK;
}

tilec_status OptionsReader::refuseTimeline() const {
  return result.timelineMarks == 0
             ? TILEC_OK
             : invalid("options: TILEC_COMPILE_TIMELINE is for kernels that are compiled and "
                       "launched by the caller, who gives them the buffer");
}

tilec_status OptionsReader::readStages(const tilec_options &options) {
  if (options.stop_after > TILEC_STAGE_CUBIN)
    return invalid("options: stop_after is " + llvm::Twine(options.stop_after) +
                   ", which is no stage");
  hasStage = options.stop_after != TILEC_STAGE_DEFAULT;
  if (hasStage)
    result.stopAfter = Stage(options.stop_after - TILEC_STAGE_AST);
  uint32_t unknown = options.keep_stages;
  for (Stage stage : allStages()) {
    uint32_t bit = TILEC_KEEP(uint32_t(stage) + TILEC_STAGE_AST);
    if (options.keep_stages & bit)
      result.keep.push_back(stage);
    unknown &= ~bit;
  }
  if (unknown)
    return invalid("options: unknown stages 0x" + llvm::utohexstr(unknown) + " in keep_stages");
  return TILEC_OK;
}

tilec_status OptionsReader::readModules(const tilec_options &options) {
  if (options.num_import_roots != 0 && !options.import_roots)
    return invalid("options: import_roots are null, their number is " +
                   llvm::Twine(options.num_import_roots));
  for (size_t i = 0; i < options.num_import_roots; ++i) {
    if (!options.import_roots[i])
      return invalid("options: import_roots [" + llvm::Twine(i) + "] is null");
    result.modules.roots.push_back(options.import_roots[i]);
  }
  if (options.num_modules != 0 && !options.modules)
    return invalid("options: modules are null, their number is " +
                   llvm::Twine(options.num_modules));
  for (size_t i = 0; i < options.num_modules; ++i) {
    const tilec_module &module = options.modules[i];
    if (!module.path || (!module.text && module.length != 0))
      return invalid("options: path or text of modules [" + llvm::Twine(i) + "] is null");
    result.modules.texts.push_back({module.path, std::string(module.text, module.length)});
  }
  return TILEC_OK;
}

tilec_status OptionsReader::readWarnings(const tilec_options &options) {
  if (options.num_warnings != 0 && !options.warnings)
    return invalid("options: warnings are null, their number is " +
                   llvm::Twine(options.num_warnings));
  for (size_t i = 0; i < options.num_warnings; ++i) {
    if (!options.warnings[i])
      return invalid("options: warnings [" + llvm::Twine(i) + "] is null");
    if (std::optional<std::string> problem = result.warnings.apply(options.warnings[i]))
      return invalid("options: " + *problem);
  }
  return TILEC_OK;
}

tilec_status OptionsReader::read(const tilec_options *given) {
  result.tools.executable = libraryPath();
  if (!given)
    return TILEC_OK;
  std::optional<tilec_options> options = readStruct(given, "options");
  if (!options)
    return TILEC_INVALID_ARGUMENT;
  if (options->cache) {
    cache = Caches::get().find(options->cache);
    if (!cache)
      return failHandle("tilec_cache");
    result.cache = cache.get();
  }
  result.kernel = textOrEmpty(options->kernel);
  hasTarget = options->target != nullptr;
  if (hasTarget)
    result.target = options->target;
  result.tools.ptxas = textOrEmpty(options->ptxas);
  result.tools.cudaHome = textOrEmpty(options->cuda_home);
  result.tools.path = textOrEmpty(options->search_path);
  result.tools.libclc = textOrEmpty(options->libclc);
  result.tools.libdevice = textOrEmpty(options->libdevice);
  tilec_status status =
      readBindings(options->arguments, options->num_arguments, "arguments", result.arguments);
  if (status == TILEC_OK)
    status =
        readBindings(options->constants, options->num_constants, "constants", result.constants);
  if (status == TILEC_OK)
    status = readNumbers(*options);
  if (status == TILEC_OK)
    status = readStages(*options);
  if (status == TILEC_OK)
    status = readModules(*options);
  if (status == TILEC_OK)
    status = readWarnings(*options);
  if (status == TILEC_OK)
    status = readTuned(*options);
  return status;
}

tilec_status OptionsReader::readTuned(const tilec_options &options) {
  if (!options.tuning_database)
    return TILEC_OK;
  tuned.database = options.tuning_database;
  tuned.device = textOrEmpty(options.tuning_device);
  if (tuned.device.empty()) {
    if (!isSimulator(result.target))
      return invalid("options: tuning_device is null: expected the name of a GPU, as "
                     "tilec_device_get_info has it");
    tuned.device = "simulator";
  }
  std::vector<ConstantSpec> sizes;
  if (tilec_status status =
          readBindings(options.tuning_sizes, options.num_tuning_sizes, "tuning_sizes", sizes))
    return status;
  for (const ConstantSpec &size : sizes) {
    int64_t value = 0;
    if (llvm::StringRef(size.value).getAsInteger(10, value))
      return invalid("options: size '" + size.name + "' is '" + size.value +
                     "', expected an integer");
    tuned.sizes.emplace_back(size.name, value);
  }
  return TILEC_OK;
}

tilec_status tilec::api::statusOf(Failure failure) {
  switch (failure) {
  case Failure::None:
    return TILEC_OK;
  case Failure::Input:
    return TILEC_INPUT_ERROR;
  case Failure::Unavailable:
    return TILEC_UNAVAILABLE;
  case Failure::Internal:
    return TILEC_INTERNAL;
  }
  return TILEC_INTERNAL;
}

std::string tilec::api::summarize(const DiagnosticsObject &diagnostics) {
  auto first = llvm::find_if(diagnostics.records, [](const DiagnosticRecord &record) {
    return record.severity == Severity::Error;
  });
  if (first == diagnostics.records.end())
    return "the compilation failed without a message";
  if (first->begin.line == 0)
    return first->message;
  return (first->file + ":" + llvm::Twine(first->begin.line) + ":" +
          llvm::Twine(first->begin.column) + ": " + first->message)
      .str();
}

CompileOutcome tilec::api::compileSource(CompilerObject &compilers, SourceLoad load,
                                         CompileOptions options, const TunedRequest &tuned) {
  SourceManager sources;
  DiagnosticEngine engine;
  std::unique_ptr<CompiledKernel> compiled;
  Failure failure = Failure::Input;
  if (llvm::Expected<FileId> file = load(sources)) {
    std::unique_ptr<Compiler> compiler = compilers.take();
    if (!tuned.database.empty())
      applyTuned(sources, *file, tuned, options, engine);
    compiled = compiler->compile(sources, *file, options, engine);
    failure = compiler->lastFailure();
    compilers.giveBack(std::move(compiler));
  } else {
    engine.error(SourceRange(), llvm::toString(file.takeError()), "source");
  }
  CompileOutcome outcome;
  outcome.status = statusOf(failure);
  if (!compiled && outcome.status == TILEC_OK)
    outcome.status = TILEC_INTERNAL;
  if (compiled)
    outcome.kernel = std::make_shared<KernelObject>(std::move(compiled));
  outcome.messages = std::make_shared<DiagnosticsObject>(sources, engine);
  return outcome;
}

/// What both ways to compile share; `load` puts the source into the manager.
static tilec_status compile(tilec_compiler *handle, const tilec_options *options,
                            tilec_kernel **kernel, tilec_diagnostics **diagnostics,
                            SourceLoad load) {
  if (!kernel)
    return invalid("kernel is null");
  std::shared_ptr<CompilerObject> object = Compilers::get().find(handle);
  if (!object)
    return failHandle("tilec_compiler");
  OptionsReader reader;
  if (tilec_status status = reader.read(options))
    return status;
  CompileOutcome outcome = compileSource(*object, load, std::move(reader.result), reader.tuned);
  if (outcome.status != TILEC_OK)
    fail(outcome.status, summarize(*outcome.messages));
  if (diagnostics)
    *diagnostics = Diagnostics::get().insert(std::move(outcome.messages));
  if (outcome.kernel)
    *kernel = Kernels::get().insert(std::move(outcome.kernel));
  return outcome.status;
}

tilec_status tilec_compiler_create(tilec_compiler **compiler) {
  return guarded([&] {
    if (!compiler)
      return invalid("compiler is null");
    *compiler = nullptr;
    *compiler = Compilers::get().insert(std::make_shared<CompilerObject>());
    return TILEC_OK;
  });
}

void tilec_compiler_destroy(tilec_compiler *compiler) { Compilers::get().erase(compiler); }

tilec_status tilec_compile_text(tilec_compiler *compiler, const char *name, const char *text,
                                size_t length, const tilec_options *options, tilec_kernel **kernel,
                                tilec_diagnostics **diagnostics) {
  clear(kernel);
  clear(diagnostics);
  return withText(name, text, length, [&](SourceLoad load) {
    return compile(compiler, options, kernel, diagnostics, load);
  });
}

tilec_status tilec_compile_file(tilec_compiler *compiler, const char *path,
                                const tilec_options *options, tilec_kernel **kernel,
                                tilec_diagnostics **diagnostics) {
  clear(kernel);
  clear(diagnostics);
  return withFile(
      path, [&](SourceLoad load) { return compile(compiler, options, kernel, diagnostics, load); });
}
