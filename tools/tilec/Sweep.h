// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that a measurement goes through: '--sweep N=256,512' gives N, and what stands in braces in
// data, grid and constants is evaluated with it, as in 'randn:f32[64x{2 * N}]'.

#ifndef TILEC_TOOLS_TILEC_SWEEP_H
#define TILEC_TOOLS_TILEC_SWEEP_H

#include "Options.h"

#include "tilecrt/Result.h"

namespace tilec::tool {

/// A text with the values of its expressions in braces.
tilecrt::Result<std::string> fillSizes(llvm::StringRef text, const SweptSizes &sizes);

/// The same for all texts of a command; an error names the option.
tilecrt::Status fillSizes(RunCommand &command, const SweptSizes &sizes);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_SWEEP_H
