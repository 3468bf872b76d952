// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The middle end for the simulator's code.

#ifndef TILEC_LIB_TARGET_HOST_HOSTPASSES_H
#define TILEC_LIB_TARGET_HOST_HOSTPASSES_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec {

/// Optimises `module`; levels above 1 unroll loops as well.
void runHostPasses(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel);

} // namespace tilec

#endif // TILEC_LIB_TARGET_HOST_HOSTPASSES_H
