// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How well a global access is coalesced: the width of its instructions, the 32-byte sectors
// that a warp's request touches, and what stands in the way of more. Which arguments would help is
// found by asking AxisInfoAnalysis what it would know if they were multiples of 16.

#ifndef TILEC_ANALYSIS_COALESCING_H
#define TILEC_ANALYSIS_COALESCING_H

#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/GlobalAddress.h"

#include <map>
#include <memory>

namespace tilec {

/// The sectors of one warp-wide instruction.
struct SectorCount {
  unsigned sectors = 0;
  /// As many as hold the bytes that the warp needs.
  unsigned minimum = 0;
  /// There may be fewer: depends on values that are not known.
  bool isUpperBound = false;
};

/// Counts the sectors of an instruction of an access with `layout`. Dimensions whose step is no
/// constant are taken to be far apart, but for the runs that `info` knows.
SectorCount countSectors(const LinearLayout &layout, AccessVector vector, unsigned elementBytes,
                         llvm::ArrayRef<AddressStep> steps, const AxisInfo &info);

/// What limits an access.
enum class AccessLimit {
  None,
  /// Arguments are not known to be multiples of 16: `CoalescingReport::arguments`.
  Arguments,
  /// An argument is not known to be 1.
  Stride,
  Contiguity,
  Alignment,
  Mask,
  /// The tensor has too few elements for a wide vector in every thread.
  FewElements,
  /// Another operation chose the layout.
  Layout
};

struct CoalescingReport {
  AccessVector vector;
  SectorCount sectors;
  AccessLimit limit = AccessLimit::None;
  /// Why, as a clause; empty for AccessLimit::None.
  std::string reason;
  /// What could be done, as a clause; may be empty.
  std::string suggestion;
  /// Numbers of the function's arguments that would all have to be multiples of 16.
  llvm::SmallVector<unsigned> arguments;
};

/// Answers for the accesses of one function with layouts. Invalidated by any change to the IR.
class CoalescingAnalysis {
public:
  explicit CoalescingAnalysis(mlir::func::FuncOp function);

  CoalescingReport study(const GlobalAccess &access);

private:
  using ArgumentSet = std::vector<unsigned>;

  /// Facts if those arguments were multiples of 16.
  const AxisInfoAnalysis &ifDivisible(const ArgumentSet &arguments);
  /// Facts if that argument were 1.
  const AxisInfoAnalysis &ifOne(unsigned argument);
  const AxisInfoAnalysis &assuming(const std::pair<ArgumentSet, int> &key,
                                   const AxisAssumptions &assumptions);
  bool explainArguments(const GlobalAccess &access, unsigned reachable, CoalescingReport &report);
  bool explainStride(const GlobalAccess &access, unsigned axis, CoalescingReport &report);
  void explainNarrow(const GlobalAccess &access, CoalescingReport &report);
  void explainSpread(const GlobalAccess &access, CoalescingReport &report);
  std::string describeStep(const GlobalAccess &access, unsigned dim);

  mlir::func::FuncOp func;
  AxisInfoAnalysis facts;
  GlobalAddresses addresses;
  std::map<std::pair<ArgumentSet, int>, std::unique_ptr<AxisInfoAnalysis>> hypotheses;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_COALESCING_H
