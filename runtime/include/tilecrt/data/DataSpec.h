// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line's way to write the data of one kernel argument:
//   randn:f32[1024x512]  rand:bf16[77]  zeros:i32[8]  ones:...  empty:...  arange:...
//   randint(0,10):i32[5]   x.npy   x.npy:f8e4m3   128   -0x10   0.5   3:i64   1:fp16

#ifndef TILECRT_DATA_DATASPEC_H
#define TILECRT_DATA_DATASPEC_H

#include "tilecrt/Result.h"
#include "tilecrt/data/HostArray.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilecrt {

/// An array made here.
struct GeneratedData {
  enum class Fill { randn, rand, randint, zeros, ones, empty, arange };
  Fill fill = Fill::zeros;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  /// randint only: [low, high).
  int64_t low = 0;
  int64_t high = 0;
};

/// An array in a file.
struct NpyData {
  std::string path;
  /// How to take the elements when the file does not say (see NpyReadOptions::as).
  std::optional<DType> as;
};

/// One number, passed by value.
struct NumberData {
  /// Which of the two members holds the value.
  bool isInteger = true;
  int64_t integer = 0;
  double real = 0;
  /// The type written after ':', if any; the value is in its range.
  std::optional<DType> type;
};

using DataSpec = std::variant<GeneratedData, NpyData, NumberData>;

/// The error names the part that is wrong and what is accepted there. No file is opened.
Result<DataSpec> parseDataSpec(std::string_view text);

/// The array that a GeneratedData or NpyData stands for; invalidArgument for a number.
Result<HostArray> materialise(const DataSpec &spec, RandomStream stream);

} // namespace tilecrt

#endif // TILECRT_DATA_DATASPEC_H
