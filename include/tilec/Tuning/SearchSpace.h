// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configurations of a kernel are tried, and what the best one is filed under.

#ifndef TILEC_TUNING_SEARCHSPACE_H
#define TILEC_TUNING_SEARCHSPACE_H

#include "tilec/Driver/CompileOptions.h"
#include "tilec/Tuning/TuningDatabase.h"

#include "llvm/ADT/StringMap.h"

namespace tilec {

/// The configurations of the kernel's decorators; none, or one for each triton.Config. What a
/// configuration says of names that are no parameters is left out.
std::vector<TuningConfig> configsOf(const KernelInfo &kernel);

/// Values that are combined with all configurations, and count more than what those say.
struct SpaceLists {
  std::vector<std::pair<std::string, std::vector<std::string>>> constants;
  std::vector<int> numWarps, numStages, numCtas, splitK;
};

struct ProductLaunch;

/// The configurations of `space` (JSON text as for parseSearchSpace) or, when that is empty, those
/// of the kernel, combined with the lists; at least one. A space with a `product` needs `launch`.
llvm::Expected<std::vector<TuningConfig>> makeSearchSpace(const KernelInfo &kernel,
                                                          llvm::StringRef space,
                                                          const SpaceLists &lists = {},
                                                          const ProductLaunch *launch = nullptr);

/// Gives options the constants and launch options of a configuration that they do not have.
/// Constants that are no parameters of the kernel are left out, and clusters that are too large.
/// One cluster is for several programs or for one: what options say of either counts.
void applyConfig(const TuningConfig &config, const KernelInfo &kernel, CompileOptions &options);

/// What `prune_configs_by` of the source asks for, for a launch with these integer arguments. Its
/// `early_config_prune` is run at compile time and leaves fewer configurations in `kernel`. A
/// `perf_model` is the host's: the tuner's own bounds take its place, so that `top_k` is a budget,
/// which is returned (0: none). Remarks of the category "tuning" say what could not be done, and
/// why.
size_t applyHostPruning(KernelInfo &kernel, const ast::Module &module, SourceManager &sources,
                        const ModuleSearch &modules, const llvm::StringMap<int64_t> &integers,
                        DiagnosticEngine &diagnostics);

/// What is known about a launch before it is compiled.
struct LaunchFacts {
  /// In any order.
  std::vector<ArgumentSpec> types;
  /// Values of integer arguments, by name.
  std::vector<std::pair<std::string, int64_t>> integers;
  /// Elements of the arrays that arguments point to.
  std::vector<std::pair<std::string, int64_t>> arraySizes;
};

/// What a launch is filed under. Sizes are those of the autotune key, else all integers, else those
/// of the arrays.
TuningKey makeTuningKey(const KernelInfo &kernel, const std::string &kernelHash,
                        const std::string &device, const LaunchFacts &facts);

/// What is known about a launch of which types and sizes are given by name: values of integers, and
/// `x.size` of arrays.
LaunchFacts factsOf(const std::vector<ArgumentSpec> &types,
                    const std::vector<std::pair<std::string, int64_t>> &sizes);

/// Says that a database has nothing for a launch.
std::string noConfiguration(const std::string &database, const std::string &kernel,
                            const std::string &device);

} // namespace tilec

#endif // TILEC_TUNING_SEARCHSPACE_H
