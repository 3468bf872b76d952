// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid of a launch from the expressions of a command line or a saved launch.

#ifndef TILEC_TOOLS_TILEC_LAUNCHGRID_H
#define TILEC_TOOLS_TILEC_LAUNCHGRID_H

#include "tilec/IRGen/KernelSelection.h"
#include "tilecrt/data/GridExpr.h"

#include <array>

namespace tilec::tool {

/// The programs that one to three expressions say; numbers that no GPU launches are errors.
tilecrt::Result<std::array<uint32_t, 3>> evaluateLaunchGrid(const std::string &text,
                                                            const tilecrt::NameLookup &lookup);

/// The integer that a compile-time parameter is: by `constants`, else by the first configuration of
/// autotune (which the compiler takes too), else by its default.
std::optional<int64_t> constantNumber(const ParsedSource &source, const KernelInfo &kernel,
                                      llvm::ArrayRef<ConstantSpec> constants, llvm::StringRef name);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_LAUNCHGRID_H
