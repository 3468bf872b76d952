// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An abstract evaluation of a function: the value of an expression is which parameters it is made
// of, and how. Its statements are gone through a few times, so that what a loop carries is seen; a
// callee is summarised once.

#include "tilec/Sema/ParamUse.h"

#include "tilec/Sema/DType.h"
#include "tilec/Sema/ModuleScope.h"
#include "tilec/Sema/PyInt.h"
#include "tilec/Syntax/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace tilec;
using namespace tilec::ast;

namespace {

using Params = llvm::SmallSetVector<unsigned, 4>;

/// What an expression is made of, as numbers of parameters.
struct Flow {
  /// Terms of the sum that it is, the first one first: one of them may be a pointer.
  Params terms;
  /// Parameters that take part in any other way.
  Params factors;
  /// Pointers that it was loaded through.
  Params loaded;
  /// Nothing but a loaded value.
  bool isLoad = false;
  /// Nothing but that parameter.
  bool isExact = false;
  /// Made of program ids, ranges and the like.
  bool isIndex = false;
  /// An address that was made from a number.
  bool isAddress = false;

  void add(const Flow &other) {
    terms.insert_range(other.terms);
    factors.insert_range(other.factors);
    loaded.insert_range(other.loaded);
    isIndex |= other.isIndex;
    isAddress |= other.isAddress;
    isExact = isLoad = false;
  }
  /// The same as a factor: its terms are none of the whole.
  Flow scaled() const {
    Flow result = *this;
    result.factors.insert_range(terms);
    result.terms.clear();
    result.isExact = result.isLoad = false;
    return result;
  }
};

struct Summary {
  std::vector<ParamUse> uses;
  Flow result;
  bool isDone = false;
};

class Analysis {
public:
  explicit Analysis(const Module &astModule) : module(astModule) {}

  const Summary &summarize(const FunctionDef &function);
  const FunctionDef *findFunction(llvm::StringRef name) const {
    return module.findJitFunction(name);
  }

private:
  const Module &module;
  std::map<const FunctionDef *, Summary> summaries;
};

/// Functions that need floating-point operands.
bool isRealFunction(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "sigmoid"},
             true)
      .Cases({"tanh", "erf", "pow", "fma", "floor", "ceil", "div_rn", "fdiv", "softmax"}, true)
      .Default(false);
}

/// Calls that hand on their first argument.
bool isTransparent(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"multiple_of", "max_contiguous", "max_constancy", "assume", "cast", "to"}, true)
      .Cases({"broadcast_to", "reshape", "view", "trans", "permute", "expand_dims", "advance"},
             true)
      .Cases({"ravel", "flip", "constexpr", "int", "to_tensor"}, true)
      .Default(false);
}

class FunctionScan {
public:
  FunctionScan(Analysis &owner, const FunctionDef &scanned, Summary &result)
      : analysis(owner), function(scanned), summary(result) {}

  void run();

private:
  struct Arg {
    llvm::StringRef keyword;
    const Expr *expr;
    Flow flow;
  };
  using Args = std::vector<Arg>;

  void scan(Block block) {
    for (const Stmt *stmt : block)
      scan(stmt);
  }
  void scan(const Stmt *stmt);
  void assign(const Expr *target, const Flow &flow);

  Flow evaluate(const Expr *expr);
  Flow evaluateBinary(const Binary &binary);
  Flow evaluateCompare(const Compare &compare);
  Flow evaluateCall(const Call &call);
  Flow evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self);
  Flow evaluateFunction(const FunctionDef &callee, const Args &args);
  void evaluateCondition(const Expr *expr);

  ParamUse &use(unsigned param) { return summary.uses[param]; }
  /// An address is followed.
  void follow(const Flow &flow);
  void markIndex(const Flow &flow);
  void markReal(const Flow &flow);
  void markExtent(const Flow &flow);
  template <typename Member> void markLoaded(const Flow &flow, Member member) {
    for (unsigned param : flow.loaded)
      use(param).*member = true;
  }
  void markType(const Flow &flow) {
    if (flow.isExact)
      use(flow.terms.front()).isType = true;
  }
  static const Arg *find(const Args &args, size_t position, llvm::StringRef keyword) {
    for (const Arg &arg : args)
      if (arg.keyword == keyword)
        return &arg;
    return position < args.size() && args[position].keyword.empty() ? &args[position] : nullptr;
  }

  Analysis &analysis;
  const FunctionDef &function;
  Summary &summary;
  llvm::DenseMap<llvm::StringRef, Flow> variables;
  /// The sums that were followed, to be decided at the end: which term is the pointer.
  std::vector<Params> followed;
  bool changed = false;
};

} // namespace

