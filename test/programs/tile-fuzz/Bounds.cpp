// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the numbers of a program. A float's roundings are the same everywhere as long as the
// order of operations is fixed: only sums of several elements, products of matrices and approximate
// functions bring an error in, unless all their partial results are exact, which the grid tells.

#include "Program.h"

#include <algorithm>
#include <cmath>

namespace tilec::fuzz {

/// Significant bits of a float.
static int precisionOf(Scalar s) {
  switch (s) {
  case Scalar::F16:
    return 11;
  case Scalar::BF16:
    return 8;
  case Scalar::F64:
    return 53;
  case Scalar::E4M3:
    return 4;
  case Scalar::E5M2:
    return 3;
  default:
    return 24;
  }
}

/// Exponent of the smallest normal number.
static int leastExponentOf(Scalar s) {
  switch (s) {
  case Scalar::F16:
  case Scalar::E5M2:
    return -14;
  case Scalar::E4M3:
    return -6;
  case Scalar::F64:
    return -1022;
  default:
    return -126;
  }
}

/// Results stay below this, so that no sum of a few overflows.
static double limitOf(Scalar s) {
  switch (s) {
  case Scalar::F16:
    return 16384;
  case Scalar::E4M3:
    return 256;
  case Scalar::E5M2:
    return 16384;
  default:
    return 1e15;
  }
}

static double largestInteger(Scalar s) {
  if (isBool(s))
    return 1;
  unsigned bits = bitsOf(s);
  return isUnsigned(s) ? std::ldexp(1.0, int(bits)) - 1 : std::ldexp(1.0, int(bits) - 1);
}

double spacing(Scalar scalar, double magnitude) {
  int exponent = leastExponentOf(scalar);
  if (magnitude > 0)
    exponent = std::max(exponent, std::ilogb(magnitude));
  return std::ldexp(1.0, exponent - precisionOf(scalar) + 1);
}

/// Whether multiples of 2^grid up to the magnitude are numbers of the type.
static bool isExact(Scalar scalar, double magnitude, int grid) {
  return grid != noGrid && magnitude <= std::ldexp(1.0, grid + precisionOf(scalar)) &&
         grid >= leastExponentOf(scalar) - precisionOf(scalar) + 1;
}

Bounds boundsOf(const Array &array) {
  Bounds bounds;
  bool isTame = array.fill != Array::Fill::Wild;
  if (isFloat(array.scalar)) {
    bool isOwn = array.fill == Array::Fill::Own;
    bounds.magnitude = isOwn ? 16 : isTame ? 4 : 2;
    bounds.grid = isTame && !isOwn ? -3 : noGrid;
  } else {
    isTame &= array.fill != Array::Fill::Own && !isBool(array.scalar);
    bounds.magnitude = isTame ? 16 : largestInteger(array.scalar);
    bounds.grid = 0;
  }
  bounds.error = array.tolerance;
  return bounds;
}

namespace {

/// A power of two that divides the number, for numbers with few bits.
int gridOf(double number) {
  for (int grid = 8; grid > -40; --grid)
    if (std::ldexp(std::nearbyint(std::ldexp(number, -grid)), grid) == number)
      return grid;
  return noGrid;
}

int gridSum(int a, int b) { return a == noGrid || b == noGrid ? noGrid : a + b; }
int gridMin(int a, int b) { return a == noGrid || b == noGrid ? noGrid : std::min(a, b); }

class Bounder {
public:
  Bounder(Expr &bounded, const Program &owner)
      : e(bounded), program(owner), s(bounded.type.scalar), result(bounded.bounds) {}

  bool run() {
    result = Bounds();
    if (!compute())
      return false;
    if (!isFloat(s)) {
      result.grid = 0;
      result.magnitude = std::min(result.magnitude, largestInteger(s));
      return result.error == 0;
    }
    result.magnitude += result.error;
    return result.magnitude <= limitOf(s) && result.error <= 1e-2 * std::max(1.0, result.magnitude);
  }

private:
  const Bounds &in(size_t i) const { return e.operands[i]->bounds; }

  /// The result is rounded once to the type, always in the same way.
  void round() {
    if (!isExact(s, result.magnitude, result.grid))
      result.grid = noGrid;
    if (result.error > 0)
      result.error += spacing(s, result.magnitude);
    result.magnitude += spacing(s, result.magnitude);
  }
  /// The result is off by some units in the last place.
  void approximate(double error) {
    result.error = error + 4 * spacing(s == Scalar::F64 ? s : Scalar::F32, result.magnitude) +
                   (bitsOf(s) < 32 ? spacing(s, result.magnitude) : 0);
    result.grid = noGrid;
  }

  void pick(size_t first) {
    result = in(first);
    for (size_t i = first + 1; i < e.operands.size(); ++i) {
      result.magnitude = std::max(result.magnitude, in(i).magnitude);
      result.error = std::max(result.error, in(i).error);
      result.grid = gridMin(result.grid, in(i).grid);
      result.isProduct |= in(i).isProduct;
    }
  }

