// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes on tile programs at any stage, for pass authors and tests: mlir-opt with our dialects
// and passes.

#include "tilec/Driver/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef TILEC_TEST_PASSES
namespace tilec {
/// In test/lib, which only a build with tests has.
void registerTestPasses();
} // namespace tilec
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilec::registerDialects(registry);
  tilec::registerPasses();
#ifdef TILEC_TEST_PASSES
  tilec::registerTestPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tile-opt: runs passes on tile programs\n", registry));
}