const Summary &Analysis::summarize(const FunctionDef &function) {
  auto [entry, isNew] = summaries.try_emplace(&function);
  Summary &summary = entry->second;
  if (!isNew)
    return summary; // done, or a recursion
  summary.uses.resize(function.params.size());
  FunctionScan(*this, function, summary).run();
  summary.isDone = true;
  return summary;
}

void FunctionScan::run() {
  for (auto [index, param] : llvm::enumerate(function.params)) {
    Flow flow;
    flow.terms.insert(unsigned(index));
    flow.isExact = true;
    variables[param.name] = flow;
    if (classifyAnnotation(param.annotation).kind == ParamAnnotation::Kind::Constexpr)
      use(unsigned(index)).isStatic = true;
  }
  // A value reaches any use within a few steps from iteration to iteration.
  for (unsigned round = 0; round < 3; ++round) {
    changed = false;
    scan(function.body);
    if (!changed)
      break;
  }
  // What is alone, or is known to be a pointer, decides first.
  for (const Params &terms : followed)
    if (terms.size() == 1)
      use(terms.front()).isPointer = true;
  auto isPointerName = [&](unsigned param) {
    std::string name = function.params[param].name.lower();
    return llvm::StringRef(name).contains("ptr") || llvm::StringRef(name).contains("pointer");
  };
  for (const Params &terms : followed) {
    if (terms.size() == 1)
      continue;
    auto known = llvm::find_if(terms, [&](unsigned param) { return use(param).isPointer; });
    if (known == terms.end())
      known = llvm::find_if(terms, isPointerName);
    unsigned pointer = known == terms.end() ? terms.front() : *known;
    use(pointer).isPointer = true;
    for (unsigned term : terms)
      if (term != pointer && !use(term).isPointer)
        use(term).isIndex = true;
  }
}

void FunctionScan::follow(const Flow &flow) {
  for (unsigned param : flow.factors)
    use(param).isIndex = true;
  if (flow.terms.empty() && !flow.isAddress) {
    markLoaded(flow, &ParamUse::loadsAddresses);
    return;
  }
  markLoaded(flow, &ParamUse::loadsIntegers);
  if (flow.isAddress)
    return;
  if (!llvm::is_contained(followed, flow.terms))
    followed.push_back(flow.terms);
}

void FunctionScan::markIndex(const Flow &flow) {
  for (unsigned param : flow.terms)
    use(param).isIndex = true;
  for (unsigned param : flow.factors)
    use(param).isIndex = true;
  markLoaded(flow, &ParamUse::loadsIntegers);
}

void FunctionScan::markReal(const Flow &flow) {
  for (unsigned param : flow.terms)
    use(param).isReal = true;
}

void FunctionScan::markExtent(const Flow &flow) {
  for (unsigned param : flow.terms)
    use(param).isExtent = true;
  for (unsigned param : flow.factors)
    use(param).isExtent = true;
}

void FunctionScan::assign(const Expr *target, const Flow &flow) {
  if (const auto *name = llvm::dyn_cast<Name>(target)) {
    auto [entry, isNew] = variables.try_emplace(name->id, flow);
    if (isNew) {
      changed = true;
      return;
    }
    Flow &known = entry->second;
    size_t before = known.terms.size() + known.factors.size() + known.loaded.size();
    bool wasExact = known.isExact && flow.isExact && known.terms == flow.terms;
    known.add(flow);
    known.isExact = wasExact;
    changed |= before != known.terms.size() + known.factors.size() + known.loaded.size();
    return;
  }
  llvm::ArrayRef<Expr *> targets;
  if (const auto *tuple = llvm::dyn_cast<Tuple>(target))
    targets = tuple->elements;
  else if (const auto *list = llvm::dyn_cast<List>(target))
    targets = list->elements;
  for (const Expr *element : targets)
    assign(element, flow);
}

