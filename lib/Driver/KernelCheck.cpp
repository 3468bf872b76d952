// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelCheck.h. The variants of a guess come first; each distinct one is tried once. When none
// is accepted, the one that gets furthest is mended: parameters are changed one at a time, and what
// moves the first error on is kept.

#include "tilec/Driver/KernelCheck.h"

#include "dialects/Tile/TileOps.h"
#include "tilec/Support/Processor.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <set>

namespace tilec {

namespace {

/// Elements of the largest block that a kernel of 4 warps would have.
constexpr int64_t blockLimit = 16384;
/// Multiply-adds of the matrix products in its text.
constexpr int64_t productLimit = 4 << 20;

class SignatureSearch {
public:
  SignatureSearch(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
                  const ast::Module &astModule, const KernelInfo &kernel,
                  const CompileOptions &compileOptions, double budgetSeconds);

  PlausibleSignature run(const ast::FunctionDef &function,
                         llvm::ArrayRef<PlausibleSignature> rejected);

private:
  using Guess = std::vector<ParamGuess>;
  /// How far the front end gets.
  struct Trial {
    bool isAccepted = false;
    /// Elements of the largest block, and multiply-adds of all matrix products, of accepted ones.
    int64_t largest = 0, products = 0;
    uint64_t steps = 0;
    SourceRange place;
    std::string message;

    bool isAt(const Trial &other) const {
      return place.file == other.place.file && place.begin == other.place.begin &&
             place.end == other.place.end;
    }
    /// How far sizes that must agree are from each other where it ends; 0 where it is not for that.
    double getMismatch() const;
    bool isCloserThan(const Trial &other) const {
      double own = getMismatch();
      return isAt(other) && own != 0 && own < other.getMismatch();
    }

    bool isLarge() const { return largest > blockLimit || products > productLimit; }
    bool isSmallerThan(const Trial &other) const {
      return largest < other.largest || products < other.products;
    }
    /// Gets past the error of the other one. More steps alone do not tell: a branch may have been
    /// added before it. Nor does an error in a part of what was wrong before, as parts come first.
    bool isFurther(const Trial &other) const {
      bool isSame = message == other.message && place.begin == other.place.begin;
      bool isPart = place.file == other.place.file && place.begin >= other.place.begin &&
                    place.end <= other.place.end && place.size() < other.place.size();
      return isAccepted || (steps > other.steps && !isSame && !isPart);
    }
  };

  /// What the command line does not say.
  void addGiven(llvm::ArrayRef<ParamGuess> guesses);
  /// False when it has been tried before or time is up.
  bool isNew(const Guess &guess);
  bool isOver() const {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return budget > 0 && elapsed.count() > budget;
  }
  Trial tryOut(const Guess &guess);
  /// Changes one parameter after the other; whether it is accepted in the end.
  bool mend(const ast::FunctionDef &function, llvm::ArrayRef<ParamUse> uses, Guess &guess,
            Trial &trial);
  /// Takes smaller sizes where blocks are larger than anybody would choose.
  void shrink(const ast::FunctionDef &function, llvm::ArrayRef<ParamUse> uses, Guess &guess,
              Trial current);
  PlausibleSignature accept(const ast::FunctionDef &function, llvm::ArrayRef<ParamUse> uses,
                            Guess guess, const Trial &trial);
  PlausibleSignature finish(const Guess &guess, bool isAccepted) const;
  void setSpecs(const Guess &guess, std::vector<ArgumentSpec> &arguments,
                std::vector<ConstantSpec> &constants) const;

