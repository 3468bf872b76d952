// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy, from large to small, over and over until nothing helps: leave statements out, put the
// body of a branch or loop in its place, put an operand of the same type or a constant in the place
// of an expression, fewer programs and warps. A smaller program whose numbers are not bounded any
// more (Bounds.cpp) is not tried. In the end arrays and variables that nobody mentions go.

#include "Reducer.h"

#include "Generator.h"

#include <set>

namespace tilec::fuzz {

namespace {

using Body = std::vector<StmtPtr>;

/// Calls `visit(body)` for every list of statements, outer ones first.
void forEachBody(Body &body, const std::function<void(Body &)> &visit) {
  visit(body);
  for (StmtPtr &stmt : body) {
    forEachBody(stmt->body, visit);
    forEachBody(stmt->orElse, visit);
  }
}

void forEachExpr(ExprPtr &expr, const std::function<void(ExprPtr &)> &visit) {
  visit(expr);
  for (ExprPtr &operand : expr->operands)
    forEachExpr(operand, visit);
}

/// Every expression of the program, outer ones first.
std::vector<ExprPtr *> exprsOf(Program &program) {
  std::vector<ExprPtr *> all;
  forEachBody(program.body, [&](Body &body) {
    for (StmtPtr &stmt : body)
      for (ExprPtr &expr : stmt->exprs)
        forEachExpr(expr, [&](ExprPtr &one) { all.push_back(&one); });
  });
  return all;
}

class Reduction {
public:
  Reduction(Program start, const std::function<bool(const Program &)> &tester, int mostRuns)
      : best(std::move(start)), test(tester), budget(mostRuns) {}

  Program run() {
    bool isSmaller = true;
    while (isSmaller && budget > 0) {
      isSmaller = false;
      isSmaller |= dropStatements();
      isSmaller |= unwrapBlocks();
      isSmaller |= simplifyExprs();
      isSmaller |= lessParallel();
    }
    dropUnused();
    return std::move(best);
  }

private:
  /// Takes the program when it is bounded and fails still.
  bool tryProgram(Program candidate) {
    if (budget <= 0 || !boundAll(candidate))
      return false;
    --budget;
    if (!test(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  /// The body number `index` of a program, null behind the last.
  static Body *bodyAt(Program &program, size_t index) {
    Body *found = nullptr;
    size_t i = 0;
    forEachBody(program.body, [&](Body &body) {
      if (i++ == index)
        found = &body;
    });
    return found;
  }

  bool dropStatements() {
    bool any = false;
    for (size_t b = 0; bodyAt(best, b); ++b)
      // Half of a list, a quarter, ..., single statements, from the end.
      for (size_t size = std::max<size_t>(1, bodyAt(best, b)->size() / 2); size > 0; size /= 2)
        for (size_t end = bodyAt(best, b) ? bodyAt(best, b)->size() : 0; end >= size && end > 0;) {
          Program candidate = clone(best);
          Body &body = *bodyAt(candidate, b);
          if (end > body.size())
            break;
          body.erase(body.begin() + long(end - size), body.begin() + long(end));
          any |= tryProgram(std::move(candidate));
          end = end > size ? end - size : 0;
          if (!bodyAt(best, b))
            return any;
        }
    return any;
  }

  bool unwrapBlocks() {
    bool any = false;
    for (size_t b = 0; bodyAt(best, b); ++b)
      for (size_t i = 0; bodyAt(best, b) && i < bodyAt(best, b)->size(); ++i)
        for (bool useElse : {false, true}) {
          if (!bodyAt(best, b) || i >= bodyAt(best, b)->size())
            break;
          Program candidate = clone(best);
          Body &body = *bodyAt(candidate, b);
          if (body[i]->kind != Stmt::Kind::Block)
            break;
          Body inner = std::move(useElse ? body[i]->orElse : body[i]->body);
          if (inner.empty())
            continue;
          body.erase(body.begin() + long(i));
          body.insert(body.begin() + long(i), std::make_move_iterator(inner.begin()),
                      std::make_move_iterator(inner.end()));
          any |= tryProgram(std::move(candidate));
        }
    return any;
  }

  bool simplifyExprs() {
    bool any = false;
    for (size_t index = 0; index < exprsOf(best).size(); ++index) {
      // A constant first: that takes a whole tree away.
      const Expr &old = **exprsOf(best)[index];
      bool isSimple = old.rule == Rule::Number;
      if (!isSimple && replace(index, -1)) {
        any = true;
        continue;
      }
      for (size_t operand = 0;; ++operand) {
        const Expr &current = **exprsOf(best)[index];
        if (operand >= current.operands.size())
          break;
        if (current.operands[operand]->type == current.type && replace(index, int(operand))) {
          any = true;
          operand = size_t(-1);
        }
      }
    }
    return any;
  }

  /// Puts operand `operand`, or a constant, in the place of an expression.
  bool replace(size_t index, int operand) {
    Program candidate = clone(best);
    ExprPtr &place = *exprsOf(candidate)[index];
    ExprPtr simpler =
        operand < 0 ? makeOne(place->type) : std::move(place->operands[size_t(operand)]);
    place = std::move(simpler);
    return tryProgram(std::move(candidate));
  }

  bool lessParallel() {
    bool any = false;
    for (int grid = 1; grid < best.grid; ++grid) {
      Program candidate = clone(best);
      candidate.grid = grid;
      any |= tryProgram(std::move(candidate));
    }
    for (int warps : {1, 2, 4}) {
      if (warps >= best.warps)
        break;
      Program candidate = clone(best);
      candidate.warps = warps;
      any |= tryProgram(std::move(candidate));
    }
    return any;
  }

  void dropUnused() {
    std::string text = printSource(best);
    // Everything behind the parameters.
    text = text.substr(text.find("pid = "));
    Program candidate = clone(best);
    std::set<std::string> used;
    std::string word;
    for (char c : text + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
        word += c;
        continue;
      }
      used.insert(word);
      word.clear();
    }
    // Expressions refer to arrays by number; the text does not.
    for (size_t i = candidate.arrays.size(); i-- > 0;)
      if (!used.count(candidate.arrays[i].name)) {
        candidate.arrays.erase(candidate.arrays.begin() + long(i));
        renumber(candidate, int(i));
      }
    for (size_t i = candidate.scalars.size(); i-- > 0;)
      if (!used.count(candidate.scalars[i].name))
        candidate.scalars.erase(candidate.scalars.begin() + long(i));
    budget = 1;
    tryProgram(std::move(candidate));
  }

  static void renumber(Program &program, int removed) {
    for (ExprPtr *expr : exprsOf(program))
      if ((*expr)->rule == Rule::Load && (*expr)->variable > removed)
        --(*expr)->variable;
    forEachBody(program.body, [&](Body &body) {
      for (StmtPtr &stmt : body)
        if (stmt->array > removed)
          --stmt->array;
    });
  }

  Program best;
  const std::function<bool(const Program &)> &test;
  int budget;
};

} // namespace

Program reduce(Program program, const std::function<bool(const Program &)> &test, int budget) {
  return Reduction(std::move(program), test, budget).run();
}

} // namespace tilec::fuzz
