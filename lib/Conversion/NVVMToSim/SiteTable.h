// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places in the source that instrumented operations name by index.

#ifndef TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H
#define TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H

#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// Collects sites in the order they are added.
class SiteTable {
public:
  /// Adds the place of `loc`: of an inlined operation the innermost one, with the caller appended
  /// to `what`. Returns its index.
  int32_t add(mlir::Location loc, const llvm::Twine &what);

  /// Puts the table into the module's attribute.
  void attach(mlir::ModuleOp module) const;

private:
  struct Site {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
    std::string what;
  };
  std::vector<Site> sites;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H
