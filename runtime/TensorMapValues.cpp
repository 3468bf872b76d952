// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Postfix expressions over the arguments' values, in 64 bits.

#include "tilecrt/TensorMapValues.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <utility>

namespace tilecrt {
namespace {

using sim::TensorMapFields;
using sim::TensorMapType;

constexpr uint64_t mapAlignment = 16;

/// The values of a launch's arguments.
class Values {
public:
  Values(const KernelMetadata &kernel, const void *const *places)
      : metadata(kernel), arguments(places) {}

  std::optional<int64_t> argument(size_t number) const {
    if (number >= metadata.arguments.size())
      return std::nullopt;
    const KernelArgument &info = metadata.arguments[number];
    if (info.sizeBytes > sizeof(int64_t) || info.sizeBytes == 0)
      return std::nullopt;
    uint64_t bits = 0;
    std::memcpy(&bits, arguments[number], info.sizeBytes);
    unsigned shift = 64 - 8 * info.sizeBytes;
    bool isSigned = info.kind == ArgumentKind::integer && info.type.compare(0, 1, "u") != 0;
    if (shift == 0 || !isSigned)
      return static_cast<int64_t>(bits);
    return static_cast<int64_t>(bits << shift) >> shift;
  }

  std::optional<int64_t> compute(const std::string &expression) const {
    std::vector<int64_t> stack;
    std::istringstream words(expression);
    for (std::string word; words >> word;) {
      std::optional<int64_t> value =
          word.size() == 1 && !std::isdigit(word[0]) ? apply(word[0], stack) : leaf(word);
      if (!value)
        return std::nullopt;
      stack.push_back(*value);
    }
    return stack.size() == 1 ? std::optional<int64_t>(stack.front()) : std::nullopt;
  }

private:
  std::optional<int64_t> leaf(const std::string &word) const {
    bool isArgument = word[0] == '%';
    char *end = nullptr;
    const char *digits = word.c_str() + (isArgument ? 1 : 0);
    int64_t number = std::strtoll(digits, &end, 10);
    if (end == digits || *end != 0)
      return std::nullopt;
    return isArgument ? argument(static_cast<size_t>(number)) : number;
  }

  static std::optional<int64_t> apply(char symbol, std::vector<int64_t> &stack) {
    if (stack.size() < 2)
      return std::nullopt;
    int64_t right = stack.back(), left = stack[stack.size() - 2], result = 0;
    stack.resize(stack.size() - 2);
    bool overflows = false;
    switch (symbol) {
    case '+':
      overflows = __builtin_add_overflow(left, right, &result);
      break;
    case '-':
      overflows = __builtin_sub_overflow(left, right, &result);
      break;
    case '*':
      overflows = __builtin_mul_overflow(left, right, &result);
      break;
    case '/':
      overflows = right == 0 || (right == -1 && left == INT64_MIN);
      result = overflows ? 0 : left / right;
      break;
    case '>':
      result = left > right ? left : right;
      break;
    default:
      overflows = true;
    }
    return overflows ? std::nullopt : std::optional<int64_t>(result);
  }