void FunctionScan::scan(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Assign: {
    const auto *assignment = llvm::cast<Assign>(stmt);
    const auto *values = llvm::dyn_cast<Tuple>(assignment->value);
    for (const Expr *target : assignment->targets) {
      const auto *names = llvm::dyn_cast<Tuple>(target);
      if (values && names && values->elements.size() == names->elements.size())
        for (auto [name, value] : llvm::zip(names->elements, values->elements))
          assign(name, evaluate(value));
      else
        assign(target, evaluate(assignment->value));
    }
    return;
  }
  case StmtKind::AnnAssign: {
    const auto *assignment = llvm::cast<AnnAssign>(stmt);
    if (assignment->value)
      assign(assignment->target, evaluate(assignment->value));
    return;
  }
  case StmtKind::AugAssign: {
    const auto *assignment = llvm::cast<AugAssign>(stmt);
    Flow value = evaluate(assignment->value);
    bool isSum = assignment->op == BinaryOp::Add || assignment->op == BinaryOp::Sub;
    assign(assignment->target, isSum ? value : value.scaled());
    return;
  }
  case StmtKind::Return:
    if (const auto *value = llvm::cast<Return>(stmt)->value)
      summary.result.add(evaluate(value));
    return;
  case StmtKind::If: {
    const auto *branch = llvm::cast<If>(stmt);
    evaluateCondition(branch->condition);
    scan(branch->thenBody);
    scan(branch->elseBody);
    return;
  }
  case StmtKind::For: {
    const auto *loop = llvm::cast<For>(stmt);
    assign(loop->target, evaluate(loop->iter));
    scan(loop->body);
    return;
  }
  case StmtKind::While: {
    const auto *loop = llvm::cast<While>(stmt);
    evaluateCondition(loop->condition);
    scan(loop->body);
    return;
  }
  case StmtKind::FunctionDef:
  case StmtKind::ClassDef:
    return;
  default:
    forEachChild(
        stmt, [&](const Expr *child) { evaluate(child); }, [&](const Stmt *child) { scan(child); });
  }
}

void FunctionScan::evaluateCondition(const Expr *expr) {
  if (const auto *unary = llvm::dyn_cast<Unary>(expr); unary && unary->op == UnaryOp::Not)
    return evaluateCondition(unary->operand);
  if (const auto *both = llvm::dyn_cast<BoolOp>(expr)) {
    for (const Expr *operand : both->operands)
      evaluateCondition(operand);
    return;
  }
  Flow flow = evaluate(expr);
  if (flow.isExact)
    use(flow.terms.front()).isCondition = true;
}

Flow FunctionScan::evaluate(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Name:
    return variables.lookup(llvm::cast<Name>(expr)->id);
  case ExprKind::Binary:
    return evaluateBinary(*llvm::cast<Binary>(expr));
  case ExprKind::Compare:
    return evaluateCompare(*llvm::cast<Compare>(expr));
  case ExprKind::Call:
    return evaluateCall(*llvm::cast<Call>(expr));
  case ExprKind::Unary:
    return evaluate(llvm::cast<Unary>(expr)->operand).scaled();
  case ExprKind::Subscript: {
    const auto *subscript = llvm::cast<Subscript>(expr);
    Flow flow = evaluate(subscript->base);
    bool isBlock = false;
    for (const Expr *index : subscript->indices) {
      evaluate(index);
      isBlock |= llvm::isa<Slice>(index);
    }
    if (isBlock && flow.isExact)
      use(flow.terms.front()).isBlock = true;
    flow.isExact = false;
    return flow;
  }
  case ExprKind::Attribute: {
    const auto *attribute = llvm::cast<Attribute>(expr);
    Flow base = evaluate(attribute->base);
    // `x.dtype.element_ty`
    if (const auto *type = llvm::dyn_cast<Attribute>(attribute->base);
        type && attribute->name == "element_ty") {
      Flow owner = evaluate(type->base);
      if (owner.isExact)
        use(owner.terms.front()).isPointer = true;
    }
    if ((attribute->name == "T" || attribute->name == "shape") && base.isExact)
      use(base.terms.front()).isBlock = true;
    if (attribute->name == "T" || attribute->name == "value")
      return base;
    return {};
  }
  case ExprKind::Conditional: {
    const auto *choice = llvm::cast<Conditional>(expr);
    evaluateCondition(choice->condition);
    Flow flow = evaluate(choice->thenValue);
    flow.add(evaluate(choice->elseValue));
    return flow;
  }
  case ExprKind::BoolOp: {
    Flow flow;
    for (const Expr *operand : llvm::cast<BoolOp>(expr)->operands) {
      evaluateCondition(operand);
      flow.add(evaluate(operand).scaled());
    }
    return flow;
  }
  case ExprKind::NamedExpr: {
    const auto *named = llvm::cast<NamedExpr>(expr);
    Flow flow = evaluate(named->value);
    assign(named->target, flow);
    return flow;
  }
  case ExprKind::Lambda:
    return {};
  default: {
    Flow flow;
    forEachChild(expr, [&](const Expr *child) { flow.add(evaluate(child)); });
    return flow;
  }
  }
}

