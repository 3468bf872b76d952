// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong in a JSON file, for those who wrote it.

#ifndef TILEC_SUPPORT_JSONERROR_H
#define TILEC_SUPPORT_JSONERROR_H

#include "llvm/Support/JSON.h"

namespace tilec {

/// What a fromJSON() has reported while it read `whole`: the place, what is expected there and what
/// there is, as in `rows[1].medianUs: expected number, got "fast"`. `root` has no name.
std::string describeJsonError(const llvm::json::Path::Root &root, const llvm::json::Value &whole);

/// Calls `read(element, path of the element)` for the elements of `value`, which is expected to be
/// an array, until one gives false; whether all gave true.
template <typename Read>
bool readElements(const llvm::json::Value *value, llvm::json::Path path, Read read) {
  const llvm::json::Array *list = value ? value->getAsArray() : nullptr;
  if (!list) {
    path.report("expected array");
    return false;
  }
  for (size_t i = 0; i < list->size(); ++i)
    if (!read((*list)[i], path.index(unsigned(i))))
      return false;
  return true;
}

} // namespace tilec

#endif // TILEC_SUPPORT_JSONERROR_H
