// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for the tool's own forms first and hands everything else to the runtime.

#include "RunData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

using llvm::StringRef;
using tilecrt::HostArray;
using tilecrt::NumberData;
using tilecrt::Result;

namespace tilec::tool {

/// The elements of "a, b, c".
static llvm::SmallVector<StringRef> splitList(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (StringRef &part : parts)
    part = part.trim();
  return parts;
}

static Result<RunData> readTable(StringRef text, StringRef list) {
  PointerTable table;
  for (StringRef name : splitList(list)) {
    if (name.empty())
      return tilecrt::invalidArgument("empty name in '" + text.str() + "'");
    table.names.push_back(name.str());
  }
  return RunData(std::move(table));
}

/// "i32[3,5,7]".
static Result<RunData> readValues(StringRef text) {
  StringRef rest = text;
  StringRef typeName = rest.take_until([](char c) { return c == '['; });
  rest = rest.drop_front(typeName.size());
  if (!rest.consume_front("[") || !rest.consume_back("]"))
    return tilecrt::invalidArgument(
        "expected values as in 'values:i32[3,5,7]', got 'values:" + text.str() + "'");
  std::optional<tilecrt::DType> type = tilecrt::parseDType(typeName.str());
  if (!type)
    return tilecrt::invalidArgument("unknown element type '" + typeName.str() +
                                    "', expected one of " + tilecrt::dtypeNameList());
  llvm::SmallVector<StringRef> parts = splitList(rest);
  Result<HostArray> array = HostArray::create(*type, {int64_t(parts.size())});
  if (!array.ok())
    return array.status();
  char *next = array->as<char>();
  for (StringRef part : parts) {
    Result<tilecrt::DataSpec> spec = tilecrt::parseDataSpec((part + ":" + typeName).str());
    if (!spec.ok())
      return spec.status();
    const auto *number = std::get_if<NumberData>(&*spec);
    if (!number)
      return tilecrt::invalidArgument("'" + part.str() + "' is not a number");
    storeNumber(*number, *type, next);
    next += tilecrt::dtypeSize(*type);
  }
  return RunData(std::move(*array));
}

/// The position of the first comma outside of brackets.
static size_t findComma(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == ']';
    if (text[i] == ',' && depth == 0)
      return i;
  }
  return StringRef::npos;
}

/// "DATA, SIZE, ..." or "DATA, SIZE, ..., nan".
static Result<RunData> readDescriptor(StringRef text, tilecrt::RandomStream stream) {
  size_t comma = findComma(text);
  if (comma == StringRef::npos)
    return tilecrt::invalidArgument("expected an array and the sizes of a block as in "
                                    "'desc(randn:f16[1024x512], 128, 64)', got 'desc(" +
                                    text.str() + ")'");
  Result<RunData> data = readRunData(text.take_front(comma), stream);
  if (!data.ok())
    return data;
  auto *array = std::get_if<HostArray>(&*data);
  if (!array)
    return tilecrt::invalidArgument("'" + text.take_front(comma).trim().str() +
                                    "' is not an array, as a tensor descriptor needs");
  DescriptorData result;
  result.array = std::move(*array);
  for (StringRef part : splitList(text.drop_front(comma + 1)))
    result.block.push_back(part.str());
  if (!result.block.empty() && result.block.back() == "nan") {
    result.padsWithNan = true;
    result.block.pop_back();
  }
  return RunData(std::move(result));
}

Result<RunData> readRunData(std::string_view data, tilecrt::RandomStream stream) {
  StringRef text = StringRef(data).trim();
  if (text == "None")
    return RunData(NoData{});
  StringRef rest = text;
  if (rest.consume_front("pointers(") && rest.consume_back(")"))
    return readTable(text, rest);
  rest = text;
  if ((rest.consume_front("table:i64[") || rest.consume_front("table:u64[")) &&
      rest.consume_back("]"))
    return readTable(text, rest);
  rest = text;
  if (rest.consume_front("desc(") && rest.consume_back(")"))
    return readDescriptor(rest, stream);
  rest = text;
  if (rest.consume_front("values:"))
    return readValues(rest);

  // i64:123 is 123:i64.
  auto [typeName, number] = text.split(':');
  std::string spelled = text.str();
  if (!number.empty() && tilecrt::parseDType(typeName.str()))
    spelled = (number + ":" + typeName).str();
  Result<tilecrt::DataSpec> spec = tilecrt::parseDataSpec(spelled);
  if (!spec.ok())
    return spec.status();
  if (const auto *value = std::get_if<NumberData>(&*spec))
    return RunData(*value);
  Result<HostArray> array = tilecrt::materialise(*spec, stream);
  if (!array.ok())
    return array.status();
  return RunData(std::move(*array));
}

Result<std::vector<size_t>> resolveTable(const PointerTable &table,
                                         const std::vector<RunArray> &arrays) {
  std::vector<size_t> result;
  for (StringRef name : table.names) {
    StringRef prefix = name;
    bool isPrefix = prefix.consume_back("*");
    size_t before = result.size();
    for (size_t i = 0; i < arrays.size(); ++i)
      if (isPrefix ? StringRef(arrays[i].name).starts_with(prefix) : arrays[i].name == name)
        result.push_back(i);
    if (result.size() == before)
      return tilecrt::invalidArgument("no array named '" + name.str() + "'");
  }
  return result;
}

void fillTables(std::vector<RunArray> &arrays, const std::vector<uint64_t> &addresses) {
  for (RunArray &array : arrays)
    for (size_t i = 0; i < array.table.size(); ++i)
      array.data.as<uint64_t>()[i] = addresses[array.table[i]];
}

} // namespace tilec::tool