  const KernelMetadata &metadata;
  const void *const *arguments;
};

} // namespace

std::optional<TensorMapElement> tensorMapElement(const std::string &name) {
  static constexpr std::pair<const char *, TensorMapElement> types[] = {
      {"fp16", {TensorMapType::F16, 2}}, {"bf16", {TensorMapType::BF16, 2}},
      {"fp32", {TensorMapType::F32, 4}}, {"fp64", {TensorMapType::F64, 8}},
      {"i8", {TensorMapType::U8, 1}},    {"i16", {TensorMapType::U16, 2}},
      {"i32", {TensorMapType::I32, 4}},  {"i64", {TensorMapType::I64, 8}},
      {"u32", {TensorMapType::U32, 4}},  {"u64", {TensorMapType::U64, 8}},
  };
  for (const auto &[known, element] : types)
    if (name == known)
      return element;
  if (name.compare(0, 3, "fp8") == 0)
    return TensorMapElement{TensorMapType::U8, 1};
  return std::nullopt;
}

sim::TensorMapSwizzle tensorMapSwizzle(uint32_t bytes) {
  return bytes == 128  ? sim::TensorMapSwizzle::Bytes128
         : bytes == 64 ? sim::TensorMapSwizzle::Bytes64
         : bytes == 32 ? sim::TensorMapSwizzle::Bytes32
                       : sim::TensorMapSwizzle::None;
}

std::vector<size_t> argumentsOfMap(const KernelMetadata &metadata, const TensorMapArgument &map) {
  std::set<size_t> numbers = {map.base};
  for (const std::vector<std::string> *expressions : {&map.shape, &map.strides})
    for (const std::string &expression : *expressions) {
      std::istringstream words(expression);
      for (std::string word; words >> word;)
        if (word[0] == '%')
          numbers.insert(static_cast<size_t>(std::strtoull(word.c_str() + 1, nullptr, 10)));
    }
  std::vector<size_t> result;
  for (size_t number : numbers)
    if (number < metadata.arguments.size())
      result.push_back(number);
  return result;
}

Result<TensorMapFields> tensorMapFields(const KernelMetadata &metadata,
                                        const TensorMapArgument &map,
                                        const void *const *arguments) {
  Values values(metadata, arguments);
  std::optional<int64_t> address = values.argument(map.base);
  std::optional<TensorMapElement> type = tensorMapElement(map.elementType);
  size_t rank = map.shape.size();
  if (!address || !type || rank == 0 || rank > 5 || map.strides.size() + 1 != rank ||
      map.box.size() != rank)
    return internalError("kernel '" + metadata.name + "': a tensor map that makes no sense");
  auto fail = [&](const std::string &what) {
    return invalidArgument("kernel '" + metadata.name + "': the tensor of argument '" +
                           metadata.arguments[map.base].name + "' has " + what);
  };
  TensorMapFields fields;
  fields.type = type->type;
  fields.rank = static_cast<uint32_t>(rank);
  fields.address = static_cast<uint64_t>(*address);
  if (fields.address % mapAlignment != 0)
    return fail("an address that is not a multiple of 16, as its descriptor promises");
  fields.fill = map.fillsNan ? sim::TensorMapFill::NaN : sim::TensorMapFill::Zero;
  fields.swizzle = tensorMapSwizzle(map.swizzleBytes);
  int64_t elementBytes = type->bytes;
  // Dimension 0 of a tensor map is the fastest.
  for (size_t dim = 0; dim < rank; ++dim) {
    size_t to = rank - 1 - dim;
    fields.box[to] = map.box[dim];
    std::optional<int64_t> size = values.compute(map.shape[dim]);
    if (!size || *size < 1 || *size > int64_t(UINT32_MAX))
      return fail("the size " + (size ? std::to_string(*size) : "?") + " in dimension " +
                  std::to_string(dim) + ", expected 1 to 2^32 - 1");
    fields.dims[to] = static_cast<uint64_t>(*size);
    if (dim + 1 == rank)
      continue;
    std::optional<int64_t> stride = values.compute(map.strides[dim]);
    bool fits = stride && *stride >= 0 && *stride < (int64_t(1) << 40) / elementBytes;
    if (!fits || *stride * elementBytes % int64_t(mapAlignment) != 0)
      return fail("the stride " + (stride ? std::to_string(*stride) : "?") + " in dimension " +
                  std::to_string(dim) + ", expected a multiple of 16 bytes below 2^40");
    fields.strides[to - 1] = static_cast<uint64_t>(*stride * elementBytes);
  }
  return fields;
}

bool hasInferredMaps(const KernelMetadata &metadata) {
  for (const TensorMapArgument &map : metadata.tensorMaps)
    if (map.isInferred)
      return true;
  return false;
}

bool inferredMapsFit(const KernelMetadata &metadata, const void *const *arguments) {
  for (const TensorMapArgument &map : metadata.tensorMaps)
    if (map.isInferred && !tensorMapFields(metadata, map, arguments))
      return false;
  return true;
}

} // namespace tilecrt
