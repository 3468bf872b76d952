// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random program as a tree: what the generator makes, the printer writes, the reducer shrinks.
// Expressions and statements carry their text as a template, in which %0, %1, ... are operands, and
// a rule that says how their numbers are bounded.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_PROGRAM_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_PROGRAM_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilec::fuzz {

enum class Scalar : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  E4M3,
  E5M2
};

inline bool isFloat(Scalar s) { return s >= Scalar::F16; }
inline bool isFloat8(Scalar s) { return s >= Scalar::E4M3; }
inline bool isBool(Scalar s) { return s == Scalar::I1; }
inline bool isInteger(Scalar s) { return !isFloat(s) && !isBool(s); }
inline bool isUnsigned(Scalar s) { return s >= Scalar::U8 && s <= Scalar::U64; }
unsigned bitsOf(Scalar s);
/// "tl.float32".
std::string languageName(Scalar s);
/// "fp32", as signatures have it.
std::string signatureName(Scalar s);

using Shape = std::vector<int>;
int64_t countOf(const Shape &shape);

struct Type {
  Scalar scalar = Scalar::I32;
  Shape shape;
  bool operator==(const Type &other) const {
    return scalar == other.scalar && shape == other.shape;
  }
};

constexpr int noGrid = -1000;

/// What is known of a value's numbers in every run.
struct Bounds {
  /// No element is larger in magnitude.
  double magnitude = 0;
  /// How far two correct evaluations may be apart; zero: they agree.
  double error = 0;
  /// Every element is a multiple of 2^grid, or nothing is known.
  int grid = noGrid;
  /// A matrix product, which the compiler may add to in another order.
  bool isProduct = false;
};

/// How bounds follow from those of the operands.
enum class Rule : uint8_t {
  Number,       ///< parameter
  Index,        ///< an integer up to parameter
  Variable,     ///< variable
  Load,         ///< from array `variable`
  Add,          ///< also subtraction
  Multiply,     ///<
  Divide,       ///< of floats, by at least parameter
  Integer,      ///< any operation of integers
  MaskInteger,  ///< & parameter
  Pick,         ///< each element is one of any operand's: min, max, join
  PickOther,    ///< the same, but not of the first operand (a condition)
  Keep,         ///< the elements of operand 0, moved about
  Negate,       ///< or magnitude
  Clamp,        ///< to +-parameter
  Round,        ///< floor, ceil
  Fma,          ///<
  Exp,          ///< of at most 4
  Exp2,         ///< of at most 4
  LogOnePlus,   ///< log(1 + |x|), also to the base 2
  Sqrt,         ///< of |x|
  RsqrtOnePlus, ///< 1 / sqrt(1 + |x|)
  Smooth,       ///< sin, cos, erf, tanh, sigmoid: up to 1, slope up to 2
  Compare,      ///< needs operands without error
  Cast,         ///< to the type
  Bits,         ///< bitcast of a float without error to an integer
  Sum,          ///< of parameter elements, also a prefix sum
  Place,        ///< argmax and the like: needs no error, up to parameter
  Product       ///< matrix product over parameter elements, see text for the precision
};

struct Expr {
  Rule rule = Rule::Number;
  Type type;
  std::string text;
  std::vector<std::unique_ptr<Expr>> operands;
  double parameter = 0;
  int variable = -1;
  /// Relative precision of the factors of a product.
  double factorError = 0;
  Bounds bounds;
};
using ExprPtr = std::unique_ptr<Expr>;

struct Variable {
  enum class Kind : uint8_t {
    /// Assigned once.
    Fixed,
    /// Assigned anywhere, always within `bounds`.
    Mutable,
    /// Added to in loops, read behind them.
    Total
  };
  std::string name;
  Type type;
  Kind kind = Kind::Fixed;
  Bounds bounds;
};

struct Stmt {
  enum class Kind : uint8_t {
    /// variable = exprs[0]
    Assign,
    /// variable += exprs[0]
    Accumulate,
    /// Anything with operands: stores, barriers, early exits.
    Plain,
    /// A head with operands and a body (and an else).
    Block
  };
  Kind kind = Kind::Plain;
  std::string text;
  std::vector<ExprPtr> exprs;
  /// Of an assignment; of a loop, its counter (or -1).
  int variable = -1;
  std::vector<std::unique_ptr<Stmt>> body, orElse;
  /// Most iterations of a loop; 1 for a branch.
  int trips = 1;
  /// Array that a Plain statement stores exprs[0] to, or -1; added to it when `isAtomicAdd`.
  int array = -1;
  bool isAtomicAdd = false;
  /// Elements of one address that an atomic adds.
  double hits = 1;
};
using StmtPtr = std::unique_ptr<Stmt>;

struct Array {
  enum class Fill : uint8_t {
    Zero,
    /// Eighths up to 4, integers up to 16.
    Tame,
    /// Any numbers up to 2, any integers.
    Wild,
    /// Zero until the program itself writes numbers up to 16.
    Own
  };
  std::string name;
  Scalar scalar = Scalar::F32;
  int size = 0;
  Fill fill = Fill::Zero;
  bool isAligned = true;
  /// Largest difference between two correct runs.
  double tolerance = 0;
};

struct ScalarArgument {
  std::string name;
  int value = 0;
};

struct Program {
  uint64_t seed = 0;
  int grid = 1;
  int warps = 4;
  std::vector<Array> arrays;
  std::vector<ScalarArgument> scalars;
  std::vector<Variable> variables;
  std::vector<StmtPtr> body;
};

ExprPtr clone(const Expr &expr);
StmtPtr clone(const Stmt &stmt);
Program clone(const Program &program);

/// Computes the bounds of an expression from those of its operands, which are right already. False
/// when its results would depend on roundings too much, or leave the type's range.
bool bound(Expr &expr, const Program &program);
/// The same for a whole program, which also sets the arrays' tolerances.
bool boundAll(Program &program);

/// The kernel's source text.
std::string printSource(const Program &program);
/// Bounds that values of an array have.
Bounds boundsOf(const Array &array);
/// The distance of neighbouring numbers of a float type near a magnitude.
double spacing(Scalar scalar, double magnitude);

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_PROGRAM_H
