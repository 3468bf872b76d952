// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way to compile a kernel, and lists of them: the search space of the autotuner as a caller
// writes it.

#ifndef TILEC_TUNING_TUNINGCONFIG_H
#define TILEC_TUNING_TUNINGCONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// Values of constants and launch options; what is not given is left to the kernel.
struct TuningConfig {
  /// Name and value (Python literal text), sorted by name in spaces and records.
  std::vector<std::pair<std::string, std::string>> constants;
  std::optional<int> numWarps, numStages, numCtas, splitK, maxRegisters;
  /// Microseconds that a model predicts, where the configuration comes from one; it makes no other
  /// configuration, and is not kept.
  std::optional<double> predicted;

  /// The value of a constant, or null.
  const std::string *find(llvm::StringRef name) const;
  void set(llvm::StringRef name, llvm::StringRef value);
  /// "BLOCK=64, num_warps=4"; "the defaults" when nothing is given.
  std::string describe() const;

  bool operator==(const TuningConfig &other) const;
};

/// A JSON value as the text of a Python literal; nothing for lists and objects.
std::optional<std::string> literalOf(const llvm::json::Value &value);

llvm::json::Value toJson(const TuningConfig &config);
/// Reads what toJson wrote; an error names the key.
llvm::Expected<TuningConfig> configFromJson(const llvm::json::Value &value);

/// Gives the configurations of a space's `product`.
using ProductExpander =
    llvm::function_ref<llvm::Expected<std::vector<TuningConfig>>(const llvm::json::Object &)>;

/// Most configurations of a space.
constexpr size_t mostConfigs = 100000;

/// Reads a search space:
///   {"configs": [{"constants": {"BLOCK": 64}, "num_warps": 4}, ...],
///    "constants": {"BLOCK": [64, 128]}, "num_warps": [4, 8], "num_stages": [2, 3],
///    "num_ctas": [1, 2, 4], "split_k": [1, 2, 4], "max_registers": [128]}
/// Every combination of the lists is tried with every one of `configs` (which may be left out). A
/// list's values come first; what a config says itself stays. Errors name the key. Instead of
/// `configs` there may be a `product`, an object whose configurations `expand` gives; without
/// `expand` it is an error.
llvm::Expected<std::vector<TuningConfig>> parseSearchSpace(llvm::StringRef text,
                                                           ProductExpander expand = nullptr);

/// Removes configurations that occurred before.
void removeDuplicates(std::vector<TuningConfig> &configs);

} // namespace tilec

#endif // TILEC_TUNING_TUNINGCONFIG_H
