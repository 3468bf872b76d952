// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of types, copies of trees, and the program's text. Library functions of a program are
// written in front of the kernel when its text mentions them.

#include "Program.h"

#include <functional>

namespace tilec::fuzz {

namespace {
struct ScalarNames {
  const char *language;
  const char *signature;
  unsigned bits;
};
constexpr ScalarNames scalarNames[] = {{"int1", "i1", 1},        {"int8", "i8", 8},
                                       {"int16", "i16", 16},     {"int32", "i32", 32},
                                       {"int64", "i64", 64},     {"uint8", "u8", 8},
                                       {"uint16", "u16", 16},    {"uint32", "u32", 32},
                                       {"uint64", "u64", 64},    {"float16", "fp16", 16},
                                       {"bfloat16", "bf16", 16}, {"float32", "fp32", 32},
                                       {"float64", "fp64", 64},  {"float8e4nv", "fp8e4nv", 8},
                                       {"float8e5", "fp8e5", 8}};

struct HelperFunction {
  const char *name;
  const char *text;
};
/// Functions that templates may call.
constexpr HelperFunction helperFunctions[] = {{"_blend(", R"(@triton.jit
def _blend(a, b, n):
    if n > 2:
        c = a
    else:
        c = b
    return c
)"},
                                              {"_low_half(", R"(@triton.jit
def _low_half(x):
    low, high = tl.split(x)
    return low
)"},
                                              {"_high_half(", R"(@triton.jit
def _high_half(x):
    low, high = tl.split(x)
    return high
)"},
                                              {"_compose", R"(@triton.jit
def _compose(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2
)"},
                                              {"_recurrence(", R"(@triton.jit
def _recurrence(a, b, axis: tl.constexpr, reverse: tl.constexpr):
    slope, value = tl.associative_scan((a, b), axis, _compose, reverse)
    return value + slope
)"},
                                              {"_larger", R"(@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)
)"},
                                              {"_later", R"(@triton.jit
def _later(value1, place1, value2, place2):
    first = (value1 > value2) | ((value1 == value2) & (place1 > place2))
    return tl.where(first, value1, value2), tl.where(first, place1, place2)
)"},
                                              {"_last_peak(", R"(@triton.jit
def _last_peak(x, payload, axis: tl.constexpr):
    value, place = tl.reduce((x, payload), axis, _later)
    return place
)"},
                                              {"_xor", R"(@triton.jit
def _xor(a, b):
    return a ^ b
)"}};
} // namespace

unsigned bitsOf(Scalar s) { return scalarNames[unsigned(s)].bits; }
std::string languageName(Scalar s) {
  return std::string("tl.") + scalarNames[unsigned(s)].language;
}
std::string signatureName(Scalar s) { return scalarNames[unsigned(s)].signature; }

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int size : shape)
    count *= size;
  return count;
}

ExprPtr clone(const Expr &expr) {
  auto copy = std::make_unique<Expr>();
  copy->rule = expr.rule;
  copy->type = expr.type;
  copy->text = expr.text;
  for (const ExprPtr &operand : expr.operands)
    copy->operands.push_back(clone(*operand));
  copy->parameter = expr.parameter;
  copy->variable = expr.variable;
  copy->factorError = expr.factorError;
  copy->bounds = expr.bounds;
  return copy;
}

static std::vector<StmtPtr> cloneAll(const std::vector<StmtPtr> &body) {
  std::vector<StmtPtr> copy;
  for (const StmtPtr &stmt : body)
    copy.push_back(clone(*stmt));
  return copy;
}

StmtPtr clone(const Stmt &stmt) {
  auto copy = std::make_unique<Stmt>();
  copy->kind = stmt.kind;
  copy->text = stmt.text;
  for (const ExprPtr &expr : stmt.exprs)
    copy->exprs.push_back(clone(*expr));
  copy->variable = stmt.variable;
  copy->body = cloneAll(stmt.body);
  copy->orElse = cloneAll(stmt.orElse);
  copy->trips = stmt.trips;
  copy->array = stmt.array;
  copy->isAtomicAdd = stmt.isAtomicAdd;
  copy->hits = stmt.hits;
  return copy;
}

Program clone(const Program &program) {
  Program copy;
  copy.seed = program.seed;
  copy.grid = program.grid;
  copy.warps = program.warps;
  copy.arrays = program.arrays;
  copy.scalars = program.scalars;
  copy.variables = program.variables;
  copy.body = cloneAll(program.body);
  return copy;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class Printer {
public:
  explicit Printer(const Program &printed) : program(printed) {}

  std::string run() {
    std::string text;
    for (const StmtPtr &stmt : program.body)
      print(*stmt, 1, text);
    if (program.body.empty())
      text += "    pass\n";
    std::string all = helpersOf(text) + "@triton.jit\ndef kernel(";
    const char *separator = "";
    auto add = [&](const std::string &name) {
      all += separator + name;
      separator = ", ";
    };
    for (const Array &array : program.arrays)
      add(array.name);
    for (const ScalarArgument &argument : program.scalars)
      add(argument.name);
    return all + "):\n    pid = tl.program_id(0)\n" + text;
  }

private:
  /// The functions that the text calls, and those that they call.
  static std::string helpersOf(const std::string &text) {
    std::string all, seen = text;
    for (size_t i = std::size(helperFunctions); i-- > 0;)
      if (seen.find(helperFunctions[i].name) != std::string::npos) {
        all = std::string(helperFunctions[i].text) + "\n\n" + all;
        seen += helperFunctions[i].text;
      }
    return all;
  }

  std::string fill(const std::string &pattern, const std::vector<ExprPtr> &operands,
                   int variable) const {
    std::string text;
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%' || i + 1 == pattern.size()) {
        text += pattern[i];
        continue;
      }
      char c = pattern[++i];
      if (c >= '0' && c <= '9')
        text += print(*operands[size_t(c - '0')]);
      else if (c == 'v')
        text += program.variables[size_t(variable)].name;
      else
        text += std::string("%") + c;
    }
    return text;
  }

  std::string print(const Expr &expr) const {
    if (expr.rule == Rule::Variable)
      return program.variables[size_t(expr.variable)].name;
    return fill(expr.text, expr.operands, expr.variable);
  }

  void print(const Stmt &stmt, int depth, std::string &text) const {
    std::string indent(size_t(depth) * 4, ' ');
    switch (stmt.kind) {
    case Stmt::Kind::Assign:
    case Stmt::Kind::Accumulate:
      text += indent + program.variables[size_t(stmt.variable)].name +
              (stmt.kind == Stmt::Kind::Assign ? " = " : " += ") + print(*stmt.exprs[0]) + "\n";
      return;
    case Stmt::Kind::Plain:
      text += indent + fill(stmt.text, stmt.exprs, stmt.variable) + "\n";
      return;
    case Stmt::Kind::Block:
      text += indent + fill(stmt.text, stmt.exprs, stmt.variable) + "\n";
      printBody(stmt.body, depth + 1, text);
      if (!stmt.orElse.empty()) {
        text += indent + "else:\n";
        printBody(stmt.orElse, depth + 1, text);
      }
    }
  }

  void printBody(const std::vector<StmtPtr> &body, int depth, std::string &text) const {
    for (const StmtPtr &stmt : body)
      print(*stmt, depth, text);
    if (body.empty())
      text += std::string(size_t(depth) * 4, ' ') + "pass\n";
  }

  const Program &program;
};
} // namespace

std::string printSource(const Program &program) { return Printer(program).run(); }

} // namespace tilec::fuzz