Flow FunctionScan::evaluateBinary(const Binary &binary) {
  Flow left = evaluate(binary.lhs), right = evaluate(binary.rhs);
  switch (binary.op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    left.add(right);
    return left;
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
  case BinaryOp::LShift:
  case BinaryOp::RShift:
  case BinaryOp::BitAnd:
  case BinaryOp::BitOr:
  case BinaryOp::BitXor: {
    bool isDivision = binary.op == BinaryOp::FloorDiv || binary.op == BinaryOp::Mod;
    bool isLogic = binary.op == BinaryOp::BitAnd || binary.op == BinaryOp::BitOr;
    if (!isLogic) {
      markIndex(left);
      markIndex(right);
    }
    bool isMask = llvm::isa<Compare, BoolOp>(binary.lhs) || llvm::isa<Compare, BoolOp>(binary.rhs);
    if (!isDivision && !isMask)
      for (const Flow *flow : {&left, &right})
        if (flow->isLoad)
          markLoaded(*flow, &ParamUse::loadsBits);
    left = left.scaled();
    if (isDivision) {
      // What a size is divided by is none.
      if (right.isExact)
        use(right.terms.front()).isDivisor = true;
      left.isIndex |= right.isIndex;
      return left;
    }
    left.add(right.scaled());
    return left;
  }
  default:
    break;
  }
  // A number that meets data is one like them; where it meets indices, they will tell.
  if (!left.isIndex && !right.isIndex) {
    if (!left.loaded.empty())
      markReal(right);
    if (!right.loaded.empty())
      markReal(left);
  }
  left = left.scaled();
  left.add(right.scaled());
  return left;
}

Flow FunctionScan::evaluateCompare(const Compare &compare) {
  std::vector<Flow> flows{evaluate(compare.first)};
  std::vector<const Expr *> exprs{compare.first};
  for (const Expr *operand : compare.operands) {
    flows.push_back(evaluate(operand));
    exprs.push_back(operand);
  }
  Flow result;
  for (size_t i = 0; i + 1 < flows.size(); ++i)
    for (auto [one, other] : {std::pair(i, i + 1), std::pair(i + 1, i)}) {
      if (flows[other].isIndex)
        markIndex(flows[one]);
      std::vector<const Expr *> choices{exprs[other]};
      if (const auto *tuple = llvm::dyn_cast<Tuple>(exprs[other]))
        choices.assign(tuple->elements.begin(), tuple->elements.end());
      else if (const auto *list = llvm::dyn_cast<List>(exprs[other]))
        choices.assign(list->elements.begin(), list->elements.end());
      for (const Expr *choice : choices)
        if (const auto *text = llvm::dyn_cast<StringLiteral>(choice); text && flows[one].isExact) {
          std::vector<std::string> &strings = use(flows[one].terms.front()).strings;
          if (!llvm::is_contained(strings, text->value))
            strings.push_back(text->value.str());
        }
      CompareOp op = compare.ops[std::min(one, other)];
      bool isEquality = op != CompareOp::Lt && op != CompareOp::LtE && op != CompareOp::Gt &&
                        op != CompareOp::GtE;
      for (const Expr *choice : choices)
        if (const auto *literal = llvm::dyn_cast<IntLiteral>(choice);
            literal && isEquality && flows[one].isExact) {
          std::optional<PyInt> number = PyInt::fromSigned(literal->getValue());
          std::vector<int64_t> &numbers = use(flows[one].terms.front()).numbers;
          if (number && number->fitsInt64() &&
              !llvm::is_contained(numbers, number->toInt64Saturated()))
            numbers.push_back(number->toInt64Saturated());
        }
      if (llvm::isa<NoneLiteral>(exprs[other]) && flows[one].isExact)
        use(flows[one].terms.front()).isOptional = true;
      std::string dotted = getDottedName(exprs[other]);
      llvm::StringRef last = llvm::StringRef(dotted).rsplit('.').second;
      if (findLanguageType(last))
        markType(flows[one]);
    }
  for (const Flow &flow : flows)
    result.add(flow.scaled());
  return result;
}

