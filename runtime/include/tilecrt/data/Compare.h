// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares an array with the expected one, element by element in double precision.

#ifndef TILECRT_DATA_COMPARE_H
#define TILECRT_DATA_COMPARE_H

#include "tilecrt/Result.h"
#include "tilecrt/data/HostArray.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilecrt {

/// An element matches when |actual - expected| <= atol + rtol * |expected|.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
  /// NaN matches NaN. An infinity matches only itself, whatever the tolerance.
  bool nanMatchesNan = true;
};

struct Comparison {
  uint64_t count = 0;
  uint64_t mismatches = 0;
  /// Largest |actual - expected|, and largest of that over |expected| where expected is not 0.
  /// Infinite when a NaN or an infinity has no counterpart.
  double maxAbsError = 0;
  double maxRelError = 0;
  /// sqrt(sum of squared errors / sum of squared expected values) over the pairs that are finite
  /// on both sides; infinite when the expected values are all 0 and the others are not.
  double relativeL2 = 0;
  /// The largest |actual - expected| in units of what the tolerance allows there: above 1 does not
  /// match. 0 where nothing is allowed and nothing differs, infinite as the errors above are.
  double toleranceUsed = 0;
  /// NaNs on one side and not on the other.
  uint64_t nanMismatches = 0;
  /// Set when there are mismatches: coordinates and values of the first.
  std::vector<int64_t> firstCoordinates;
  std::string firstActual;
  std::string firstExpected;

  bool matches() const { return mismatches == 0; }
  /// One line for people: "3 of 100 elements differ, the first at [0, 5]: got 1, expected 2; ...".
  std::string describe() const;
};

/// invalidArgument when the shapes differ or a tolerance is negative or NaN. Element types may
/// differ; two integer types are compared without going through double.
Result<Comparison> compareArrays(const HostArray &actual, const HostArray &expected,
                                 const Tolerance &tolerance = {});

} // namespace tilecrt

#endif // TILECRT_DATA_COMPARE_H
