// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel as bytes, for another process of the same version.

#ifndef TILEC_TUNING_HANDEDKERNEL_H
#define TILEC_TUNING_HANDEDKERNEL_H

#include "tilec/Driver/Compiler.h"
#include "tilecrt/Result.h"

namespace tilec {

std::string encodeKernel(const CompiledKernel &kernel);
tilecrt::Result<std::unique_ptr<CompiledKernel>> decodeKernel(llvm::StringRef bytes);

/// The same over a file.
tilecrt::Status writeKernel(const CompiledKernel &kernel, const std::string &path);
tilecrt::Result<std::unique_ptr<CompiledKernel>> readKernel(const std::string &path);

} // namespace tilec

#endif // TILEC_TUNING_HANDEDKERNEL_H
