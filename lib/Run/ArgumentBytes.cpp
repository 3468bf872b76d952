// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ArgumentBytes.h.

#include "tilec/Run/ArgumentBytes.h"

#include "tilecrt/TensorMapValues.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using llvm::StringRef;
using tilecrt::NumberData;
using tilecrt::Result;

namespace tilec {

void storeNumber(const NumberData &number, tilecrt::DType type, void *bytes) {
  if (number.isInteger && tilecrt::isInteger(type))
    std::memcpy(bytes, &number.integer, tilecrt::dtypeSize(type));
  else
    tilecrt::doubleToElement(type, number.isInteger ? double(number.integer) : number.real, bytes);
}

/// The bytes of a number as an argument of this type.
static Result<std::vector<char>> encodeNumber(const NumberData &number,
                                              const tilecrt::KernelArgument &argument) {
  StringRef typeName = StringRef(argument.type).split(':').first;
  std::optional<tilecrt::DType> type =
      typeName == "u1" ? tilecrt::DType::boolean : tilecrt::parseDType(typeName.str());
  if (!type || tilecrt::dtypeSize(*type) > argument.sizeBytes)
    return tilecrt::invalidArgument("argument '" + argument.name +
                                    "': a number cannot be passed as '" + argument.type + "'");
  if (!number.isInteger && !tilecrt::isFloat(*type))
    return tilecrt::invalidArgument("argument '" + argument.name + "' has type '" + argument.type +
                                    "', got a number with a fraction");
  if (number.isInteger && tilecrt::isInteger(*type)) {
    uint32_t bits = tilecrt::integerValueBits(*type);
    bool fits = bits >= 63 || (number.integer >> bits) == 0 ||
                (tilecrt::isSignedInteger(*type) && (number.integer >> bits) == -1);
    if (!fits)
      return tilecrt::invalidArgument("argument '" + argument.name +
                                      "': " + std::to_string(number.integer) +
                                      " is outside the range of '" + argument.type + "'");
  }
  std::vector<char> bytes(argument.sizeBytes);
  storeNumber(number, *type, bytes.data());
  return bytes;
}

static Result<std::vector<char>> encodeArgument(const ArgumentValue &value,
                                                const tilecrt::KernelArgument &argument) {
  if (const auto *bytes = std::get_if<std::vector<char>>(&value))
    return *bytes;
  bool isPointer = argument.kind == tilecrt::ArgumentKind::pointer;
  if (const auto *number = std::get_if<NumberData>(&value)) {
    if (isPointer)
      return tilecrt::invalidArgument("argument '" + argument.name + "' is a pointer ('" +
                                      argument.type + "'), got a number");
    return encodeNumber(*number, argument);
  }
  if (!isPointer)
    return tilecrt::invalidArgument("argument '" + argument.name + "' has type '" + argument.type +
                                    "', got an array");
  std::vector<char> bytes(sizeof(uint64_t));
  std::memcpy(bytes.data(), &std::get<uint64_t>(value), sizeof(uint64_t));
  return bytes;
}

Result<ArgumentBytes>
encodeArguments(const tilecrt::KernelMetadata &metadata,
                llvm::function_ref<std::optional<ArgumentValue>(StringRef)> find) {
  ArgumentBytes result;
  for (const tilecrt::KernelArgument &argument : metadata.arguments) {
    std::optional<ArgumentValue> value = find(argument.name);
    if (!value)
      return tilecrt::internalError("the kernel has an argument '" + argument.name +
                                    "' that was not given");
    Result<std::vector<char>> bytes = encodeArgument(*value, argument);
    if (!bytes.ok())
      return bytes.status();
    result.push_back(std::move(*bytes));
  }
  return result;
}

bool inferredMapsFit(const tilecrt::KernelMetadata &metadata, const Result<ArgumentBytes> &values) {
  if (!values || values->size() != metadata.arguments.size())
    return true;
  std::vector<const void *> places;
  for (auto [bytes, argument] : llvm::zip(*values, metadata.arguments)) {
    if (bytes.size() != argument.sizeBytes)
      return true;
    places.push_back(bytes.data());
  }
  return tilecrt::inferredMapsFit(metadata, places.data());
}

} // namespace tilec