  mlir::MLIRContext &context;
  SourceManager &sources;
  const ast::Module &module;
  CompileOptions base;
  ModuleLoader modules;
  IRGenOptions irgen;
  /// Parameters that are not guessed.
  std::vector<std::string> known;
  llvm::ArrayRef<std::string> heuristics;
  /// Parameters that are guessed although they have default values.
  std::vector<std::string> asked;
  std::set<std::string> tried;
  unsigned numTried = 0;
  double budget;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace

SignatureSearch::SignatureSearch(mlir::MLIRContext &mlirContext, SourceManager &sourceManager,
                                 const ast::Module &astModule, const KernelInfo &kernel,
                                 const CompileOptions &compileOptions, double budgetSeconds)
    : context(mlirContext), sources(sourceManager), module(astModule), base(compileOptions),
      modules(sourceManager, compileOptions.modules), known(kernel.heuristics),
      heuristics(kernel.heuristics), budget(budgetSeconds) {
  if (!kernel.configs.empty())
    for (const auto &[name, value] : kernel.configs.front().constants)
      known.push_back(name);
  if (const ast::FunctionDef *function = module.findJitFunction(kernel.name))
    addGiven(readSignature(*function));
  for (const ArgumentSpec &argument : base.arguments)
    known.push_back(argument.name);
  for (const ConstantSpec &constant : base.constants)
    known.push_back(constant.name);

  irgen.modules = &modules;
  irgen.kernel = kernel.name;
  irgen.specialization() = base;
  if (llvm::Expected<CompileTarget> target = findTarget(base.target))
    irgen.processor = target->processor;
  else
    llvm::consumeError(target.takeError());
}

double SignatureSearch::Trial::getMismatch() const {
  // "... 512 elements become 64"
  auto [before, after] = llvm::StringRef(message).rsplit(" elements become ");
  double from = 0, to = 0;
  if (before.rsplit(' ').second.getAsDouble(from) || after.getAsDouble(to) || from <= 0 || to <= 0)
    return 0;
  return std::abs(std::log2(from / to));
}

void SignatureSearch::addGiven(llvm::ArrayRef<ParamGuess> guesses) {
  for (const ParamGuess &guess : guesses) {
    auto isThis = [&](const auto &spec) { return spec.name == guess.name; };
    if (llvm::any_of(base.arguments, isThis) || llvm::any_of(base.constants, isThis))
      continue;
    if (guess.isConstant)
      base.constants.push_back({guess.name, guess.text});
    else
      base.arguments.push_back({guess.name, guess.text});
  }
}

void SignatureSearch::setSpecs(const Guess &guess, std::vector<ArgumentSpec> &arguments,
                               std::vector<ConstantSpec> &constants) const {
  arguments = base.arguments;
  constants = base.constants;
  for (const ParamGuess &param : guess) {
    if (param.isConstant)
      constants.push_back({param.name, param.text});
    else
      arguments.push_back({param.name, param.text});
  }
}

PlausibleSignature SignatureSearch::finish(const Guess &guess, bool isAccepted) const {
  PlausibleSignature result;
  setSpecs(guess, result.arguments, result.constants);
  result.isAccepted = isAccepted;
  result.numTried = numTried;
  result.guess = guess;
  return result;
}

bool SignatureSearch::isNew(const Guess &guess) {
  std::string key;
  for (const ParamGuess &param : guess)
    key += param.name + (param.isConstant ? "=" : ":") + param.text + ";";
  return tried.insert(key).second;
}

SignatureSearch::Trial SignatureSearch::tryOut(const Guess &guess) {
  ++numTried;
  setSpecs(guess, irgen.arguments, irgen.constants);
  DiagnosticEngine aside(/*limit=*/1);
  Trial trial;
  irgen.stepsToError = &trial.steps;
  mlir::OwningOpRef<mlir::ModuleOp> made = generateTile(context, module, sources, irgen, aside);
  trial.isAccepted = made && !aside.hasErrors();
  if (trial.isAccepted)
    made->walk([&](mlir::Operation *op) {
      if (auto dot = llvm::dyn_cast<tile::DotOp>(op)) {
        auto lhs = llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType());
        auto product = llvm::cast<mlir::RankedTensorType>(dot.getType());
        trial.products += lhs.getShape().back() * product.getNumElements();
      }
      for (mlir::Type type : op->getResultTypes())
        if (auto block = llvm::dyn_cast<mlir::RankedTensorType>(type))
          trial.largest = std::max(trial.largest, block.getNumElements());
    });
  for (const Diagnostic &diagnostic : aside.getDiagnostics()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    trial.place = diagnostic.range;
    trial.message = diagnostic.message;
    break;
  }
  return trial;
}

bool SignatureSearch::mend(const ast::FunctionDef &function, llvm::ArrayRef<ParamUse> uses,
                           Guess &guess, Trial &trial) {
  auto getUse = [&](const ParamGuess &guessed) -> const ParamUse & {
    auto param = llvm::find_if(function.params,
                               [&](const ast::Param &each) { return each.name == guessed.name; });
    return uses[size_t(param - function.params.begin())];
  };
  for (bool progress = true; progress;) {
    progress = false;
    // Another error of the same place may mean that one thing more is wrong with it.
    std::optional<std::pair<Guess, Trial>> inPlace;
    for (size_t i = 0; i < guess.size(); ++i) {
      const ParamUse &use = getUse(guess[i]);
      for (const ParamGuess &alternative : findAlternatives(module, use, guess[i])) {
        Guess other = guess;
        // Both operands of a product have scales of one type.
        for (ParamGuess &each : other)
          if (use.loadsScales && getUse(each).loadsScales)
            each.text = alternative.text;
        other[i] = alternative;
        if (!isNew(other))
          continue;
        if (isOver())
          return false;
        Trial next = tryOut(other);
        bool isFurther = next.isFurther(trial);
        bool isNear = !next.isAccepted && next.isAt(trial);
        if (isNear && !inPlace && (isFurther || next.isCloserThan(trial)))
          inPlace.emplace(other, next);
        if (!isFurther || isNear)
          continue;
        guess = std::move(other);
        trial = std::move(next);
        progress = true;
        if (trial.isAccepted)
          return true;
      }
    }
    if (!progress && inPlace) {
      std::tie(guess, trial) = std::move(*inPlace);
      progress = true;
    }
  }
  return false;
}

void SignatureSearch::shrink(const ast::FunctionDef &function, llvm::ArrayRef<ParamUse> uses,
                             Guess &guess, Trial current) {
  for (unsigned size : {128u, 64u, 32u, 16u, 8u, 4u}) {
    if (!current.isLarge())
      return;
    Guess smaller = guess;
    for (auto [param, use] : llvm::zip(function.params, uses))
      for (ParamGuess &each : smaller) {
        unsigned old = 0;
        bool isSize = each.name == param.name && each.isConstant && use.isExtent &&
                      !llvm::StringRef(each.text).getAsInteger(10, old);
        if (isSize && old > size)
          each.text = std::to_string(size);
      }
    if (!isNew(smaller) || isOver())
      continue;
    Trial trial = tryOut(smaller);
    if (!trial.isAccepted || !trial.isSmallerThan(current))
      continue;
    guess = std::move(smaller);
    current = std::move(trial);
  }
}

PlausibleSignature SignatureSearch::accept(const ast::FunctionDef &function,
                                           llvm::ArrayRef<ParamUse> uses, Guess guess,
                                           const Trial &trial) {
  shrink(function, uses, guess, trial);
  return finish(guess, true);
}

PlausibleSignature SignatureSearch::run(const ast::FunctionDef &function,
                                        llvm::ArrayRef<PlausibleSignature> rejected) {
  std::vector<ParamUse> uses = findParamUses(module, function, &modules);
  for (const PlausibleSignature &signature : rejected)
    isNew(signature.guess);

  // What is refused later was most often too large.
  if (!rejected.empty()) {
    auto retry = [&](llvm::function_ref<void(ParamGuess &, const ParamUse &)> change) {
      Guess guess = rejected.front().guess;
      for (auto [param, use] : llvm::zip(function.params, uses))
        for (ParamGuess &each : guess)
          if (each.name == param.name)
            change(each, use);
      if (!isNew(guess) || isOver() || !tryOut(guess).isAccepted)
        return PlausibleSignature();
      return finish(guess, true);
    };
    for (const char *size : {"32", "16", "128"}) {
      PlausibleSignature found = retry([&](ParamGuess &param, const ParamUse &use) {
        if (param.isConstant && use.isExtent)
          param.text = size;
      });
      if (found.isAccepted)
        return found;
    }
    for (const char *narrow : {"*bf16:16", "*fp16:16"}) {
      PlausibleSignature found = retry([&](ParamGuess &param, const ParamUse &) {
        if (!param.isConstant && param.text == "*fp32:16")
          param.text = narrow;
      });
      if (found.isAccepted)
        return found;
    }
  }

  Guess first, best;
  Trial plausible, furthest;
  bool hasBadHeuristic = false;
  for (unsigned round = 0; round < 2; ++round) {
    for (const GuessVariant &variant : guessVariants()) {
      Guess guess = guessSignature(module, function, uses, known, variant, asked);
      if (!isNew(guess))
        continue;
      Trial trial = tryOut(guess);
      if (trial.isAccepted)
        return accept(function, uses, std::move(guess), trial);
      hasBadHeuristic |= llvm::StringRef(trial.message).starts_with("the heuristic for");
      if (first.empty()) {
        first = guess;
        plausible = trial;
      }
      if (best.empty() || trial.steps > furthest.steps) {
        best = std::move(guess);
        furthest = std::move(trial);
      }
      if (isOver())
        break;
    }
    if (!hasBadHeuristic || round == 1)
      break;
    // Heuristics of run-time values, or those that only change what the caller gives.
    llvm::erase_if(known,
                   [&](const std::string &name) { return llvm::is_contained(heuristics, name); });
    asked = heuristics;
    first.clear();
    best.clear();
  }

  // The most plausible one shows best what is wrong with the kernel. No other types help where a
  // module is missing.
  bool isMissing = llvm::StringRef(plausible.message).ends_with("which is not found");
  if (rejected.empty() && !(isMissing && plausible.message == furthest.message)) {
    Guess mended = first;
    if (mend(function, uses, mended, plausible))
      return accept(function, uses, std::move(mended), plausible);
    if (mend(function, uses, best, furthest))
      return accept(function, uses, std::move(best), furthest);
    if (plausible.steps >= furthest.steps)
      return finish(mended, false);
  }
  return finish(best, false);
}

PlausibleSignature findPlausibleSignature(mlir::MLIRContext &context, SourceManager &sources,
                                          const ast::Module &module, const KernelInfo &kernel,
                                          const CompileOptions &base, double budgetSeconds,
                                          llvm::ArrayRef<PlausibleSignature> rejected) {
  const ast::FunctionDef *function = module.findJitFunction(kernel.name);
  if (!function)
    return {};
  return SignatureSearch(context, sources, module, kernel, base, budgetSeconds)
      .run(*function, rejected);
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
