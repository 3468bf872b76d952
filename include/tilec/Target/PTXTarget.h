// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NVIDIA processors that the back end knows, and the PTX version that each needs.

#ifndef TILEC_TARGET_PTXTARGET_H
#define TILEC_TARGET_PTXTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilec {

/// One processor. PTX versions are major * 10 + minor: 84 is PTX 8.4.
struct PTXTarget {
  /// As PTX's .target line writes it, e.g. "sm_90a".
  std::string processor;
  /// 90 for "sm_90a".
  int computeCapability = 0;
  /// The oldest PTX version that has the processor.
  unsigned oldestPTX = 0;
  /// The version to write when nobody asks for one: old enough for the drivers and the ptxas in
  /// use, new enough for every instruction that tilec emits for the processor.
  unsigned defaultPTX = 0;
};

/// The newest PTX version that the back end can write.
constexpr unsigned newestPTX = 90;

/// The processor of this name. An error lists the known ones.
llvm::Expected<PTXTarget> findPTXTarget(llvm::StringRef processor);

/// The version to write for `target`: `requested`, or the default when it is 0. An error when the
/// processor or the back end does not have the version.
llvm::Expected<unsigned> choosePTXVersion(const PTXTarget &target, unsigned requested);

} // namespace tilec

#endif // TILEC_TARGET_PTXTARGET_H
