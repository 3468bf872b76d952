// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a bundle is to be made of, as JSON:
//   {"name": "ops", "targets": ["sm_80", "sm_90a"],
//    "kernels": [{"file": "add.tile", "name": "add_f32", "grid": "cdiv(n, BLOCK)",
//                 "arguments": {"x": "*fp32:16", "n": "i32"}, "constants": {"BLOCK": 1024},
//                 "num_warps": 4}]}
// Of a kernel only "file" is needed. Besides those above there are "kernel", "num_stages",
// "num_ctas", "split_k", "cluster", "cooperative", "programmatic", "import_roots", and "tuned".

#ifndef TILEC_BUNDLE_BUNDLESPEC_H
#define TILEC_BUNDLE_BUNDLESPEC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// A configuration that a tuning database has.
struct TunedSpec {
  /// A path.
  std::string database;
  /// The device whose configuration a target gets; the others have none.
  std::map<std::string, std::string> deviceOf;
  /// By name, sorted: values of integers, and `x.size` of arrays.
  std::vector<std::pair<std::string, int64_t>> sizes;
};

struct BundleKernelSpec {
  /// A path.
  std::string file;
  /// Empty: the file's only entry kernel.
  std::string kernel;
  /// Empty: the kernel's own.
  std::string name;
  std::string grid;
  /// Paths.
  std::vector<std::string> importRoots;
  /// Types and values by the parameter's name, sorted.
  std::vector<std::pair<std::string, std::string>> arguments, constants;
  std::optional<int> numWarps, numStages, numCtas, splitK;
  bool tensorCopies = true;
  std::optional<TunedSpec> tuned;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool isCooperative = false;
  bool isProgrammatic = false;
};

struct BundleSpec {
  /// A C identifier.
  std::string name;
  std::vector<std::string> targets;
  std::vector<BundleKernelSpec> kernels;
};

/// Reads a specification whose relative paths begin in `folder`. An error names the key, and the
/// kernel by its number.
llvm::Expected<BundleSpec> parseBundleSpec(llvm::StringRef text, llvm::StringRef folder);

} // namespace tilec

#endif // TILEC_BUNDLE_BUNDLESPEC_H
