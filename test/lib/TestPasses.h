// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that exist for tests only: each turns the facts of an analysis into attributes that
// FileCheck reads.

#ifndef TILEC_TEST_LIB_TESTPASSES_H
#define TILEC_TEST_LIB_TESTPASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tilec {

/// `test-axis-info`: the axis facts of every integer and pointer value.
std::unique_ptr<mlir::Pass> createTestAxisInfoPass();

/// `test-shared-allocation`: the placement of every `tilegpu.local_alloc`.
std::unique_ptr<mlir::Pass> createTestSharedAllocationPass();

/// `test-synchronisation`: marks the operations that need a barrier or a fence.
std::unique_ptr<mlir::Pass> createTestSynchronisationPass();

/// `test-print-synchronisation`: prints the barriers and fences that are missing, and why.
std::unique_ptr<mlir::Pass> createTestPrintSynchronisationPass();

/// `test-print-schedule`: prints how loops would be pipelined.
std::unique_ptr<mlir::Pass> createTestPrintSchedulePass();

/// `test-print-register-plan`: prints what would be spilled to shared memory.
std::unique_ptr<mlir::Pass> createTestPrintRegisterPlanPass();

/// Registers all of them with the global pass registry.
void registerTestPasses();

} // namespace tilec

#endif // TILEC_TEST_LIB_TESTPASSES_H
