// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over both arrays. An element pair becomes two doubles and their difference; for integer
// types the difference is taken in 128 bits first, because doubles cannot tell large ones apart.

#include "tilecrt/data/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tilecrt {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

__int128 integerAt(const HostArray &array, uint64_t index) {
  uint32_t size = dtypeSize(array.dtype());
  uint64_t bits = 0;
  std::memcpy(&bits, array.as<char>() + index * size, size);
  if (array.dtype() == DType::boolean)
    return bits != 0;
  if (!isSignedInteger(array.dtype()))
    return bits;
  unsigned unused = 64 - size * 8;
  return int64_t(bits << unused) >> unused;
}

/// Gathers the statistics of a comparison.
class Accumulator {
public:
  explicit Accumulator(const Tolerance &limits) : tolerance(limits) {}

  /// Takes one pair with the size of its difference; says whether it matches.
  bool add(double actual, double expected, double difference, Comparison &result) {
    bool finite = std::isfinite(actual) && std::isfinite(expected);
    if (!finite)
      return addSpecial(actual, expected, result);
    squaredError += static_cast<long double>(difference) * difference;
    squaredExpected += static_cast<long double>(expected) * expected;
    result.maxAbsError = std::max(result.maxAbsError, difference);
    if (expected != 0)
      result.maxRelError = std::max(result.maxRelError, difference / std::fabs(expected));
    double allowed = tolerance.atol + tolerance.rtol * std::fabs(expected);
    if (difference > 0)
      result.toleranceUsed = std::max(result.toleranceUsed, difference / allowed);
    return difference <= allowed;
  }

  double relativeL2() const {
    if (squaredError == 0)
      return 0;
    return squaredExpected == 0 ? infinity : double(std::sqrt(squaredError / squaredExpected));
  }

private:
  bool addSpecial(double actual, double expected, Comparison &result) {
    bool bothNan = std::isnan(actual) && std::isnan(expected);
    if (bothNan ? tolerance.nanMatchesNan : actual == expected)
      return true;
    if (std::isnan(actual) != std::isnan(expected))
      ++result.nanMismatches;
    result.maxAbsError = infinity;
    result.maxRelError = infinity;
    result.toleranceUsed = infinity;
    return false;
  }

  const Tolerance &tolerance;
  long double squaredError = 0;
  long double squaredExpected = 0;
};

std::string shortNumber(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.3g", value);
  return buffer;
}

} // namespace

std::string Comparison::describe() const {
  std::string text;
  if (matches())
    text = "all " + std::to_string(count) + " elements match";
  else {
    text = std::to_string(mismatches) + " of " + std::to_string(count) +
           " elements differ, the first at [";
    for (size_t i = 0; i < firstCoordinates.size(); ++i)
      text += (i ? ", " : "") + std::to_string(firstCoordinates[i]);
    text += "]: got " + firstActual + ", expected " + firstExpected;
  }
  text += "; largest absolute error " + shortNumber(maxAbsError) + ", relative " +
          shortNumber(maxRelError) + ", L2 " + shortNumber(relativeL2);
  if (nanMismatches != 0)
    text += "; " + std::to_string(nanMismatches) + " NaN on one side only";
  return text;
}

Result<Comparison> compareArrays(const HostArray &actual, const HostArray &expected,
                                 const Tolerance &tolerance) {
  if (actual.shape() != expected.shape())
    return invalidArgument("the shapes differ: got '" + actual.describe() + "', expected '" +
                           expected.describe() + "'");
  if (!(tolerance.rtol >= 0) || !(tolerance.atol >= 0))
    return invalidArgument("a tolerance must be 0 or more, got rtol " +
                           shortNumber(tolerance.rtol) + " and atol " +
                           shortNumber(tolerance.atol));
  Comparison result;
  result.count = actual.size();
  Accumulator accumulator(tolerance);
  bool integers = !isFloat(actual.dtype()) && !isFloat(expected.dtype());
  for (uint64_t i = 0; i < actual.size(); ++i) {
    double a = actual.at(i);
    double e = expected.at(i);
    double difference = integers ? std::fabs(double(integerAt(actual, i) - integerAt(expected, i)))
                                 : std::fabs(a - e);
    if (accumulator.add(a, e, difference, result))
      continue;
    if (result.mismatches++ == 0) {
      result.firstCoordinates = actual.coordinates(i);
      result.firstActual = actual.elementText(i);
      result.firstExpected = expected.elementText(i);
    }
  }
  result.relativeL2 = accumulator.relativeL2();
  return result;
}

} // namespace tilecrt
