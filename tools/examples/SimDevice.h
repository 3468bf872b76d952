// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of kernels that are compiled already on the simulator.

#ifndef TILEC_TOOLS_EXAMPLES_SIMDEVICE_H
#define TILEC_TOOLS_EXAMPLES_SIMDEVICE_H

#include "KernelDevice.h"

#include "tilec/Driver/Compiler.h"

namespace tilec::harness {

Result<Outcome> runOnSimulator(const CompiledKernel &kernel, const KernelRun &run,
                               const RunOptions &options);

} // namespace tilec::harness

#endif // TILEC_TOOLS_EXAMPLES_SIMDEVICE_H