Flow FunctionScan::evaluateCall(const Call &call) {
  Args args;
  for (const Expr *arg : call.args)
    args.push_back({"", arg, evaluate(arg)});
  for (const KeywordArg &keyword : call.keywords)
    args.push_back({keyword.name, keyword.value, evaluate(keyword.value)});

  if (const auto *name = llvm::dyn_cast<Name>(call.callee)) {
    auto variable = variables.find(name->id);
    if (variable != variables.end()) {
      if (variable->second.isExact) {
        ParamUse &called = use(variable->second.terms.front());
        called.isCalled = true;
        called.numArguments = unsigned(args.size());
      }
      Flow flow;
      for (const Arg &arg : args)
        flow.add(arg.flow.scaled());
      return flow;
    }
    if (const FunctionDef *callee = analysis.findFunction(name->id))
      return evaluateFunction(*callee, args);
    return evaluateBuiltin(name->id, args, nullptr);
  }
  if (const auto *attribute = llvm::dyn_cast<Attribute>(call.callee)) {
    std::string dotted = getDottedName(attribute->base);
    bool isModule = !dotted.empty() && !variables.count(llvm::StringRef(dotted).split('.').first);
    if (isModule)
      return evaluateBuiltin(attribute->name, args, nullptr);
    Flow self = evaluate(attribute->base);
    return evaluateBuiltin(attribute->name, args, &self);
  }
  Flow flow;
  for (const Arg &arg : args)
    flow.add(arg.flow.scaled());
  return flow;
}

Flow FunctionScan::evaluateFunction(const FunctionDef &callee, const Args &args) {
  // Summarised before a reference to the caller's uses is taken: the map may grow.
  const Summary &called = analysis.summarize(callee);
  std::vector<const Flow *> flows(callee.params.size(), nullptr);
  for (size_t position = 0; position < args.size(); ++position) {
    const Arg &arg = args[position];
    size_t index = position;
    if (!arg.keyword.empty()) {
      auto param =
          llvm::find_if(callee.params, [&](const Param &p) { return p.name == arg.keyword; });
      index = size_t(param - callee.params.begin());
    }
    if (index < flows.size())
      flows[index] = &arg.flow;
  }
  for (auto [index, flow] : llvm::enumerate(flows)) {
    if (!flow)
      continue;
    const ParamUse inner = called.uses[index];
    if (inner.isPointer)
      follow(*flow);
    if (inner.isIndex)
      markIndex(*flow);
    if (inner.isReal && !flow->isIndex)
      markReal(*flow);
    if (inner.isExtent)
      markExtent(*flow);
    if (inner.feedsDot)
      markLoaded(*flow, &ParamUse::feedsDot);
    // A helper may declare constants and be given what is only known at run time.
    if (!flow->isIndex && flow->loaded.empty())
      for (unsigned term : flow->terms)
        use(term).isStatic |= inner.isStatic;
    if (inner.isPointer && !flow->terms.empty()) {
      auto known = llvm::find_if(flow->terms, [&](unsigned p) { return use(p).isPointer; });
      ParamUse &pointer = use(known == flow->terms.end() ? flow->terms.front() : *known);
      pointer.loadsIntegers |= inner.loadsIntegers;
      pointer.loadsBits |= inner.loadsBits;
      pointer.isAtomic |= inner.isAtomic;
      pointer.loadsAddresses |= inner.loadsAddresses;
      pointer.loadsConditions |= inner.loadsConditions;
      pointer.feedsDot |= inner.feedsDot;
    }
    if (flow->isExact) {
      ParamUse &outer = use(flow->terms.front());
      outer.isCondition |= inner.isCondition;
      outer.isOptional |= inner.isOptional;
      outer.isType |= inner.isType;
      outer.isBlock |= inner.isBlock;
      if (inner.isCalled) {
        outer.isCalled = true;
        outer.numArguments = inner.numArguments;
      }
      if (inner.isDescriptor) {
        outer.isDescriptor = true;
        outer.descriptorRank = inner.descriptorRank;
      }
      for (const std::string &text : inner.strings)
        if (!llvm::is_contained(outer.strings, text))
          outer.strings.push_back(text);
      for (int64_t number : inner.numbers)
        if (!llvm::is_contained(outer.numbers, number))
          outer.numbers.push_back(number);
    }
  }
  Flow result;
  result.isIndex = called.result.isIndex;
  for (unsigned term : called.result.terms)
    if (term < flows.size() && flows[term])
      result.add(*flows[term]);
  for (unsigned factor : called.result.factors)
    if (factor < flows.size() && flows[factor])
      result.add(flows[factor]->scaled());
  for (unsigned loaded : called.result.loaded)
    if (loaded < flows.size() && flows[loaded])
      result.loaded.insert_range(flows[loaded]->terms);
  return result;
}

