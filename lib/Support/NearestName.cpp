// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest name by edit distance, with the bound tightened to the best candidate so far.

#include "tilec/Support/NearestName.h"

using namespace tilec;

llvm::StringRef tilec::nearestName(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> candidates) {
  // Edit distance costs the product of the lengths; nobody mistypes a name this long.
  constexpr size_t longestName = 256;
  if (name.empty() || name.size() > longestName)
    return {};
  llvm::StringRef best;
  unsigned bestDistance = static_cast<unsigned>(name.size() + 2) / 3 + 1;
  for (llvm::StringRef candidate : candidates) {
    if (candidate.empty() || candidate == name || candidate.size() > longestName)
      continue;
    unsigned distance = candidate.equals_insensitive(name)
                            ? 0
                            : name.edit_distance(candidate, /*AllowReplacements=*/true,
                                                 /*MaxEditDistance=*/bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
