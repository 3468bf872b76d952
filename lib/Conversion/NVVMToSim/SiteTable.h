// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places in the source that instrumented operations name by index.

#ifndef TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H
#define TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace tilec {

/// Instructions of one class at one site.
struct SiteInstructions {
  int32_t site = 0, instructionClass = 0, amount = 0;
};

/// Collects sites in the order they are added.
class SiteTable {
public:
  /// Adds the place of `loc`: of an inlined operation the innermost one, with the caller appended
  /// to `what`. Returns its index.
  int32_t add(mlir::Location loc, const llvm::Twine &what);

  /// The same site for the same place, words and uniformity: of the operations that one of the
  /// source was unrolled to. `isUniform` says that the lanes of a warp have one address.
  int32_t addOnce(mlir::Location loc, llvm::StringRef what, bool isUniform = false);

  /// The site of all instructions at that place.
  int32_t instructionsAt(mlir::Location loc);

  /// Says what the block has that is counted at `site`.
  void setBlock(int32_t site, std::vector<SiteInstructions> block) {
    sites[size_t(site)].block = std::move(block);
  }

  /// Puts the table into the module's attribute.
  void attach(mlir::ModuleOp module) const;

private:
  struct Site {
    /// The place, and the calls around it, innermost first; empty when it is not known.
    llvm::SmallVector<mlir::FileLineColRange, 1> frames;
    std::string what;
    std::vector<SiteInstructions> block;
    bool isUniform = false;
  };
  std::vector<Site> sites;
  llvm::DenseMap<mlir::Location, int32_t> instructionSites;
  /// Looked up, never iterated.
  std::map<std::tuple<const void *, std::string, bool>, int32_t> sharedSites;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_NVVMTOSIM_SITETABLE_H