  void add() {
    bool mayMerge = in(0).isProduct || in(1).isProduct;
    result.magnitude = in(0).magnitude + in(1).magnitude;
    result.grid = gridMin(in(0).grid, in(1).grid);
    result.error = in(0).error + in(1).error;
    result.isProduct = mayMerge;
    if (mayMerge && !isExact(s, result.magnitude, result.grid))
      approximate(result.error + 16 * spacing(s, result.magnitude));
    else
      round();
  }

  void multiply() {
    result.magnitude = in(0).magnitude * in(1).magnitude;
    result.grid = gridSum(in(0).grid, in(1).grid);
    result.error = in(0).error * in(1).magnitude + in(1).error * in(0).magnitude;
    round();
  }

  void sum() {
    double n = e.parameter;
    result.magnitude = n * in(0).magnitude;
    result.grid = in(0).grid;
    result.error = n * in(0).error;
    if (!isExact(s, result.magnitude, result.grid) || result.error > 0) {
      result.error += n * spacing(s, result.magnitude);
      result.grid = noGrid;
    }
  }

  /// Operands 0 and 1 are the factors, 2, if there is one, the accumulator.
  void product() {
    double n = e.parameter;
    const Bounds &a = in(0), &b = in(1);
    bool hasAcc = e.operands.size() > 2;
    result.isProduct = true;
    result.magnitude = n * a.magnitude * b.magnitude + (hasAcc ? in(2).magnitude : 0);
    result.grid = gridSum(a.grid, b.grid);
    if (hasAcc)
      result.grid = gridMin(result.grid, in(2).grid);
    result.error = n * (a.error * b.magnitude + b.error * a.magnitude) + (hasAcc ? in(2).error : 0);
    // Factors that lose bits are not on their grid any more.
    bool factorsAreExact = e.factorError == 0 || (isExact(Scalar::F16, a.magnitude, a.grid) &&
                                                  isExact(Scalar::F16, b.magnitude, b.grid));
    if (isExact(s, result.magnitude, result.grid) && factorsAreExact && result.error == 0)
      return;
    result.error += n * (a.magnitude * b.magnitude) * 2 * e.factorError +
                    (n + 4) * spacing(s, result.magnitude);
    result.grid = noGrid;
  }

  bool cast() {
    Scalar from = e.operands[0]->type.scalar;
    result = in(0);
    result.isProduct = false;
    if (isFloat(s)) {
      if (!isFloat(from) || bitsOf(from) > bitsOf(s) || bitsOf(s) <= 16)
        round();
      return true;
    }
    // A negative number wraps.
    if (isUnsigned(s) && !isFloat(from) && !isUnsigned(from) && !isBool(from))
      result.magnitude = largestInteger(s);
    if (isFloat(from) && !isBool(s) && (isUnsigned(s) || result.magnitude >= largestInteger(s)))
      return false;
    return result.error == 0;
  }

  bool smallArgument(double slope) {
    if (in(0).magnitude > 4)
      return false;
    approximate(in(0).error * slope);
    return true;
  }

  bool compute() {
    switch (e.rule) {
    case Rule::Number:
      result.magnitude = std::abs(e.parameter);
      result.grid = gridOf(e.parameter);
      return true;
    case Rule::Index:
      result.magnitude = e.parameter;
      return true;
    case Rule::Variable:
      result = program.variables[size_t(e.variable)].bounds;
      return true;
    case Rule::Load:
      result = boundsOf(program.arrays[size_t(e.variable)]);
      return true;
    case Rule::Add:
      add();
      return true;
    case Rule::Multiply:
      multiply();
      return true;
    case Rule::Divide:
      result.magnitude = in(0).magnitude / e.parameter;
      approximate(in(0).error / e.parameter +
                  in(1).error * in(0).magnitude / (e.parameter * e.parameter));
      return true;
    case Rule::Integer:
      result.magnitude = largestInteger(s);
      return true;
    case Rule::MaskInteger:
      result.magnitude = e.parameter;
      return true;
    case Rule::Pick:
      pick(0);
      return true;
    case Rule::PickOther:
      pick(1);
      return true;
    case Rule::Keep:
      result = in(0);
      return true;
    case Rule::Negate:
      result = in(0);
      result.isProduct = false;
      return true;
    case Rule::Clamp:
      result = in(0);
      result.isProduct = false;
      result.magnitude = std::min(result.magnitude, e.parameter);
      return true;
    case Rule::Round:
      result = in(0);
      result.magnitude += 1;
      result.grid = std::max(0, result.grid);
      return result.error == 0;
    case Rule::Fma:
      result.magnitude = in(0).magnitude * in(1).magnitude + in(2).magnitude;
      result.error = in(0).error * in(1).magnitude + in(1).error * in(0).magnitude + in(2).error;
      if (s != Scalar::F32 && s != Scalar::F64)
        approximate(result.error);
      else
        round();
      return true;
    case Rule::Exp:
      result.magnitude = std::exp(4.1);
      return smallArgument(std::exp(4.1)) && (result.error += 4e-5, true);
    case Rule::Exp2:
      result.magnitude = std::exp2(4.1);
      return smallArgument(std::exp2(4.1)) && (result.error += 1e-5, true);
    case Rule::LogOnePlus:
      result.magnitude = std::log2(2 + in(0).magnitude);
      approximate(1.5 * in(0).error);
      result.error += 1e-6;
      return true;
    case Rule::Sqrt:
      result.magnitude = std::sqrt(in(0).magnitude);
      approximate(std::sqrt(in(0).error));
      return true;
    case Rule::RsqrtOnePlus:
      result.magnitude = 1;
      approximate(in(0).error);
      return true;
    case Rule::Smooth:
      result.magnitude = 1;
      approximate(2 * in(0).error + spacing(s, in(0).magnitude));
      result.error += 1e-6;
      return in(0).magnitude <= 1e4;
    case Rule::Compare:
      result.magnitude = 1;
      return std::all_of(e.operands.begin(), e.operands.end(),
                         [](const ExprPtr &operand) { return operand->bounds.error == 0; });
    case Rule::Cast:
      return cast();
    case Rule::Bits:
      result.magnitude = largestInteger(s);
      return in(0).error == 0;
    case Rule::Sum:
      sum();
      return true;
    case Rule::Place:
      result.magnitude = e.parameter;
      return in(0).error == 0;
    case Rule::Product:
      product();
      return true;
    }
    return false;
  }

