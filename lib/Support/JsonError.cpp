// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See JsonError.h. A root gives its place away as text, ".rows[1].medianUs", which is followed into
// the value again.

#include "tilec/Support/JsonError.h"

#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

/// The value at a place; null where there is none.
static const json::Value *findValue(const json::Value &value, StringRef place) {
  if (place.empty())
    return &value;
  if (place.consume_front("[")) {
    const json::Array *list = value.getAsArray();
    size_t index = 0;
    if (!list || place.consumeInteger(10, index) || !place.consume_front("]") ||
        index >= list->size())
      return nullptr;
    return findValue((*list)[index], place);
  }
  const json::Object *object = value.getAsObject();
  if (!object || !place.consume_front("."))
    return nullptr;
  // Keys may have points in them.
  for (const auto &[key, member] : *object) {
    StringRef rest = place;
    bool isHere =
        rest.consume_front(key) && (rest.empty() || rest.starts_with(".") || rest.starts_with("["));
    if (const json::Value *found = isHere ? findValue(member, rest) : nullptr)
      return found;
  }
  return nullptr;
}

std::string describeJsonError(const json::Path::Root &root, const json::Value &whole) {
  constexpr size_t mostShown = 40;
  std::string error = llvm::toString(root.getError());
  auto [what, place] = StringRef(error).split(" at (root)");
  std::string text = (place.ltrim('.') + (place.empty() ? "" : ": ") + what).str();
  const json::Value *there = findValue(whole, place);
  if (!there || !what.starts_with("expected"))
    return text;
  std::string got = llvm::formatv("{0}", *there);
  if (got.size() > mostShown)
    got = got.substr(0, mostShown) + "...";
  return text + ", got " + got;
}

} // namespace tilec
