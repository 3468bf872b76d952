// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor that tilec itself runs on, as a target of LLVM.

#ifndef TILEC_LIB_TARGET_HOST_HOSTMACHINE_H
#define TILEC_LIB_TARGET_HOST_HOSTMACHINE_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace tilec {

/// A target machine for this process. Of the processor's extensions only those are used that give
/// the same results as their replacements.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine(unsigned optLevel);

/// Names the target machine: its architecture and extensions.
std::string hostMachineName();

} // namespace tilec

#endif // TILEC_LIB_TARGET_HOST_HOSTMACHINE_H
