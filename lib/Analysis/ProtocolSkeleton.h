// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the check of protocols: what of a function hands slots of rings over, as a tree of
// steps, loops and branches for each role.

#ifndef TILEC_LIB_ANALYSIS_PROTOCOLSKELETON_H
#define TILEC_LIB_ANALYSIS_PROTOCOLSKELETON_H

#include "ScalarCode.h"

namespace tilec {

enum class ProtocolStepKind : uint8_t {
  Init,
  Inval,
  /// Of a phase of a barrier object.
  Wait,
  /// A wait for a slot to be empty.
  Acquire,
  /// A copy into a slot, which arrives at an object.
  Copy,
  /// An arrival that lets a slot be filled.
  Release,
  /// Of a slot, by threads or in flight.
  Read,
  AsyncRead,
  /// By threads.
  Write,
  /// Closes groups of products, whose reads come before.
  CloseGroups,
  /// Retires all groups but the last ones.
  RetireGroups,
  NamedBarrier,
  /// Comes to a named barrier and does not wait.
  BarrierArrival,
};

/// A ring of buffers or of barrier objects.
struct ProtocolRing {
  tilegpu::LocalAllocOp alloc;
  int buffers = 1;
  /// Number of its first slot among those of all rings.
  int first = 0;
  /// Of the empty objects: the rings whose slots they are for.
  llvm::SmallVector<int, 2> guarded;
};

struct ProtocolNode {
  enum class Kind : uint8_t { Step, For, While, If };
  Kind kind = Kind::Step;
  mlir::Operation *op = nullptr;

  // A step.
  ProtocolStepKind step = ProtocolStepKind::Init;
  int ring = -1, object = -1;
  ScalarCode::Id slot = ScalarCode::kNone, objectSlot = ScalarCode::kNone;
  /// Whether it happens; nothing stands for always.
  ScalarCode::Id predicate = ScalarCode::kNone;
  ScalarCode::Id parity = ScalarCode::kNone;
  /// Arrivals, groups, threads.
  int count = 0;
  /// Of a named barrier, and what is added to its name.
  int name = 0;
  ScalarCode::Id group = ScalarCode::kNone;

  // Control flow.
  ScalarCode::Id condition = ScalarCode::kNone;
  /// Of a branch both sides, of a `while` what is in front of its condition and what is behind.
  std::vector<ProtocolNode> body, other;
};

struct ProtocolRole {
  std::string name;
  /// That come to a named barrier.
  int threads = 0;
  /// Which of several groups of computing warps.
  int group = 0;
  std::vector<ProtocolNode> nodes;
};

class ProtocolSkeleton {
public:
  explicit ProtocolSkeleton(mlir::FunctionOpInterface function);

  /// Whether it has barrier objects and nothing is in the way.
  bool build();

  /// What all warps do in front of the roles.
  ProtocolRole prologue;
  /// Those that run at the same time; none in a kernel without roles.
  std::vector<ProtocolRole> roles;
  std::vector<ProtocolRing> rings;
  int numSlots = 0;
  /// Whether CTAs of a cluster arrive at each other's barrier objects and may end one before the
  /// other.
  bool endsAlone = false;
  ScalarCode &scalars() { return *code; }

  mlir::Operation *obstacle = nullptr;
  llvm::StringRef reason;

private:
  bool refuse(mlir::Operation *op, llvm::StringRef why) {
    obstacle = op;
    reason = why;
    return false;
  }
  void findRings();
  void findSteps();
  void addToSteps(mlir::Operation *op);
  bool addFunction();
  bool isStep(mlir::Operation *op) const;
  int addRing(mlir::Value descriptor, bool isCopied);
  /// The ring of a view and its slot; -1 where it is none of those that are copied to.
  std::pair<int, ScalarCode::Id> slotOf(mlir::Value view);
  int ringOf(mlir::Value descriptor) const;
  bool addBlock(mlir::Block &block, std::vector<ProtocolNode> &nodes);
  bool addControl(mlir::Operation *op, std::vector<ProtocolNode> &nodes);
  bool addRoles(tilegpu::WarpRolesOp op);
  bool addStep(mlir::Operation *op, std::vector<ProtocolNode> &nodes);
  /// Barriers of some warps of the CTA.
  bool addBarrier(mlir::Operation *op, std::vector<ProtocolNode> &nodes);
  /// A step that is about one barrier object, or all of a ring.
  bool addObjectStep(mlir::Operation *op, mlir::Value objects, mlir::Value slot,
                     std::vector<ProtocolNode> &nodes);
  bool describeCopy(mlir::Operation *op, ProtocolNode &node);
  void addAccesses(mlir::Operation *op, std::vector<ProtocolNode> &nodes);
  void addProduct(tilegpu::WgmmaOp product, std::vector<ProtocolNode> &nodes);
  void describeLoop(mlir::scf::ForOp loop, const std::vector<ProtocolNode> &body);

  mlir::FunctionOpInterface func;
  llvm::DenseMap<mlir::Operation *, int> ringNumbers;
  llvm::DenseSet<mlir::Operation *> copiedRings;
  /// Operations of which steps are made, and all that they are in.
  llvm::DenseSet<mlir::Operation *> steps;
  std::optional<ScalarCode> code;
};

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_PROTOCOLSKELETON_H
