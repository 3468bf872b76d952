// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice of axis facts: construction, join, printing.

#include "dialects/Tile/AxisFacts.h"

#include "dialects/Tile/TileOps.h"

using namespace mlir;

namespace tilec {

int64_t powerOfTwoDivisor(int64_t value) {
  if (value == 0)
    return AxisInfo::kMaxDivisibility;
  uint64_t bits = static_cast<uint64_t>(value);
  return static_cast<int64_t>(std::min<uint64_t>(bits & (~bits + 1), AxisInfo::kMaxDivisibility));
}

int64_t saturatingProduct(int64_t a, int64_t b) {
  unsigned log = llvm::Log2_64(a) + llvm::Log2_64(b);
  return log >= 62 ? AxisInfo::kMaxDivisibility : int64_t(1) << log;
}

AxisInfo::DimVector axisShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return {1};
  return AxisInfo::DimVector(tensor.getShape());
}

/// Bytes of the pointee of a pointer or tensor of pointers, 1 for other types.
static int64_t unitOf(Type type) {
  auto pointer = dyn_cast<tile::PtrType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getElementBytes() : 1;
}

unsigned AxisInfo::getFastAxis() const {
  return contiguity.rend() - std::max_element(contiguity.rbegin(), contiguity.rend()) - 1;
}

int64_t AxisInfo::getElementDivisibility() const {
  int64_t result = 1;
  for (unsigned d = 0; d < getRank(); ++d) {
    int64_t every =
        contiguity[d] == 1 ? divisibility[d] : std::min(divisibility[d], powerOfTwoDivisor(unit));
    result = std::max(result, every);
  }
  return result;
}

int64_t AxisInfo::getDivisibilityAt(unsigned dim, int64_t group) const {
  if (group >= contiguity[dim])
    return divisibility[dim];
  // The group starts `group` steps or a multiple of that after the start of its run.
  int64_t inside = std::min(divisibility[dim], saturatingProduct(group, powerOfTwoDivisor(unit)));
  return std::max(inside, getElementDivisibility());
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  result.unit = lhs.unit;
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  if (lhs.constantValue == rhs.constantValue)
    result.constantValue = lhs.constantValue;
  for (unsigned d = 0; d < lhs.getRank(); ++d) {
    int64_t run = std::min(lhs.contiguity[d], rhs.contiguity[d]);
    result.contiguity.push_back(run);
    result.constancy.push_back(std::min(lhs.constancy[d], rhs.constancy[d]));
    result.divisibility.push_back(
        std::min(lhs.getDivisibilityAt(d, run), rhs.getDivisibilityAt(d, run)));
  }
  return result;
}

AxisInfo addAxisInfo(Type type, const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result = AxisInfo::pessimistic(type);
  for (unsigned d = 0; d < result.getRank(); ++d) {
    // A run plus equal values is a run.
    int64_t run = std::max(std::min(lhs.contiguity[d], rhs.constancy[d]),
                           std::min(lhs.constancy[d], rhs.contiguity[d]));
    result.contiguity[d] = run;
    result.constancy[d] = std::min(lhs.constancy[d], rhs.constancy[d]);
    result.divisibility[d] =
        std::min(lhs.getDivisibilityAt(d, run),
                 saturatingProduct(rhs.getDivisibilityAt(d, run), powerOfTwoDivisor(lhs.unit)));
  }
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

AxisInfo changeAxisUnit(Type type, const AxisInfo &source) {
  AxisInfo result = AxisInfo::pessimistic(type);
  if (result.unit == source.unit)
    return source;
  int64_t divisibility = source.getElementDivisibility();
  result.divisibility.assign(result.getRank(), divisibility);
  result.constancy = source.constancy;
  return result;
}

AxisInfo AxisInfo::pessimistic(Type type) {
  AxisInfo result;
  unsigned rank = axisShape(type).size();
  result.unit = unitOf(type);
  result.contiguity.assign(rank, 1);
  result.constancy.assign(rank, 1);
  result.divisibility.assign(rank, powerOfTwoDivisor(result.unit));
  return result;
}

AxisInfo AxisInfo::constant(Type type, int64_t value) {
  AxisInfo result;
  result.constancy = axisShape(type);
  result.unit = unitOf(type);
  result.contiguity.assign(result.constancy.size(), 1);
  result.divisibility.assign(result.constancy.size(), powerOfTwoDivisor(value));
  result.constantValue = value;
  result.nonNegative = value >= 0;
  return result;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && constantValue == other.constantValue &&
         unit == other.unit && nonNegative == other.nonNegative;
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](StringRef name, const DimVector &values) {
    os << name << " = [";
    llvm::interleaveComma(values, os);
    os << "]";
  };
  list("contiguity", contiguity);
  list(", divisibility", divisibility);
  list(", constancy", constancy);
  if (constantValue)
    os << ", constant = " << *constantValue;
  if (nonNegative)
    os << ", nonnegative";
}

} // namespace tilec
