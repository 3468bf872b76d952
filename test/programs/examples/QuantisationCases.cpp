// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 26 to 28: to 8-bit integers and floats, and back from 4-bit integers. What is quantised
// is compared with the number before it was rounded, within half a step.

#include "References.h"
#include "RowCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

/// Rows of very different sizes, one of them all zeros.
void addRows(RunBuilder &builder, DType type, int64_t rows, int64_t columns) {
  builder.fill("x_ptr", type, {rows, columns}, [=](uint64_t i) {
    auto row = static_cast<int64_t>(i) / columns;
    double size = row % 7 == 1 ? 0.0 : std::pow(2.0, static_cast<double>(row % 20 - 10));
    return size * std::sin(static_cast<double>(i) * 12.9898);
  });
}

/// A kernel that stores x / scale in `narrow` and the scales, with the largest magnitude of a row
/// becoming `limit`.
Result<KernelRun> buildQuantise(RunBuilder &builder, DType type, DType narrow, double limit,
                                const tilecrt::Tolerance &tolerance, int64_t rows, int64_t columns,
                                int warps) {
  addRows(builder, type, rows, columns);
  std::vector<double> scales = rowPeaks(builder.array("x_ptr"));
  for (double &scale : scales)
    scale = std::max(scale, 1e-30) / limit;
  builder.output(
      "q_ptr", narrow, {rows, columns},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        mapElements(
            out, [&](uint64_t i) { return x.at(i) / scales[i / static_cast<uint64_t>(columns)]; });
      },
      tolerance);
  builder.output(
      "scale_ptr", DType::f32, {rows},
      [&](HostArray &out) { mapElements(out, [&](uint64_t row) { return scales[row]; }); },
      tilecrt::Tolerance{1e-6, 0});
  builder.i32("stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 1);
  uint64_t elements = static_cast<uint64_t>(rows * columns);
  return builder.idealBytes(elements * (tilecrt::dtypeSize(type) + 1)).take();
}

Result<KernelRun> buildQuantiseInt8(DType type, int64_t rows, int64_t columns, int warps,
                                    uint64_t seed) {
  RunBuilder builder("26-quantise-int8.tile", "quantise_int8", seed);
  return buildQuantise(builder, type, DType::i8, 127, {0, 0.50005}, rows, columns, warps);
}

Result<KernelRun> buildQuantiseFp8(DType type, int64_t rows, int64_t columns, int warps,
                                   uint64_t seed) {
  RunBuilder builder("27-quantise-fp8.tile", "quantise_fp8", seed);
  // Half a step is 2^-4 of a number, 2^-10 where they are subnormal.
  return buildQuantise(builder, type, DType::f8e4m3, 448, {0.06251, 0.000977}, rows, columns,
                       warps);
}

Result<KernelRun> buildDequantise(DType type, int64_t groups, int64_t group, uint64_t seed) {
  int64_t perProgram = groups >= 4096 ? 32 : 16;
  RunBuilder builder("28-dequantise-int4.tile", "dequantise_int4", seed);
  builder.randint("packed_ptr", DType::u8, {groups, group / 2}, 0, 256);
  builder.randn("scale_ptr", type, {groups});
  builder.output("out_ptr", type, {groups, group}, [&](HostArray &out) {
    mapElements(out, [&](uint64_t i) {
      auto byte = static_cast<int>(builder.array("packed_ptr").at(i / 2));
      int nibble = i % 2 == 0 ? byte & 15 : byte >> 4;
      return (nibble - 8) * builder.array("scale_ptr").at(i / static_cast<uint64_t>(group));
    });
  });
  builder.i32("groups", groups).constant("GROUPS", perProgram).constant("GROUP", group);
  builder.grid(static_cast<uint64_t>((groups + perProgram - 1) / perProgram));
  auto bytes = static_cast<uint64_t>(group / 2 + (group + 1) * tilecrt::dtypeSize(type));
  return builder.idealBytes(static_cast<uint64_t>(groups) * bytes).take();
}

} // namespace

void addQuantisationCases(std::vector<Case> &cases) {
  addRowCases(cases, "quantise_int8", buildQuantiseInt8);
  addRowCases(cases, "quantise_fp8", buildQuantiseFp8);
  struct Groups {
    int64_t groups, group;
    Scale scale;
  };
  for (DType type : {DType::f16, DType::bf16, DType::f32})
    for (Groups s : {Groups{37, 64, type == DType::f16 ? Scale::Quick : Scale::Full},
                     Groups{32, 128, Scale::Full}, Groups{1, 2, Scale::Full},
                     Groups{int64_t(1) << 20, 128, Scale::Large}})
      cases.push_back(
          {"dequantise_int4", type, sizeText({s.groups, s.group}), s.scale,
           [=](uint64_t seed) { return buildDequantise(type, s.groups, s.group, seed); }});
}

} // namespace tilec::harness
