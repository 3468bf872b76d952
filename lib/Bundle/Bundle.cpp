// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Bundle.h.

#include "tilec/Bundle/Bundle.h"

#include "tilecrt/data/GridExpr.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec {

int driverOfPTX(int version) {
  // 7.8 is CUDA 11.8 and 8.0 to 8.5 are 12.0 to 12.5; 8.6 came with 12.7.
  if (version < 80)
    return 0;
  if (version < 90)
    return 12000 + 10 * (version % 10 + (version >= 86 ? 1 : 0));
  return 13000 + 10 * (version % 10);
}

/// Whether a grid of the image may ask for a name.
static bool hasInteger(const BundleImage &image, const std::string &name) {
  return llvm::any_of(image.integers, [&](const auto &known) { return known.first == name; }) ||
         llvm::any_of(image.metadata.arguments, [&](const tilecrt::KernelArgument &argument) {
           return argument.name == name && argument.kind == tilecrt::ArgumentKind::integer;
         });
}

tilecrt::Status checkGrids(const Bundle &bundle) {
  for (const BundleKernel &kernel : bundle.kernels) {
    if (kernel.grid.empty())
      continue;
    std::string where = "kernel '" + kernel.name + "': grid '" + kernel.grid.substr(0, 80) + "'";
    auto sizes = tilecrt::parseExpressions(kernel.grid, 3);
    if (!sizes.ok())
      return sizes.status().withContext(where);
    for (const tilecrt::Expression &size : *sizes)
      for (const tilecrt::ExprStep &step : size)
        for (const BundleImage &image : kernel.images)
          if (step.kind == tilecrt::ExprStep::Kind::name && !hasInteger(image, step.name))
            return tilecrt::invalidArgument("column " + std::to_string(step.column) +
                                            ": unknown name '" + step.name + "'")
                .withContext(where);
  }
  return tilecrt::Status();
}

void sortImages(std::vector<BundleImage> &images) {
  llvm::sort(images, [](const BundleImage &a, const BundleImage &b) {
    auto rank = [](const BundleImage &image) {
      char suffix = image.target.back();
      return std::make_tuple(image.isPtx,
                             suffix == 'a'   ? 0
                             : suffix == 'f' ? 1
                                             : 2,
                             -image.computeCapability);
    };
    return rank(a) < rank(b);
  });
}

} // namespace tilec
