// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelCheck.h. The variants of a guess often come out the same: each distinct one is tried
// once.

#include "tilec/Driver/KernelCheck.h"

#include "tilec/Sema/SignatureGuess.h"
#include "tilec/Target/PTXTarget.h"

#include <chrono>

namespace tilec {

static bool isAccepted(mlir::MLIRContext &context, SourceManager &sources,
                       const ast::Module &module, const IRGenOptions &options) {
  DiagnosticEngine aside(/*limit=*/1);
  mlir::OwningOpRef<mlir::ModuleOp> made = generateTile(context, module, sources, options, aside);
  return made && !aside.hasErrors();
}

PlausibleSignature findPlausibleSignature(mlir::MLIRContext &context, SourceManager &sources,
                                          const ast::Module &module, const KernelInfo &kernel,
                                          const CompileOptions &base, double budgetSeconds) {
  PlausibleSignature best;
  const ast::FunctionDef *function = module.findJitFunction(kernel.name);
  if (!function)
    return best;

  std::vector<std::string> known = kernel.heuristics;
  if (!kernel.configs.empty())
    for (const auto &[name, value] : kernel.configs.front().constants)
      known.push_back(name);
  for (const ArgumentSpec &argument : base.arguments)
    known.push_back(argument.name);
  for (const ConstantSpec &constant : base.constants)
    known.push_back(constant.name);

  ModuleLoader modules(sources, base.modules);
  IRGenOptions irgen;
  irgen.modules = &modules;
  irgen.kernel = kernel.name;
  irgen.numWarps = base.numWarps;
  irgen.numStages = base.numStages;
  irgen.debug = base.debug;
  llvm::StringRef processor = base.target;
  processor.consume_front("sim:");
  if (llvm::Expected<PTXTarget> target = findPTXTarget(processor))
    irgen.computeCapability = target->computeCapability;
  else
    llvm::consumeError(target.takeError());

  std::vector<ParamUse> uses = findParamUses(module, *function);
  std::vector<std::vector<ParamGuess>> tried;
  auto start = std::chrono::steady_clock::now();
  for (const GuessVariant &variant : guessVariants()) {
    std::vector<ParamGuess> guess = guessSignature(module, *function, uses, known, variant);
    if (llvm::is_contained(tried, guess))
      continue;
    tried.push_back(guess);
    PlausibleSignature candidate;
    candidate.arguments = base.arguments;
    candidate.constants = base.constants;
    for (const ParamGuess &param : guess) {
      if (param.isConstant)
        candidate.constants.push_back({param.name, param.text});
      else
        candidate.arguments.push_back({param.name, param.text});
    }
    irgen.arguments = candidate.arguments;
    irgen.constants = candidate.constants;
    candidate.isAccepted = isAccepted(context, sources, module, irgen);
    if (candidate.isAccepted || tried.size() == 1)
      best = std::move(candidate);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (best.isAccepted || (budgetSeconds > 0 && elapsed.count() > budgetSeconds))
      break;
  }
  best.numTried = unsigned(tried.size());
  return best;
}

WarningOptions warningsOfGuess(const WarningOptions &given) {
  WarningOptions warnings;
  for (llvm::StringRef name : {warnings::kStoreTruncation, warnings::kFloatNarrowing})
    (void)warnings.apply(("no-" + name).str());
  for (const std::string &text : given.getTexts())
    (void)warnings.apply(text);
  return warnings;
}

} // namespace tilec
