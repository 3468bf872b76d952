// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the test-only passes.

#include "test/lib/TestPasses.h"

namespace tilec {

void registerTestPasses() {
  mlir::registerPass(createTestAxisInfoPass);
  mlir::registerPass(createTestSharedAllocationPass);
  mlir::registerPass(createTestSynchronisationPass);
  mlir::registerPass(createTestPrintSynchronisationPass);
  mlir::registerPass(createTestPrintSchedulePass);
  mlir::registerPass(createTestPrintRegisterPlanPass);
}

} // namespace tilec
