// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch both of whose arms may go on, though parts of them return, break or continue. It is
// emitted like an iteration of a loop: its exits become flags, and what follows it comes once, in
// a second branch on the flags. Putting what follows into every arm instead doubles it at each such
// branch.

#include "Generator.h"

namespace tilec::irgen {

FailureOr<Flow> Generator::executeJoinedBranch(const ast::If &stmt, mlir::Value condition,
                                               const Continuation *next) {
  BranchSite site{stmt.range, stmt.headerRange};
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.thenBody, assigned);
  ast::collectAssignedNames(stmt.elseBody, assigned);
  LoopContext joined;
  joined.assigned = &assigned;
  joined.isJoined = true;
  joined.around = frame->loop;
  {
    llvm::SaveAndRestore<LoopContext *> inBranch(frame->loop, &joined);
    emitBranches(
        site, condition, assigned, &joined, [&] { execute(stmt.thenBody, nullptr); },
        [&] { execute(stmt.elseBody, nullptr); });
  }
  auto leave = [&]() -> Flow {
    for (llvm::StringRef name : joined.withoutValue)
      frame->variables.erase(name);
    if (!frame->loop) {
      setReturned(joined.exit.result);
      return Flow::Return;
    }
    LoopExit &exit = frame->loop->exit;
    exit.broke = joined.exit.broke;
    exit.returned = joined.exit.returned;
    exit.result = joined.exit.result;
    if (frame->loop->isJoined)
      exit.continued = joined.exit.continued;
    return Flow::Continue;
  };
  Value left = isLeft(joined.exit);
  if (left.isRuntime())
    return executeLeavingBranch(site, left.getRuntime()->value, next, leave,
                                [] { return Flow::Next; });
  return left.isKnownTrue() ? leave() : Flow::Next;
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
