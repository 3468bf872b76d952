// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dense row-major array in host memory, and the ways to fill one. Random values depend only on
// the seed, the tensor's number and the element's index, never on threads or on the order of calls.

#ifndef TILECRT_DATA_HOSTARRAY_H
#define TILECRT_DATA_HOSTARRAY_H

#include "tilecrt/Result.h"
#include "tilecrt/data/DType.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilecrt {

/// Owns dtype, shape and bytes. Move-only; clone() copies.
class HostArray {
public:
  /// Where the bytes start: a multiple of this.
  static constexpr size_t alignment = 256;

  /// An empty array: f32, shape [0].
  HostArray() = default;
  HostArray(HostArray &&) = default;
  HostArray &operator=(HostArray &&) = default;

  /// Memory is not initialised. invalidArgument for a negative extent or more than 32 dimensions,
  /// outOfResources when the bytes cannot be had (or exceed the machine's memory).
  static Result<HostArray> create(DType type, std::vector<int64_t> shape);
  /// A zero-dimensional array of one element.
  static Result<HostArray> scalar(DType type, double value);
  Result<HostArray> clone() const;

  DType dtype() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  /// Number of elements and of bytes.
  uint64_t size() const { return count; }
  uint64_t byteSize() const { return count * dtypeSize(elementType); }
  /// "f32[1024x512]".
  std::string describe() const;

  void *data() { return bytes.get(); }
  const void *data() const { return bytes.get(); }
  template <typename T> T *as() { return static_cast<T *>(data()); }
  template <typename T> const T *as() const { return static_cast<const T *>(data()); }

  /// Element by flat row-major index, which must be below size().
  double at(uint64_t index) const;
  void set(uint64_t index, double value);
  /// The element as text; integers in full, floats with enough digits to read back.
  std::string elementText(uint64_t index) const;
  /// The row-major index as coordinates.
  std::vector<int64_t> coordinates(uint64_t index) const;

private:
  struct Free {
    void operator()(void *memory) const;
  };

  DType elementType = DType::f32;
  std::vector<int64_t> extents = {0};
  uint64_t count = 0;
  std::unique_ptr<void, Free> bytes;
};

/// Identifies a stream of random numbers: the run's seed and which tensor it is for.
struct RandomStream {
  uint64_t seed = 0;
  uint32_t tensor = 0;
};

/// 64 random bits for one element: Philox 4x32-10 with the seed as key and the element and tensor
/// as counter.
uint64_t randomBits(RandomStream stream, uint64_t element);
/// The Philox 4x32-10 block function itself, for tests.
void philox4x32(const uint32_t (&counter)[4], const uint32_t (&key)[2], uint32_t (&out)[4]);

/// Standard normal values. Floats only.
Status fillRandn(HostArray &array, RandomStream stream);
/// Uniform in [0, 1), on the grid that the type represents exactly, so 1 never occurs. Floats only.
Status fillRand(HostArray &array, RandomStream stream);
/// Uniform integers in [low, high). invalidArgument when empty or outside an integer type's range.
Status fillRandint(HostArray &array, RandomStream stream, int64_t low, int64_t high);
/// Every element the same.
void fillValue(HostArray &array, double value);
/// Element i is i; integer types wrap around.
void fillArange(HostArray &array);
/// A pattern to be noticed if it is read: NaN for floats, bytes of 0xCC for the rest.
void fillPoison(HostArray &array);

} // namespace tilecrt

#endif // TILECRT_DATA_HOSTARRAY_H