  Expr &e;
  const Program &program;
  Scalar s;
  Bounds &result;
};

bool boundTree(Expr &expr, const Program &program) {
  for (const ExprPtr &operand : expr.operands)
    if (!boundTree(*operand, program))
      return false;
  return bound(expr, program);
}

/// Walks a program in order.
class Walker {
public:
  explicit Walker(Program &walked) : program(walked) {}

  bool run(std::vector<StmtPtr> &body, int trips) {
    for (StmtPtr &stmt : body)
      if (!run(*stmt, trips))
        return false;
    return true;
  }

private:
  bool run(Stmt &stmt, int trips) {
    for (ExprPtr &expr : stmt.exprs)
      if (!boundTree(*expr, program))
        return false;
    switch (stmt.kind) {
    case Stmt::Kind::Assign:
      return assign(program.variables[size_t(stmt.variable)], stmt.exprs[0]->bounds);
    case Stmt::Kind::Accumulate:
      return accumulate(program.variables[size_t(stmt.variable)], stmt.exprs[0]->bounds, trips);
    case Stmt::Kind::Plain:
      return stmt.array < 0 || store(stmt, trips);
    case Stmt::Kind::Block:
      return run(stmt.body, trips * stmt.trips) && run(stmt.orElse, trips * stmt.trips);
    }
    return false;
  }

  bool assign(Variable &variable, const Bounds &bounds) {
    if (variable.kind == Variable::Kind::Mutable)
      return bounds.magnitude <= variable.bounds.magnitude && bounds.error == 0;
    variable.bounds = bounds;
    return true;
  }

  bool accumulate(Variable &variable, const Bounds &bounds, int trips) {
    Bounds &total = variable.bounds;
    if (!isFloat(variable.type.scalar)) {
      total.magnitude = largestInteger(variable.type.scalar);
      return true;
    }
    total.magnitude += trips * bounds.magnitude;
    total.grid = gridMin(total.grid, bounds.grid);
    total.error += trips * bounds.error;
    total.isProduct |= bounds.isProduct;
    if (!isExact(variable.type.scalar, total.magnitude, total.grid)) {
      // The order is fixed unless products are added in the tensor core.
      if (total.error > 0 || total.isProduct)
        total.error += (trips + 1) * 8 * spacing(variable.type.scalar, total.magnitude);
      total.grid = noGrid;
    }
    return total.magnitude <= limitOf(variable.type.scalar) &&
           total.error <= 1e-2 * std::max(1.0, total.magnitude);
  }

  bool store(Stmt &stmt, int trips) {
    Array &array = program.arrays[size_t(stmt.array)];
    const Bounds &bounds = stmt.exprs[0]->bounds;
    if (array.fill == Array::Fill::Own && isFloat(array.scalar) &&
        (bounds.error > 0 || bounds.magnitude > 16))
      return false;
    if (!stmt.isAtomicAdd || !isFloat(array.scalar)) {
      array.tolerance = std::max(array.tolerance, bounds.error);
      return isFloat(array.scalar) || bounds.error == 0;
    }
    double hits = stmt.hits * trips * program.grid;
    double magnitude = 4 + hits * bounds.magnitude;
    if (!isExact(array.scalar, magnitude, gridMin(bounds.grid, -3)) || bounds.error > 0)
      array.tolerance += hits * (bounds.error + spacing(array.scalar, magnitude));
    return magnitude <= limitOf(array.scalar);
  }

  Program &program;
};

} // namespace

bool bound(Expr &expr, const Program &program) { return Bounder(expr, program).run(); }

bool boundAll(Program &program) {
  for (Array &array : program.arrays)
    array.tolerance = 0;
  for (Variable &variable : program.variables)
    if (variable.kind == Variable::Kind::Total)
      variable.bounds = Bounds();
  return Walker(program).run(program.body, 1);
}

} // namespace tilec::fuzz
