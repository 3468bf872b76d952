// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements: every program has a few variables, loops and branches, and every store an array of
// its own, so that programs and iterations do not get into each other's way.

#include "Generator.h"

#include "ExprGenerator.h"

#include <algorithm>

namespace tilec::fuzz {

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed), exprs(program, random) {
    program.seed = seed;
    program.warps = random.pick({1, 2, 4, 4, 4, 8});
    // Large tiles in one warp would only be slow to compile.
    if (exprs.isLarge)
      program.warps = random.pick({4, 4, 8});
    program.grid = random.between(1, 3);
    program.scalars = {{"n0", random.between(0, 5)}, {"n1", random.between(0, 5)}};
  }

  Program run() {
    for (int i = random.between(1, 2); i > 0; --i)
      mutableVariable(program.body);
    for (int i = random.between(1, 2); i > 0; --i)
      fixedVariable(program.body);
    for (int i = random.between(2, 7); i > 0; --i)
      statement(program.body, 0);
    for (int i = random.between(0, 2); i > 0; --i)
      store(program.body);
    for (int v : exprs.scope)
      if (program.variables[size_t(v)].kind != Variable::Kind::Fixed)
        store(program.body, v);
    boundAll(program);
    return std::move(program);
  }

private:
  using Body = std::vector<StmtPtr>;

  int addVariable(const Type &type, Variable::Kind kind) {
    Variable variable;
    variable.name =
        (kind == Variable::Kind::Total ? "t" : "v") + std::to_string(program.variables.size());
    variable.type = type;
    variable.kind = kind;
    program.variables.push_back(variable);
    return int(program.variables.size()) - 1;
  }

  static StmtPtr makeStmt(Stmt::Kind kind, std::string text) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = kind;
    stmt->text = std::move(text);
    return stmt;
  }

  void assign(Body &body, int variable, ExprPtr value) {
    StmtPtr stmt = makeStmt(Stmt::Kind::Assign, "");
    stmt->variable = variable;
    Variable &target = program.variables[size_t(variable)];
    if (target.kind != Variable::Kind::Mutable)
      target.bounds = value->bounds;
    stmt->exprs.push_back(std::move(value));
    body.push_back(std::move(stmt));
  }

  Type randomType() {
    Type type{exprs.randomScalar(), {}};
    if (!random.chance(12))
      type.shape = exprs.randomShape();
    return type;
  }

  void statement(Body &body, int nesting) {
    // Inside of a block only what it does to the outside counts.
    int choice = nesting > 0 && random.chance(50) ? random.between(35, 60) : random.below(100);
    if (choice < 20) {
      fixedVariable(body);
    } else if (choice < 30) {
      mutableVariable(body);
    } else if (choice < 50) {
      mutate(body);
    } else if (choice < 62) {
      store(body);
    } else if (choice < 68) {
      atomic(body);
    } else if (choice < 74) {
      total(body, nesting);
    } else if (choice < 77) {
      readBack(body);
    } else if (choice < 79) {
      if (nesting == 0)
        update(body);
    } else if (choice < 81) {
      if (nesting == 0 || random.chance(30))
        leave(body);
    } else if (nesting < 2) {
      block(body, nesting);
    }
  }

  void fixedVariable(Body &body) {
    Type type = randomType();
    ExprPtr value = exprs.any(type, random.between(1, 4));
    int variable = addVariable(type, Variable::Kind::Fixed);
    assign(body, variable, std::move(value));
    exprs.scope.push_back(variable);
  }

  void mutableVariable(Body &body) {
    Type type = randomType();
    if (isFloat8(type.scalar))
      return;
    ExprPtr value = exprs.small(type, 2);
    int variable = addVariable(type, Variable::Kind::Mutable);
    program.variables[size_t(variable)].bounds.magnitude = isFloat(type.scalar) ? 16 : 1e20;
    if (!isFloat(type.scalar))
      program.variables[size_t(variable)].bounds.grid = 0;
    assign(body, variable, std::move(value));
    exprs.scope.push_back(variable);
  }

  /// A variable of the kind in scope, or -1.
  int findVariable(Variable::Kind kind) {
    std::vector<int> fitting;
    for (int v : exprs.scope)
      if (program.variables[size_t(v)].kind == kind)
        fitting.push_back(v);
    return fitting.empty() ? -1 : random.pick(fitting);
  }

  void mutate(Body &body) {
    int variable = findVariable(Variable::Kind::Mutable);
    if (variable >= 0)
      assign(body, variable,
             exprs.small(program.variables[size_t(variable)].type, random.between(1, 3)));
  }

  /// ", mask=..." or nothing.
  std::string maskFor(const Shape &shape, std::vector<ExprPtr> &operands) {
    if (shape.empty() || !random.chance(30))
      return "";
    if (random.chance(50))
      return ", mask=" + exprs.positions(shape, false) + " < " + program.scalars[1].name + " * " +
             std::to_string(1 << random.between(0, 9));
    operands.push_back(exprs.exact({Scalar::I1, shape}, 2));
    return ", mask=%" + std::to_string(operands.size() - 1);
  }

  /// Of a variable, or of one that reads like it.
  void store(Body &body, int variable = -1) {
    int like = random.chance(80) && !exprs.scope.empty() ? random.pick(exprs.scope) : -1;
    Type type = like >= 0 ? program.variables[size_t(like)].type : randomType();
    ExprPtr value;
    if (variable >= 0) {
      type = program.variables[size_t(variable)].type;
      value = exprs.read(variable);
      // A total beyond what can be compared: the program is not used.
      if (!value)
        return;
    } else {
      value = exprs.any(type, like >= 0 ? 1 : random.between(1, 4));
    }
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, "");
    stmt->array = exprs.addArray("out", type.scalar, int(countOf(type.shape)) * program.grid,
                                 Array::Fill::Zero);
    stmt->exprs.push_back(std::move(value));
    Array &target = program.arrays[size_t(stmt->array)];
    if (ExprGenerator::hasDescriptor(type) && random.chance(12)) {
      target.isAligned = true;
      stmt->text = exprs.describeBlocks(target.name, type) + ", %0)";
      body.push_back(std::move(stmt));
      return;
    }
    std::string mask = maskFor(type.shape, stmt->exprs);
    stmt->text = "tl.store(" + program.arrays[size_t(stmt->array)].name + " + " +
                 (type.shape.empty() ? "pid" : exprs.positions(type.shape, true)) + ", %0" + mask +
                 ")";
    body.push_back(std::move(stmt));
  }

  void atomic(Body &body) {
    Scalar scalar =
        random.pick({Scalar::I32, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::F32, Scalar::F64});
    Type type{scalar, exprs.randomShape()};
    bool isAdd = isFloat(scalar) || random.chance(40);
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, "");
    stmt->array = exprs.addArray("sum", scalar, 64, Array::Fill::Tame);
    stmt->exprs.push_back(isFloat(scalar) ? exprs.small(type, 2) : exprs.exact(type, 2));
    stmt->exprs.push_back(exprs.exact({Scalar::I32, type.shape}, 2));
    std::string mask = maskFor(type.shape, stmt->exprs);
    stmt->isAtomicAdd = isAdd;
    stmt->hits = double(countOf(type.shape));
    stmt->text =
        "tl.atomic_" +
        (isAdd ? std::string("add")
               : random.pick<std::string>({"max", "min", "and", "or", "xor"})) +
        "(" + program.arrays[size_t(stmt->array)].name + " + (%1 & 63), %0" + mask +
        random.pick<std::string>({"", ", sem=\"relaxed\"", ", sem=\"relaxed\", scope=\"cta\""}) +
        ")";
    // Programs meet in the array.
    if (stmt->text.find("cta") != std::string::npos && program.grid > 1)
      stmt->text.replace(stmt->text.find("cta"), 3, "gpu");
    body.push_back(std::move(stmt));
  }

  /// A block stored and read again in another order.
  void readBack(Body &body) {
    Type type{exprs.randomScalar(), exprs.randomShape()};
    ExprPtr value = exprs.small(type, 2);
    int array = exprs.addArray("own", type.scalar, int(countOf(type.shape)) * program.grid,
                               Array::Fill::Own);
    const std::string name = program.arrays[size_t(array)].name;
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, "tl.store(" + name + " + " +
                                                   exprs.positions(type.shape, true) + ", %0)");
    stmt->exprs.push_back(std::move(value));
    stmt->array = array;
    body.push_back(std::move(stmt));
    if (random.chance(10))
      body.push_back(makeStmt(Stmt::Kind::Plain, "tl.debug_barrier()"));
    auto load = std::make_unique<Expr>();
    load->rule = Rule::Load;
    load->type = type;
    load->text = "tl.load(" + name + " + " + exprs.positions(type.shape, true) + ")";
    load->variable = array;
    bound(*load, program);
    int variable = addVariable(type, Variable::Kind::Fixed);
    assign(body, variable, std::move(load));
    exprs.scope.push_back(variable);
  }

  /// A block read, changed and written in place, possibly in another order.
  void update(Body &body) {
    Type type{exprs.randomScalar(), exprs.randomShape()};
    int array = exprs.addArray("io", type.scalar, int(countOf(type.shape)) * program.grid,
                               Array::Fill::Tame);
    const std::string name = program.arrays[size_t(array)].name;
    auto load = std::make_unique<Expr>();
    load->rule = Rule::Load;
    load->type = type;
    const std::string from = exprs.positions(type.shape, true);
    const std::string to = random.chance(50) ? from : exprs.positions(type.shape, true);
    load->text = "tl.load(" + name + " + " + from + ")";
    load->variable = array;
    bound(*load, program);
    int variable = addVariable(type, Variable::Kind::Fixed);
    assign(body, variable, std::move(load));
    exprs.scope.push_back(variable);
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, "tl.store(" + name + " + " + to + ", %0)");
    stmt->exprs.push_back(random.chance(50) ? exprs.read(variable) : exprs.any(type, 2));
    stmt->array = array;
    body.push_back(std::move(stmt));
  }

  void leave(Body &body) {
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, "if %0: return");
    stmt->exprs.push_back(exprs.condition(2));
    body.push_back(std::move(stmt));
  }

  /// Sums in a loop, read behind it.
  void total(Body &body, int nesting) {
    Type type{random.pick({Scalar::F32, Scalar::F32, Scalar::F16, Scalar::I32, Scalar::F64}),
              exprs.randomShape()};
    int variable = addVariable(type, Variable::Kind::Total);
    ExprPtr zero = std::make_unique<Expr>();
    zero->rule = Rule::Number;
    zero->type = type;
    zero->text = "tl.zeros(" + textOf(type.shape) + ", " + languageName(type.scalar) + ")";
    bound(*zero, program);
    assign(body, variable, std::move(zero));
    StmtPtr loop = makeLoop();
    std::vector<int> scope = exprs.scope;
    exprs.scope.push_back(loop->variable);
    loops.push_back(LoopKind::For);
    if (random.chance(40) && nesting < 2)
      statement(loop->body, nesting + 1);
    loops.pop_back();
    StmtPtr add = makeStmt(Stmt::Kind::Accumulate, "");
    add->variable = variable;
    add->exprs.push_back(exprs.any(type, 3));
    loop->body.push_back(std::move(add));
    exprs.scope = scope;
    body.push_back(std::move(loop));
    boundTotal(*body.back(), variable);
    exprs.scope.push_back(variable);
  }

  /// What a total may be: generously, as the loops around are not known here.
  void boundTotal(const Stmt &loop, int variable) {
    const Bounds &element = loop.body.back()->exprs[0]->bounds;
    Bounds &bounds = program.variables[size_t(variable)].bounds;
    double trips = loop.trips;
    Scalar scalar = program.variables[size_t(variable)].type.scalar;
    bounds.magnitude = trips * element.magnitude;
    bounds.grid = element.grid;
    bounds.isProduct = element.isProduct;
    bounds.error = trips * element.error;
    if (isFloat(scalar) && (element.error > 0 || element.isProduct))
      bounds.error += (trips + 1) * 8 * spacing(scalar, bounds.magnitude);
    if (isFloat(scalar) && bounds.magnitude > 1024)
      bounds.grid = noGrid;
  }

  StmtPtr makeLoop() {
    int counter = addVariable({Scalar::I32, {}}, Variable::Kind::Fixed);
    program.variables[size_t(counter)].name = "i" + std::to_string(counter);
    program.variables[size_t(counter)].bounds = {16, 0, 0, false};
    std::string range, name = program.variables[size_t(counter)].name;
    int trips = 5;
    bool asInt32 = false;
    switch (random.below(9)) {
    case 0:
      trips = random.between(1, 3);
      range = "tl.static_range(" + std::to_string(trips) + ")";
      // A number that is known at compile time takes the type of what it meets.
      asInt32 = true;
      break;
    case 1:
      range = "range(" + program.scalars[0].name + ", -1, -1)";
      trips = 6;
      break;
    case 2:
      range = "range(" + program.scalars[0].name + ", " + program.scalars[1].name + " + 4, 2)";
      break;
    case 3:
      range = "tl.range(0, " + program.scalars[1].name +
              ", num_stages=" + std::to_string(random.between(1, 4)) + ")";
      break;
    case 4:
      range = "range(1, 4)";
      break;
    case 5:
      range = "tl.range(0, " + program.scalars[0].name + ", 1, loop_unroll_factor=2)";
      break;
    default:
      range = "range(0, " + random.pick(program.scalars).name + ")";
    }
    if (asInt32)
      program.variables[size_t(counter)].name = "tl.cast(" + name + ", tl.int32)";
    StmtPtr loop = makeStmt(Stmt::Kind::Block, "for " + name + " in " + range + ":");
    loop->variable = counter;
    loop->trips = trips;
    return loop;
  }

  void block(Body &body, int nesting) {
    std::vector<int> scope = exprs.scope;
    auto fill = [&](Body &inner) {
      for (int count = random.between(1, 3); count > 0; --count)
        statement(inner, nesting + 1);
    };
    // Parts of an arm may leave the loop or the kernel.
    auto fillArm = [&](Body &arm) {
      if (random.chance(50))
        fill(arm);
      if (random.chance(15))
        loops.empty() || random.chance(30) ? leave(arm) : exit(arm);
      fill(arm);
    };
    StmtPtr stmt;
    switch (random.below(5)) {
    case 0:
    case 1:
      stmt = makeLoop();
      exprs.scope.push_back(stmt->variable);
      loops.push_back(LoopKind::For);
      if (random.chance(50))
        fill(stmt->body);
      if (random.chance(15))
        exit(stmt->body);
      fill(stmt->body);
      loops.pop_back();
      break;
    case 2: {
      // A counter that only the loop changes.
      int counter = addVariable({Scalar::I32, {}}, Variable::Kind::Fixed);
      program.variables[size_t(counter)].name = "w" + std::to_string(counter);
      ExprPtr zero = std::make_unique<Expr>();
      zero->rule = Rule::Index;
      zero->parameter = 8;
      zero->text = "0";
      zero->bounds = {8, 0, 0, false};
      assign(body, counter, std::move(zero));
      stmt = makeStmt(Stmt::Kind::Block,
                      "while %v < " + program.scalars[0].name +
                          (random.chance(30) ? " and %v < " + program.scalars[1].name : "") + ":");
      stmt->variable = counter;
      stmt->trips = 5;
      exprs.scope.push_back(counter);
      loops.push_back(LoopKind::While);
      fill(stmt->body);
      loops.pop_back();
      StmtPtr step = makeStmt(Stmt::Kind::Plain, "%v += 1");
      step->variable = counter;
      stmt->body.push_back(std::move(step));
      break;
    }
    default:
      stmt = makeStmt(Stmt::Kind::Block, "if %0:");
      stmt->exprs.push_back(exprs.condition(2));
      fillArm(stmt->body);
      if (random.chance(50)) {
        exprs.scope = scope;
        fillArm(stmt->orElse);
      }
    }
    exprs.scope = scope;
    body.push_back(std::move(stmt));
  }

  void exit(Body &body) {
    // The counter of a `while` is stepped at the end.
    bool breaks = loops.back() == LoopKind::While || random.chance(50);
    StmtPtr stmt = makeStmt(Stmt::Kind::Plain, breaks ? "if %0: break" : "if %0: continue");
    stmt->exprs.push_back(exprs.condition(2));
    body.push_back(std::move(stmt));
  }

  enum class LoopKind { For, While };

  Program program;
  Random random;
  ExprGenerator exprs;
  /// Those around the place that is being filled.
  std::vector<LoopKind> loops;
};

} // namespace

Program generate(uint64_t seed) {
  // Bounds that loops around a total break make another program of the seed.
  for (uint64_t round = 0;; ++round) {
    Program program = Generator(seed + round * 0x100000001).run();
    program.seed = seed;
    if (boundAll(program) || round == 50)
      return program;
  }
}

} // namespace tilec::fuzz
