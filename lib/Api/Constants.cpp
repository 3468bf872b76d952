// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that calls give as texts of the language: each text has a number, for the life of the
// process, so that kinds of calls can be compared.

#include "CallKind.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace tilec;
using namespace tilec::api;
using llvm::StringRef;

namespace {
/// Texts of constants, by their numbers.
struct ConstantTable {
  /// Never destroyed: threads may outlive the end of main.
  static ConstantTable &get() {
    static ConstantTable &table = *new ConstantTable;
    return table;
  }
  std::mutex mutex;
  llvm::StringMap<uint64_t> numbers;
  std::vector<StringRef> texts;
};
} // namespace

uint64_t tilec_constant(const char *text) {
  uint64_t number = 0;
  guarded([&] {
    if (!text)
      return invalid("text is null");
    ConstantTable &table = ConstantTable::get();
    std::lock_guard<std::mutex> lock(table.mutex);
    auto [entry, isNew] = table.numbers.try_emplace(text, table.texts.size() + 1);
    if (isNew)
      table.texts.push_back(entry->getKey());
    number = entry->second;
    return TILEC_OK;
  });
  return number;
}

std::string tilec::api::constantText(uint64_t number) {
  ConstantTable &table = ConstantTable::get();
  std::lock_guard<std::mutex> lock(table.mutex);
  return number != 0 && number <= table.texts.size() ? table.texts[number - 1].str() : "";
}
