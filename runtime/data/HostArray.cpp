// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of host arrays. A request beyond the machine's memory is refused, because the system
// would grant it and end the process when the pages are touched.

#include "tilecrt/data/HostArray.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace tilecrt {

namespace {

constexpr size_t maxRank = 32;

/// Bytes of memory in the machine; all ones when the system does not say.
uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0)
    return ~uint64_t(0);
  return uint64_t(pages) * uint64_t(pageSize);
}

std::string describeShape(DType type, const std::vector<int64_t> &shape) {
  std::string text = std::string(dtypeName(type)) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(shape[i]);
  return text + "]";
}

template <typename Number> std::string numberText(Number value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc() ? std::string(buffer, end) : "?";
}

} // namespace

void HostArray::Free::operator()(void *memory) const { std::free(memory); }

Result<HostArray> HostArray::create(DType type, std::vector<int64_t> shape) {
  if (shape.size() > maxRank)
    return invalidArgument("an array of " + std::to_string(shape.size()) +
                           " dimensions; the limit is " + std::to_string(maxRank));
  uint64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return invalidArgument("'" + describeShape(type, shape) + "' has a negative dimension");
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(count, uint64_t(extent), &count);
  }
  uint64_t bytes = 0;
  overflow |= __builtin_mul_overflow(count, uint64_t(dtypeSize(type)), &bytes);
  if (empty) {
    count = 0;
    bytes = 0;
  } else if (overflow || bytes > physicalMemory())
    return outOfResources("'" + describeShape(type, shape) + "' needs " +
                          (overflow ? "more than 2^64" : std::to_string(bytes)) +
                          " bytes, the machine has " + std::to_string(physicalMemory()));

  HostArray array;
  size_t padded = size_t((bytes / alignment + 1) * alignment);
  array.bytes.reset(std::aligned_alloc(alignment, padded));
  if (!array.bytes)
    return outOfResources("out of memory for '" + describeShape(type, shape) + "', " +
                          std::to_string(bytes) + " bytes");
  array.elementType = type;
  array.extents = std::move(shape);
  array.count = count;
  return array;
}

Result<HostArray> HostArray::scalar(DType type, double value) {
  Result<HostArray> array = create(type, {});
  if (array.ok())
    array->set(0, value);
  return array;
}

Result<HostArray> HostArray::clone() const {
  Result<HostArray> copy = create(elementType, extents);
  if (copy.ok() && count != 0)
    std::memcpy(copy->data(), data(), byteSize());
  return copy;
}

std::string HostArray::describe() const { return describeShape(elementType, extents); }

double HostArray::at(uint64_t index) const {
  return elementToDouble(elementType, as<char>() + index * dtypeSize(elementType));
}

void HostArray::set(uint64_t index, double value) {
  doubleToElement(elementType, value, as<char>() + index * dtypeSize(elementType));
}

std::string HostArray::elementText(uint64_t index) const {
  switch (elementType) {
  case DType::i64:
    return numberText(as<int64_t>()[index]);
  case DType::u64:
    return numberText(as<uint64_t>()[index]);
  case DType::f64:
    return numberText(as<double>()[index]);
  default:
    // Every other type is exact in a double; the floats among them are exact in an f32.
    return isFloat(elementType) ? numberText(static_cast<float>(at(index)))
                                : numberText(static_cast<int64_t>(at(index)));
  }
}

std::vector<int64_t> HostArray::coordinates(uint64_t index) const {
  std::vector<int64_t> result(extents.size(), 0);
  for (size_t i = extents.size(); i > 0 && extents[i - 1] > 0;) {
    --i;
    result[i] = int64_t(index % uint64_t(extents[i]));
    index /= uint64_t(extents[i]);
  }
  return result;
}

} // namespace tilecrt
