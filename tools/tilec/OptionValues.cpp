// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options: words, lists and NAME=VALUE. A list is split at the commas outside of brackets
// and quotes.

#include "OptionValues.h"

#include "tilec/Support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilec::tool {

void usage(const llvm::Twine &message) { throw UsageError{message.str()}; }

std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef nearest = nearestName(name, known);
  return nearest.empty() ? std::string() : ("; did you mean '" + nearest + "'?").str();
}

size_t chooseWord(llvm::StringRef option, llvm::StringRef text,
                  llvm::ArrayRef<llvm::StringRef> words) {
  const auto *found = llvm::find(words, text);
  if (found == words.end())
    usage("unknown value '" + text + "' for '" + option + "', expected one of " +
          llvm::join(words, ", ") + suggestion(text, words));
  return size_t(found - words.begin());
}

TextFormat readFormat(llvm::StringRef option, llvm::StringRef text) {
  return chooseWord(option, text, {"text", "json"}) == 0 ? TextFormat::Text : TextFormat::Json;
}

const explain::GpuLimits *readGpu(llvm::StringRef text) {
  llvm::Expected<const explain::GpuLimits *> limits = explain::searchGpu(text);
  if (!limits)
    usage(llvm::toString(limits.takeError()));
  return *limits;
}

std::vector<NamedValue> splitNamed(llvm::StringRef option, const std::vector<std::string> &texts) {
  std::vector<NamedValue> result;
  for (llvm::StringRef text : texts) {
    auto [name, value] = text.split('=');
    name = name.trim();
    if (name.empty() || !text.contains('='))
      usage("'" + option + "' expects NAME=VALUE, got '" + text + "'");
    for (const NamedValue &other : result)
      if (other.first == name)
        usage("'" + option + " " + name + "=...' is given twice");
    result.emplace_back(name.str(), value.str());
  }
  return result;
}

std::vector<std::string> splitList(llvm::StringRef option, llvm::StringRef text) {
  std::vector<std::string> parts;
  unsigned depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
      if (i < text.size())
        continue;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    // What is not closed is the compiler's to report.
    if (i < text.size() && (c != ',' || depth != 0))
      continue;
    llvm::StringRef part = text.slice(begin, i).trim();
    begin = i + 1;
    if (part.empty())
      usage("'" + option + "' has an empty value in '" + text + "'");
    if (llvm::is_contained(parts, part))
      usage("'" + option + "' has '" + part + "' twice");
    parts.push_back(part.str());
  }
  return parts;
}

std::vector<int> readNumbers(const OptionSet &options, llvm::StringRef option, llvm::StringRef text,
                             int (*check)(int)) {
  std::vector<int> numbers;
  if (!options.isGiven(option.str()))
    return numbers;
  for (llvm::StringRef part : splitList(option, text)) {
    int number = 0;
    if (part.getAsInteger(10, number))
      usage("'" + option + "' expects numbers, got '" + part + "'");
    numbers.push_back(check(number));
  }
  return numbers;
}

int checkNumWarps(int value) {
  if (value < 1 || value > 32 || (value & (value - 1)) != 0)
    usage("'--num-warps' expects 1, 2, 4, 8, 16 or 32, got " + llvm::Twine(value));
  return value;
}

int checkNumStages(int value) {
  if (value < 1 || value > 16)
    usage("'--num-stages' expects 1 to 16, got " + llvm::Twine(value));
  return value;
}

int checkNumCtas(int value) {
  if (!canBeCluster(value))
    usage("'--num-ctas' expects 1, 2, 4 or 8, got " + llvm::Twine(value));
  return value;
}

int checkSplitK(int value) {
  if (value < 1 || value > mostSplitK || (value & (value - 1)) != 0)
    usage("'--split-k' expects 1, 2, 4 or 8, got " + llvm::Twine(value));
  return value;
}

} // namespace tilec::tool
