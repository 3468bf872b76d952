// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the generator that makes expressions of a wanted type.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_EXPRGENERATOR_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_EXPRGENERATOR_H

#include "Program.h"
#include "Random.h"

namespace tilec::fuzz {

class ExprGenerator {
public:
  ExprGenerator(Program &made, Random &source) : program(made), random(source) {
    // Large tiles are for matrix products.
    isLarge = random.chance(12);
  }

  /// Any expression of the type.
  ExprPtr any(const Type &type, int depth);
  /// One whose numbers are the same in every correct run.
  ExprPtr exact(const Type &type, int depth);
  /// An exact one that is at most 8 in magnitude when it is a float.
  ExprPtr small(const Type &type, int depth);
  /// The variable itself.
  ExprPtr read(int variable);
  /// A scalar condition.
  ExprPtr condition(int depth) { return exact({Scalar::I1, {}}, depth); }
  /// Row-major positions in a block of the shape, of this program, possibly permuted by an
  /// exclusive or; each position once.
  std::string positions(const Shape &shape, bool mayPermute);

  Shape randomShape();
  Scalar randomScalar();
  int addArray(const std::string &prefix, Scalar scalar, int size, Array::Fill fill);

  /// The descriptor of an array of the program's blocks of a shape, and the offsets of its own.
  std::string describeBlocks(const std::string &array, const Type &type);
  /// Whether a descriptor can have blocks of the type.
  static bool hasDescriptor(const Type &type);

  /// Whether tensors may have 4096 elements rather than 1024.
  bool isLarge;
  /// Variables that may be read here.
  std::vector<int> scope;

private:
  ExprPtr make(Rule rule, const Type &type, std::string text, double parameter = 0);
  template <typename... Rest>
  ExprPtr make(Rule rule, const Type &type, std::string text, double parameter, ExprPtr first,
               Rest... rest);
  ExprPtr finish(ExprPtr expr);

  ExprPtr leaf(const Type &type);
  ExprPtr number(const Type &type);
  ExprPtr literal(Scalar scalar);
  ExprPtr variable(const Type &type);
  /// A variable of another type, made to fit.
  ExprPtr adapt(const Type &type);
  ExprPtr castTo(const Type &type, ExprPtr expr);
  ExprPtr load(const Type &type, int depth);
  ExprPtr loadBlock(const Type &type);
  /// " + i3 * 16" or nothing.
  std::string counterOffset(int step);
  ExprPtr index(const Type &type);
  ExprPtr tame(ExprPtr expr);
  ExprPtr attempt(const Type &type, int depth);
  ExprPtr attemptBool(const Type &type, int depth);
  ExprPtr attemptInteger(const Type &type, int depth);
  ExprPtr attemptFloat(const Type &type, int depth);
  ExprPtr attemptShape(const Type &type, int depth);
  ExprPtr cast(const Type &type, int depth);
  ExprPtr reduce(const Type &type, int depth);
  ExprPtr scan(const Type &type, int depth);
  ExprPtr dot(const Type &type, int depth);
  ExprPtr gather(const Type &type, int depth);
  ExprPtr halves(const Type &type, int depth);
  ExprPtr reshape(const Type &type, int depth);
  /// A second operand that may be narrower in some dimension, or a literal.
  ExprPtr partner(const Type &type, int depth);

  int input(Scalar scalar, Array::Fill fill, bool mustBeAligned = false);
  /// Most elements of a tensor, and those of an input array.
  int64_t mostElements() const { return isLarge ? 4096 : 1024; }
  int inputSize() const { return isLarge ? 16384 : 4096; }

  Program &program;
  Random &random;
  std::vector<Shape> shapes;
};

template <typename... Rest>
ExprPtr ExprGenerator::make(Rule rule, const Type &type, std::string text, double parameter,
                            ExprPtr first, Rest... rest) {
  auto expr = std::make_unique<Expr>();
  expr->rule = rule;
  expr->type = type;
  expr->text = std::move(text);
  expr->parameter = parameter;
  expr->operands.push_back(std::move(first));
  (expr->operands.push_back(std::move(rest)), ...);
  return finish(std::move(expr));
}

/// "(4, 8)" or "(4,)".
std::string textOf(const Shape &shape);

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_EXPRGENERATOR_H
