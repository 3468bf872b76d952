// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ahead-of-time bundles: compiled kernels as C source, with a typed launch function for each kernel
// and a loader that needs the CUDA driver at run time, and nothing at build time.

#ifndef TILEC_TOOLS_TILEC_BUNDLESOURCE_H
#define TILEC_TOOLS_TILEC_BUNDLESOURCE_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"

#include <array>
#include <string>
#include <vector>

namespace tilec::tool {

/// The code of a kernel for one target: a cubin, or PTX for the driver to assemble.
struct BundleImage {
  /// "sm_90a".
  std::string target;
  /// Compute capability that the code is for: 90.
  int computeCapability = 0;
  bool isPtx = false;
  /// The oldest driver that takes it, as cuDriverGetVersion gives it; 0: any that bundles run with.
  int driverVersion = 0;
  std::string bytes;
  tilecrt::KernelMetadata metadata;
  /// Constants and launch options, for people.
  std::string config;
  /// Constants with integer values, for the grid.
  std::vector<std::pair<std::string, int64_t>> constants;
};

struct BundleKernel {
  /// A C identifier: the launch function is BUNDLE_NAME.
  std::string name;
  /// One to three expressions over arguments and constants, as for 'tilec run'; empty: the caller
  /// gives the grid.
  std::string grid;
  /// How it is launched.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool isCooperative = false;
  bool isProgrammatic = false;
  /// The best first.
  std::vector<BundleImage> images;
};

struct Bundle {
  /// A C identifier.
  std::string name;
  std::vector<BundleKernel> kernels;
};

struct BundleFiles {
  std::string header, source;
};

/// The files NAME.h and NAME.c. Deterministic. Fails where a kernel cannot be put into a bundle.
tilecrt::Result<BundleFiles> writeBundle(const Bundle &bundle);

/// Whether a text is a C identifier that is no keyword of C or C++.
bool isCIdentifier(const std::string &text);

/// The driver, as cuDriverGetVersion gives it, that came with a version of PTX, as in 84.
int driverOfPTX(int version);

/// The loader, what grids are computed with, and tensor maps, with "@NAME@" in the place of the
/// bundle's name.
extern const char *const bundleLoaderText;
extern const char *const bundleMathText;
extern const char *const bundleMapsText;

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_BUNDLESOURCE_H