Flow FunctionScan::evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self) {
  if (self)
    args.insert(args.begin(), Arg{"", nullptr, *self});
  auto arg = [&](size_t position, llvm::StringRef keyword) {
    const Arg *found = find(args, position, keyword);
    return found ? &found->flow : nullptr;
  };
  Flow result;
  bool isDescriptorLoad = name == "_experimental_descriptor_load" ||
                          name == "_experimental_descriptor_store" ||
                          name == "load_tensor_descriptor" || name == "store_tensor_descriptor";
  if ((self && self->isExact &&
       (name == "load" || name == "store" || name.starts_with("atomic_"))) ||
      isDescriptorLoad) {
    const Arg *offsets = find(args, 1, "offsets");
    bool hasOffsets =
        offsets && offsets->expr && llvm::isa<Tuple, List>(offsets->expr) && !args.empty();
    if (hasOffsets && args[0].flow.isExact) {
      ParamUse &descriptor = use(args[0].flow.terms.front());
      descriptor.isDescriptor = true;
      const auto *tuple = llvm::dyn_cast<Tuple>(offsets->expr);
      descriptor.descriptorRank = unsigned(
          tuple ? tuple->elements.size() : llvm::cast<List>(offsets->expr)->elements.size());
      markIndex(offsets->flow);
      result.loaded.insert(args[0].flow.terms.front());
      return result;
    }
  }
  if (name == "load" || name == "store" || name.starts_with("atomic_")) {
    const Flow *pointer = arg(0, "pointer");
    if (!pointer)
      return result;
    follow(*pointer);
    if (const Flow *mask = arg(name == "load" ? 1 : 2, "mask"))
      if (mask->isLoad)
        markLoaded(*mask, &ParamUse::loadsConditions);
    bool isExchange = name == "atomic_xchg" || name == "atomic_cas" || name == "atomic_and" ||
                      name == "atomic_or" || name == "atomic_xor";
    for (unsigned term : pointer->terms) {
      use(term).loadsBits |= isExchange;
      use(term).isAtomic |= name.starts_with("atomic_");
    }
    result.isLoad = name == "load";
    result.loaded = pointer->terms;
    // The data of a block pointer or of a table of addresses come from there as well.
    if (pointer->terms.empty())
      result.loaded = pointer->loaded;
    return result;
  }
  if (name == "make_block_ptr" || name == "make_tensor_descriptor" ||
      name == "_experimental_make_tensor_descriptor") {
    const Flow *base = arg(0, "base");
    if (base)
      follow(*base);
    for (auto [position, keyword] : {std::pair(1, "shape"), std::pair(2, "strides")})
      if (const Flow *flow = arg(size_t(position), keyword))
        markIndex(*flow);
    bool isBlockPointer = name == "make_block_ptr";
    if (const Flow *offsets = isBlockPointer ? arg(3, "offsets") : nullptr)
      markIndex(*offsets);
    if (const Flow *block = arg(isBlockPointer ? 4 : 3, "block_shape"))
      markExtent(*block);
    if (base) {
      result.terms = base->terms;
      result.loaded = base->loaded;
    }
    return result;
  }
  if (name == "arange") {
    for (const Arg &each : args)
      markExtent(each.flow);
    result.isIndex = true;
    return result;
  }
  if (name == "program_id" || name == "num_programs") {
    result.isIndex = true;
    return result;
  }
  if (name == "range" || name == "cdiv" || name == "static_range") {
    for (const Arg &each : args) {
      if (each.keyword.empty())
        markIndex(each.flow);
      if (name == "static_range" || !each.keyword.empty())
        for (unsigned term : each.flow.terms) {
          use(term).isStatic = true;
          use(term).isUnrolled |= name == "static_range";
        }
      result.add(each.flow.scaled());
    }
    result.isIndex = true;
    return result;
  }
  if (name == "zeros" || name == "full" || name == "empty") {
    if (const Flow *shape = arg(0, "shape"))
      markExtent(*shape);
    if (const Flow *type = arg(name == "full" ? 2 : 1, "dtype"))
      markType(*type);
    if (const Flow *value = name == "full" ? arg(1, "value") : nullptr)
      result.add(value->scaled());
    return result;
  }
  if (name == "broadcast_to" || name == "reshape" || name == "view")
    for (size_t i = 1; i < args.size(); ++i)
      markExtent(args[i].flow);
  bool needsBlock = name == "reshape" || name == "trans" || name == "permute" || name == "split" ||
                    name == "dot" || name == "expand_dims" || name == "broadcast_to" ||
                    name == "sum" || name == "argmax" || name == "argmin" || name == "cumsum";
  if (needsBlock && !args.empty() && args.front().flow.isExact)
    use(args.front().flow.terms.front()).isBlock = true;
  if (name == "dot" && args.size() > 1 && args[1].flow.isExact)
    use(args[1].flow.terms.front()).isBlock = true;
  if (name == "dot" || name == "dot_scaled") {
    for (const Arg &each : args)
      if (each.keyword.empty() || each.keyword == "input" || each.keyword == "other")
        markLoaded(each.flow, &ParamUse::feedsDot);
    if (const Flow *type = arg(5, "out_dtype"))
      markType(*type);
    const Flow *precision = arg(3, "input_precision");
    if (precision && precision->isExact)
      use(precision->terms.front()).strings = {"ieee"};
    for (const Arg &each : args)
      result.loaded.insert_range(each.flow.loaded);
    return result;
  }
  if (name == "where") {
    if (const Flow *condition = arg(0, "condition"); condition && condition->isLoad)
      markLoaded(*condition, &ParamUse::loadsConditions);
    for (size_t i = 1; i < args.size(); ++i)
      result.add(args[i].flow);
    return result;
  }
  if (name == "pointer_type")
    return result;
  if (isRealFunction(name))
    for (const Arg &each : args)
      if (!each.flow.isIndex)
        markReal(each.flow);
  if ((name == "to" || name == "cast") && args.size() > 1) {
    markType(args[1].flow);
    result = args[0].flow;
    const auto *type = args[1].expr ? llvm::dyn_cast<Call>(args[1].expr) : nullptr;
    if (type && llvm::StringRef(getDottedName(type->callee)).ends_with("pointer_type")) {
      if (!result.loaded.empty() && result.terms.empty()) {
        markLoaded(result, &ParamUse::loadsAddresses);
        result.loaded.clear();
        result.isAddress = true;
      } else if (result.isExact)
        use(result.terms.front()).isPointer = true;
    }
    return result;
  }
  if (isTransparent(name) && !args.empty()) {
    if (name == "multiple_of" || name == "max_contiguous")
      for (size_t i = 1; i < args.size(); ++i)
        for (unsigned term : args[i].flow.terms)
          use(term).isAlignment = true;
    result = args[0].flow;
    return result;
  }
  for (const Arg &each : args)
    result.add(each.flow.scaled());
  return result;
}

std::vector<ParamUse> tilec::findParamUses(const Module &module, const FunctionDef &function) {
  return Analysis(module).summarize(function).uses;
}
