// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of warnings, and the options about them.

#include "tilec/Support/WarningOptions.h"

#include "tilec/Support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tilec;

static constexpr WarningName kWarnings[] = {
    {warnings::kUnusedVariable, true, "a variable that is assigned and never read"},
    {warnings::kUnusedArgument, false, "an argument of a kernel that is never read"},
    {warnings::kUnusedValue, true, "a value that is computed and dropped"},
    {warnings::kMaskShape, true,
     "a mask with fewer dimensions than its pointers, where it is not clear which are meant"},
    {warnings::kMissingMask, true,
     "an access without a mask by indices that a bound is checked for elsewhere"},
    {warnings::kStoreTruncation, true,
     "a store that cuts off bits of integers, or makes integers of floats"},
    {warnings::kFloatNarrowing, false, "a store that rounds to a narrower float"},
    {warnings::kNegativeDivision, true,
     "'//' or '%' of a value that is negative for some indices: they round towards zero"},
    {warnings::kWhereCondition, true, "a condition of tl.where that is not boolean"},
    {warnings::kTautologicalCompare, false, "a comparison with the same result for all values"},
    {warnings::kOffsetOverflow, true,
     "32-bit arithmetic in an address that overflows within the known ranges"},
    {warnings::kUnboundedOffset, false,
     "32-bit products in an address, of values without known ranges"},
    {warnings::kMissingModule, true,
     "a function whose module is not found, taken for that of 'tl' of the same name"},
    {warnings::kAutotune, true, "configurations and heuristics that are not known at compile time"},
    {warnings::kMissingReturn, true,
     "a function that returns a value on some ways and ends without one on others"},
    {warnings::kRuntimeConstexpr, true,
     "a variable declared tl.constexpr whose value is not known at compile time"},
    {warnings::kFalseAssert, true,
     "an assert statement that is false at compile time, which counts with --debug only"},
};

llvm::ArrayRef<WarningName> tilec::warningNames() { return kWarnings; }

const WarningName *tilec::findWarning(llvm::StringRef name) {
  const WarningName *found =
      llvm::find_if(kWarnings, [&](const WarningName &entry) { return entry.name == name; });
  return found == std::end(kWarnings) ? nullptr : found;
}

static bool isGroup(llvm::StringRef name) { return name == "all" || name == "everything"; }

std::optional<std::string> WarningOptions::apply(llvm::StringRef text) {
  llvm::StringRef name = text;
  name.consume_front("no-");
  bool isError = name.consume_front("error");
  if (isError && name.empty()) {
    texts.push_back(text.str());
    return std::nullopt;
  }
  if (isError && !name.consume_front("="))
    name = text;
  if (isGroup(name) || findWarning(name)) {
    texts.push_back(text.str());
    return std::nullopt;
  }
  std::vector<llvm::StringRef> names;
  for (const WarningName &entry : kWarnings)
    names.push_back(entry.name);
  llvm::StringRef nearest = nearestName(name, names);
  std::string message = ("unknown warning '" + name + "'").str();
  if (!nearest.empty())
    message += ("; did you mean '" + nearest + "'?").str();
  return message;
}

WarningOptions::Level WarningOptions::getLevel(llvm::StringRef warning) const {
  const WarningName *entry = findWarning(warning);
  if (!entry)
    return Level::Warning;
  bool isOn = entry->isDefault, allErrors = false, isError = false, isExempt = false;
  for (llvm::StringRef text : texts) {
    bool negated = text.consume_front("no-");
    if (text == "error") {
      allErrors = !negated;
      continue;
    }
    bool aboutErrors = text.consume_front("error=");
    bool covers = text == entry->name || text == "everything" ||
                  (text == "all" && (entry->isDefault || negated));
    if (!covers)
      continue;
    if (!aboutErrors) {
      isOn = !negated;
      continue;
    }
    isError = !negated;
    isExempt = negated;
    // Who makes an error of it wants it.
    isOn |= !negated;
  }
  if (!isOn)
    return Level::Ignored;
  return isError || (allErrors && !isExempt) ? Level::Error : Level::Warning;
}
