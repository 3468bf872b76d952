// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a barrier of the dialect NVVM is for, where tools want to know.

#ifndef TILEC_DIALECTS_TILEGPU_BARRIERKIND_H
#define TILEC_DIALECTS_TILEGPU_BARRIERKIND_H

#include "llvm/ADT/StringRef.h"

namespace tilec::tilegpu {

/// On a barrier that orders accesses of global memory through pointers that may be the same.
inline constexpr llvm::StringLiteral kOrdersGlobalAttr = "tilegpu.orders_global";

} // namespace tilec::tilegpu

#endif // TILEC_DIALECTS_TILEGPU_BARRIERKIND_H
