// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels get from a C++ program: 16-bit and 8-bit floats, tensor descriptors, the names that
// C++ types have in kernels, and how values come to the C interface.

#ifndef TILEC_VALUES_HPP
#define TILEC_VALUES_HPP

#include "tilec/tilec.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilec {
inline namespace v0 {

/// Storage of the number formats that C++17 has no type for. A program's own types (__half, ...)
/// become known by specialising TypeName.
struct Half {
  uint16_t bits;

  /// The nearest, ties to even.
  static Half of(float value) {
    uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    const uint32_t magnitude = word & 0x7fffffff, exponent = magnitude >> 23;
    uint32_t half = 0;
    if (magnitude > 0x7f800000) {
      half = 0x7e00 | (magnitude >> 13 & 0x1ff);
    } else if (magnitude >= 0x477ff000) {
      half = 0x7c00;
    } else if (exponent >= 113) {
      half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    } else if (exponent >= 102) {
      const uint32_t digits = (magnitude & 0x7fffff) | 0x800000, shift = 126 - exponent;
      half = digits >> shift;
      half += (digits & ((uint32_t(1) << shift) - 1)) + (half & 1) > uint32_t(1) << (shift - 1);
    }
    return {uint16_t((word >> 16 & 0x8000) | half)};
  }
  float toFloat() const {
    uint32_t exponent = bits >> 10 & 31, digits = bits & 0x3ff;
    uint32_t word = uint32_t(bits & 0x8000) << 16;
    if (exponent == 31) {
      word |= 0x7f800000 | digits << 13;
    } else if (exponent != 0) {
      word |= (exponent + 112) << 23 | digits << 13;
    } else if (digits != 0) {
      for (exponent = 113; (digits & 0x400) == 0; --exponent)
        digits <<= 1;
      word |= exponent << 23 | (digits & 0x3ff) << 13;
    }
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};
struct BFloat16 {
  uint16_t bits;

  /// The nearest, ties to even.
  static BFloat16 of(float value) {
    uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    if ((word & 0x7fffffff) > 0x7f800000)
      word |= 0x400000;
    else
      word += 0x7fff + (word >> 16 & 1);
    return {uint16_t(word >> 16)};
  }
  float toFloat() const {
    uint32_t word = uint32_t(bits) << 16;
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};
struct Float8E4M3 {
  uint8_t bits;
};
struct Float8E5M2 {
  uint8_t bits;
};

namespace detail {

template <typename T> constexpr const char *integerName() {
  constexpr size_t width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  constexpr const char *names[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
  return names[std::is_signed_v<T>][width];
}

} // namespace detail

/// The language's name of a C++ type.
template <typename T, typename = void> struct TypeName {
  static_assert(sizeof(T) == 0, "a type that no kernel argument has; specialise tilec::TypeName");
  static constexpr const char *value = "";
};
template <typename T> struct TypeName<T, std::enable_if_t<std::is_integral_v<T>>> {
  static constexpr const char *value = std::is_same_v<T, bool> ? "u1" : detail::integerName<T>();
};
template <> struct TypeName<float> {
  static constexpr const char *value = "fp32";
};
template <> struct TypeName<double> {
  static constexpr const char *value = "fp64";
};
template <> struct TypeName<Half> {
  static constexpr const char *value = "fp16";
};
template <> struct TypeName<BFloat16> {
  static constexpr const char *value = "bf16";
};
template <> struct TypeName<Float8E4M3> {
  static constexpr const char *value = "fp8e4nv";
};
template <> struct TypeName<Float8E5M2> {
  static constexpr const char *value = "fp8e5";
};

/// A tensor in device memory for a kernel that takes a descriptor, as Triton's TensorDescriptor:
/// address, sizes and strides in elements, and the sizes of the kernel's blocks. The last stride is
/// 1; address and strides are multiples of 16 bytes.
template <typename T, size_t Rank> struct TensorDescriptor {
  static_assert(Rank >= 1 && Rank <= 5, "a tensor descriptor has 1 to 5 dimensions");
  using Sizes = std::array<int32_t, Rank>;
  using Strides = std::array<int64_t, Rank - 1>;

  T *data = nullptr;
  Sizes shape = {};
  /// Without the last one.
  Strides strides = {};
  /// For kernels that are compiled when they are called.
  Sizes block = {};
  /// Whether elements outside of the tensor read as NaN instead of zero.
  bool padsWithNan = false;

  TensorDescriptor() = default;
  TensorDescriptor(T *pointer, Sizes sizes, Strides steps, Sizes blockSizes)
      : data(pointer), shape(sizes), strides(steps), block(blockSizes) {}
  /// Without gaps between rows.
  TensorDescriptor(T *pointer, Sizes sizes, Sizes blockSizes)
      : data(pointer), shape(sizes), block(blockSizes) {
    uint64_t stride = 1;
    for (size_t dim = Rank - 1; dim > 0; --dim) {
      stride *= uint64_t(shape[dim]);
      strides[dim - 1] = int64_t(stride);
    }
  }
  /// A tensor that may be written is one that may be read.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  TensorDescriptor(const TensorDescriptor<U, Rank> &other)
      : data(other.data), shape(other.shape), strides(other.strides), block(other.block),
        padsWithNan(other.padsWithNan) {}
};

namespace detail {

/// Of a descriptor the number of dimensions, of other types 0.
template <typename Arg> inline constexpr size_t descriptorRank = 0;
template <typename T, size_t Rank>
inline constexpr size_t descriptorRank<TensorDescriptor<T, Rank>> = Rank;

/// As how many arguments a value comes to the kernel.
template <typename Arg>
inline constexpr size_t numValues = descriptorRank<Arg> ? 2 * descriptorRank<Arg> : 1;

template <typename Arg, typename = void> struct HasData : std::false_type {};
template <typename Arg>
struct HasData<Arg, std::void_t<decltype(std::declval<const Arg &>().data())>> : std::true_type {};

/// Containers whose elements are in memory of the host, which no kernel can reach.
template <typename Arg> struct IsHostContainer : std::false_type {};
template <typename T, typename A> struct IsHostContainer<std::vector<T, A>> : std::true_type {};
template <typename T, size_t N> struct IsHostContainer<std::array<T, N>> : std::true_type {};
template <typename C, typename T, typename A>
struct IsHostContainer<std::basic_string<C, T, A>> : std::true_type {};

/// What a kernel gets for an argument: a number, a pointer, the data() of a buffer or span, a
/// 16-bit float, a tensor descriptor.
template <typename Arg> auto argumentOf(const Arg &argument) {
  static_assert(!IsHostContainer<Arg>::value,
                "an argument in memory of the host: copy it to a tilec::DeviceBuffer");
  if constexpr (HasData<Arg>::value && !IsHostContainer<Arg>::value) {
    return argument.data();
  } else {
    static_assert(std::is_trivially_copyable_v<Arg> || IsHostContainer<Arg>::value,
                  "an argument is a number, a pointer, a tensor descriptor or has a data()");
    return argument;
  }
}

/// Calls `use(data, size)` with every argument that a value is for the kernel.
template <typename Arg, typename Use> void forEachValue(const Arg &value, Use use) {
  if constexpr (descriptorRank<Arg> == 0) {
    use(static_cast<const void *>(&value), sizeof value);
  } else {
    use(static_cast<const void *>(&value.data), sizeof value.data);
    for (const int32_t &size : value.shape)
      use(static_cast<const void *>(&size), sizeof size);
    for (const int64_t &stride : value.strides)
      use(static_cast<const void *>(&stride), sizeof stride);
  }
}

} // namespace detail

} // namespace v0
} // namespace tilec

#endif // TILEC_VALUES_HPP
