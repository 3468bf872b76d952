// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An abstract evaluation of a function. Its statements are gone through a few times, so that what a
// loop carries is seen; a callee is summarised once.

#include "tilec/Sema/ParamUse.h"

#include "ParamUseScan.h"
#include "tilec/Sema/DType.h"
#include "tilec/Sema/ModuleScope.h"
#include "tilec/Sema/PyInt.h"
#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;
using namespace tilec::paramuse;

const Summary &Analysis::summarize(const Module &module, const FunctionDef &function) {
  auto [entry, isNew] = summaries.try_emplace(&function);
  Summary &summary = entry->second;
  if (!isNew)
    return summary; // done, or a recursion
  summary.uses.resize(function.params.size());
  FunctionScan(*this, module, function, summary).run();
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
  resolveChoices();
  for (const Params &terms : followed) {
    if (terms.size() == 1)
      continue;
    unsigned pointer = findPointer(terms);
    use(pointer).isPointer = true;
    for (unsigned term : terms)
      if (term != pointer && !use(term).isPointer)
        use(term).isIndex = true;
  }
  resolveChoices();
}

unsigned FunctionScan::findPointer(const Params &terms) {
  const auto *known = llvm::find_if(terms, [&](unsigned param) { return use(param).isPointer; });
  if (known == terms.end())
    known = llvm::find_if(terms, [&](unsigned param) {
      std::string name = function.params[param].name.lower();
      return llvm::StringRef(name).contains("ptr") || llvm::StringRef(name).contains("pointer");
    });
  return known == terms.end() ? terms.front() : *known;
}

void FunctionScan::noteChoice(const Flow &one, const Flow &other) {
  // What is loaded through a pointer and takes its name is none.
  auto isLoadedThrough = [](const Flow &value, const Flow &address) {
    return llvm::any_of(value.loaded, [&](unsigned p) { return address.terms.contains(p); });
  };
  if (one.terms.empty() || other.terms.empty() || one.terms == other.terms ||
      isLoadedThrough(one, other) || isLoadedThrough(other, one) || choices.size() >= 256)
    return;
  std::pair<Params, Params> choice(one.terms, other.terms);
  if (!llvm::is_contained(choices, choice))
    choices.push_back(std::move(choice));
}

void FunctionScan::resolveChoices() {
  auto hasPointer = [&](const Params &terms) {
    return llvm::any_of(terms, [&](unsigned param) { return use(param).isPointer; });
  };
  for (bool found = true; found;) {
    found = false;
    for (const auto &[one, other] : choices)
      if (hasPointer(one) != hasPointer(other)) {
        use(findPointer(hasPointer(one) ? other : one)).isPointer = true;
        found = true;
      }
  }
}

void FunctionScan::markTuple(const Flow &flow, unsigned size) {
  if (!flow.isExact && !flow.isElement)
    return;
  ParamUse &tuple = use(flow.terms.front());
  (flow.isExact ? tuple.isTuple : tuple.holdsTuples) = true;
  unsigned &known = flow.isExact ? tuple.tupleSize : tuple.innerSize;
  known = std::max(known, size);
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
    noteChoice(known, flow);
    size_t before = known.terms.size() + known.factors.size() + known.loaded.size();
    bool isSame = known.terms == flow.terms;
    bool wasExact = known.isExact && flow.isExact && isSame;
    bool wasElement = known.isElement && flow.isElement && isSame;
    known.add(flow);
    known.isExact = wasExact;
    known.isElement = wasElement;
    changed |= before != known.terms.size() + known.factors.size() + known.loaded.size();
    return;
  }
  llvm::ArrayRef<Expr *> targets;
  if (const auto *tuple = llvm::dyn_cast<Tuple>(target))
    targets = tuple->elements;
  else if (const auto *list = llvm::dyn_cast<List>(target))
    targets = list->elements;
  if (!targets.empty())
    markTuple(flow, unsigned(targets.size()));
  for (const Expr *element : targets)
    assign(element, flow.getElement());
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
    Flow sum = evaluate(assignment->target);
    sum.add(isSum ? value : value.scaled());
    assign(assignment->target, sum);
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
    Flow range = evaluate(loop->iter);
    markTuple(range, 0);
    assign(loop->target, range.getElement());
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
    const Expr *single = subscript->indices.size() == 1 ? subscript->indices.front() : nullptr;
    if (single && !isBlock && !llvm::isa<NoneLiteral, Tuple>(single)) {
      const auto *number = llvm::dyn_cast<IntLiteral>(single);
      markTuple(flow, number ? unsigned(number->getValue().getLimitedValue(63)) + 1 : 0);
      return flow.getElement();
    }
    flow.isExact = flow.isElement = false;
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
    Flow flow = evaluate(choice->thenValue), other = evaluate(choice->elseValue);
    noteChoice(flow, other);
    flow.add(other);
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
  bool isPower = binary.op == BinaryOp::LShift || binary.op == BinaryOp::Pow;
  if (isPower && llvm::isa<IntLiteral>(binary.lhs)) {
    for (unsigned param : right.terms)
      use(param).isExponent = true;
    // The bounds of the loop that counts exponents.
    if (llvm::isa<Name>(binary.rhs))
      for (unsigned param : right.factors)
        use(param).isExponent = true;
  }
  switch (binary.op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    for (auto [flow, other] : {std::pair(&left, binary.rhs), std::pair(&right, binary.lhs)})
      if (flow->isExact && !llvm::isa<Tuple, List>(other))
        use(flow->terms.front()).isTerm = true;
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
      left.isQuotient = true;
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
      std::vector<const Expr *> compared{exprs[other]};
      if (const auto *tuple = llvm::dyn_cast<Tuple>(exprs[other]))
        compared.assign(tuple->elements.begin(), tuple->elements.end());
      else if (const auto *list = llvm::dyn_cast<List>(exprs[other]))
        compared.assign(list->elements.begin(), list->elements.end());
      for (const Expr *choice : compared)
        if (const auto *text = llvm::dyn_cast<StringLiteral>(choice); text && flows[one].isExact) {
          std::vector<std::string> &strings = use(flows[one].terms.front()).strings;
          if (!llvm::is_contained(strings, text->value))
            strings.push_back(text->value.str());
        }
      CompareOp op = compare.ops[std::min(one, other)];
      bool isEquality = op != CompareOp::Lt && op != CompareOp::LtE && op != CompareOp::Gt &&
                        op != CompareOp::GtE;
      for (const Expr *choice : compared)
        if (const auto *literal = llvm::dyn_cast<IntLiteral>(choice);
            literal && isEquality && (flows[one].isExact || flows[one].isElement)) {
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

std::vector<ParamUse> tilec::findParamUses(const Module &module, const FunctionDef &function,
                                           ModuleLoader *loader) {
  return Analysis(loader).summarize(module, function).uses;
}
