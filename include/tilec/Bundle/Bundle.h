// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ahead-of-time bundles: kernels that were compiled for some targets, and how they are launched. A
// bundle is written as C source (CSource.h) or as one file (BundleFile.h).

#ifndef TILEC_BUNDLE_BUNDLE_H
#define TILEC_BUNDLE_BUNDLE_H

#include "tilec/Driver/CompileOptions.h"
#include "tilec/Target/HostJIT.h"
#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// The code of a kernel for one target: a cubin, PTX for the driver to assemble, or host code for
/// the simulator.
struct BundleImage {
  /// "sm_90a", "sim".
  std::string target;
  /// Compute capability that the code is for: 90; 0 for the simulator.
  int computeCapability = 0;
  bool isPtx = false;
  /// The oldest driver that takes it, as cuDriverGetVersion gives it; 0: any that bundles run with.
  int driverVersion = 0;
  /// Cubin or PTX.
  std::string bytes;
  std::optional<HostImage> host;
  tilecrt::KernelMetadata metadata;
  /// Constants and launch options, for people.
  std::string config;
  /// What it was compiled with.
  CodeOptions options;
  /// Constants with integer values, for the grid.
  std::vector<std::pair<std::string, int64_t>> integers;
};

/// A parameter of a kernel, as its text has it.
struct BundleParameter {
  std::string name;
  bool isConstexpr = false;
  /// As source text; empty where there is none.
  std::string defaultValue;
};

/// Where a kernel comes from, for those that want to look at it.
struct BundleSource {
  /// The name of the file, and what is in it.
  std::string file, text;
  /// What it imports.
  std::vector<ModuleText> modules;
};

struct BundleKernel {
  /// A C identifier: the launch function is BUNDLE_NAME.
  std::string name;
  /// The kernel's own name, which several entries may have in common.
  std::string kernel;
  std::vector<BundleParameter> parameters;
  /// One to three expressions over arguments and constants, as for 'tilec run'; empty: the caller
  /// gives the grid.
  std::string grid;
  /// How it is launched.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool isCooperative = false;
  bool isProgrammatic = false;
  /// The best first.
  std::vector<BundleImage> images;
  /// When it was asked for.
  std::optional<BundleSource> source;
};

struct Bundle {
  /// A C identifier.
  std::string name;
  std::vector<BundleKernel> kernels;
};

/// The driver, as cuDriverGetVersion gives it, that came with a version of PTX, as in 84.
int driverOfPTX(int version);

/// Fails where a kernel's grid cannot be computed from its arguments and constants.
tilecrt::Status checkGrids(const Bundle &bundle);

/// Sorts images for loading: cubins before PTX, those for one processor only before others, newer
/// ones before older ones.
void sortImages(std::vector<BundleImage> &images);

} // namespace tilec

#endif // TILEC_BUNDLE_BUNDLE_H
