// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch both of whose arms may go on, though parts of them return, break or continue. It is
// emitted like an iteration of a loop: its exits become flags, and what follows it comes once, in
// a second branch on the flags. Putting what follows into every arm instead doubles it at each such
// branch. Long chains of statements that may be left are joined by halves: nested, each inside of
// the one before, they take time that grows with the square of their number.

#include "Generator.h"

namespace tilec::irgen {

FailureOr<Flow> Generator::executeJoinedBranch(const ast::If &stmt, mlir::Value condition,
                                               const Continuation *next) {
  BranchSite site{stmt.range, stmt.headerRange};
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.thenBody, assigned);
  ast::collectAssignedNames(stmt.elseBody, assigned);
  LoopContext joined{&assigned, {}, /*isJoined=*/true, frame->loop};
  {
    llvm::SaveAndRestore<LoopContext *> inBranch(frame->loop, &joined);
    emitBranches(
        site, condition, assigned, &joined, [&] { execute(stmt.thenBody, nullptr); },
        [&] { execute(stmt.elseBody, nullptr); });
  }
  return leaveJoined(joined, site, next);
}

/// What is known of the exits where one of them was taken.
static LoopExit whereLeft(const LoopExit &exit) {
  LoopExit taken = exit;
  Value *possible = nullptr;
  for (Value *flag : {&taken.broke, &taken.returned, &taken.continued})
    if (flag->isRuntime() || flag->isKnownTrue()) {
      if (possible)
        return exit;
      possible = flag;
    }
  *possible = Value::boolean(true);
  return taken;
}

FailureOr<Flow> Generator::leaveJoined(const LoopContext &joined, const BranchSite &site,
                                       const Continuation *next) {
  auto leave = [&]() -> Flow {
    for (llvm::StringRef name : joined.withoutValue)
      frame->variables.erase(name);
    if (!frame->loop) {
      setReturned(joined.exit.result);
      return Flow::Return;
    }
    LoopExit taken = whereLeft(joined.exit), &exit = frame->loop->exit;
    exit.broke = taken.broke;
    exit.returned = taken.returned;
    exit.result = taken.result;
    if (frame->loop->isJoined)
      exit.continued = taken.continued;
    return Flow::Continue;
  };
  Value left = isLeft(joined.exit);
  if (left.isRuntime())
    return executeLeavingBranch(site, left.getRuntime()->value, next, leave,
                                [] { return Flow::Next; });
  return left.isKnownTrue() ? leave() : Flow::Next;
}

/// So many branches have what follows them inside before the rest is divided.
static constexpr unsigned maxLeaving = 16;

size_t Generator::findJoinedPart(ast::Block block) const {
  if (frame->leaving < maxLeaving)
    return 0;
  std::vector<size_t> ends;
  for (size_t i = 0; i < block.size(); ++i) {
    ast::Block single = block.slice(i, 1);
    bool isCompound = llvm::isa<ast::If, ast::For, ast::While, ast::With>(block[i]);
    if (isCompound &&
        (ast::containsReturn(single) || (frame->loop && ast::containsBreakOrContinue(single))))
      ends.push_back(i + 1);
  }
  return ends.size() < 2 ? 0 : ends[ends.size() / 2 - 1];
}

FailureOr<Flow> Generator::executeJoinedPart(ast::Block part, const Continuation *next) {
  ast::NameSet assigned;
  ast::collectAssignedNames(part, assigned);
  LoopContext joined{&assigned, {}, /*isJoined=*/true, frame->loop};
  {
    llvm::SaveAndRestore<LoopContext *> inPart(frame->loop, &joined);
    execute(part, nullptr);
  }
  return leaveJoined(joined, {part.back()->range, part.back()->range}, next);
}

bool Generator::fillLeftArm(llvm::StringRef name, const BranchSite &site, LoopContext &loop,
                            const LoopExit &exit, DetachedBlock &block, Variables &variables,
                            const Variables &others) {
  bool isReturned = exit.returned.isKnownTrue();
  if (!isReturned && !exit.broke.isKnownTrue() && !exit.continued.isKnownTrue())
    return false;
  auto other = others.find(name);
  // What goes on does not have it either.
  if (other == others.end())
    return true;
  if (!isReturned && variables.count(name))
    return false;
  if (!hasPlaceholder(other->second)) {
    LineColumn position = sources.getLineColumn(site.range);
    variables[name] = Value::poison(("variable '" + name + "' holds " + other->second.describe() +
                                     ", which does not outlive the 'if' at line " +
                                     llvm::Twine(position.line) + " that may be left in it")
                                        .str());
    return false;
  }
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block.get());
  FailureOr<Value> placeholder = makePlaceholder(other->second, site.headerRange);
  variables[name] = mlir::failed(placeholder) ? Value::poison() : *placeholder;
  if (!isReturned)
    loop.withoutValue.insert(name);
  return false;
}

} // namespace tilec::irgen
