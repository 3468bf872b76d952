// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the check of protocols: the steps of several roles against each other, with what each
// role knows of the others.
//
// A step of a role is known to another one that has waited, directly or by others, for a phase at
// which the first arrived behind the step. So what is found does not depend on which role is
// faster, except for which of two mistakes comes first.

#ifndef TILEC_LIB_ANALYSIS_PROTOCOLMACHINE_H
#define TILEC_LIB_ANALYSIS_PROTOCOLMACHINE_H

#include "ProtocolTrace.h"
#include "tilec/Analysis/RoleProtocol.h"

#include <array>
#include <deque>

namespace tilec {

class ProtocolMachine {
public:
  using Steps = std::vector<ProtocolStep>;

  explicit ProtocolMachine(const ProtocolSkeleton &ofSkeleton);

  /// Runs `prologue` alone and then the roles; `first` goes on whenever it can.
  std::optional<ProtocolFinding> run(const Steps &prologue, llvm::ArrayRef<Steps> roles,
                                     size_t first);

private:
  static constexpr size_t kMostRoles = 3;
  /// The last step of each role that is known.
  using Clock = std::array<int, kMostRoles>;

  /// Phases are counted from 0.
  struct Object {
    mlir::Operation *init = nullptr;
    int count = 0, arrived = 0, phase = 0;
    Clock arriving{}, ended{};
    mlir::Operation *lastArrival = nullptr;
    /// By phase: which role has waited for it first, and at which of its steps.
    std::vector<std::pair<int, int>> waits;
    /// By role: the last wait for a parity that is always the same.
    std::array<const ProtocolNode *, kMostRoles> constantWait{};
  };
  /// What was done with a slot since it was filled.
  struct Slot {
    mlir::Operation *filler = nullptr;
    /// Nothing when threads have filled it.
    int object = -1;
    int phase = 0;
    mlir::Operation *release = nullptr;
    mlir::Operation *lastRead = nullptr;
    int reader = 0, readStep = 0, readsInFlight = 0;
  };
  /// Groups of products, and the slots that they read.
  struct Groups {
    int count = 0;
    llvm::SmallVector<int, 2> slots;
  };
  struct Role {
    llvm::StringRef name;
    int threads = 0;
    const Steps *steps = nullptr;
    size_t next = 0;
    Clock clock{};
    /// By object: the last phase that it knows to be over.
    std::vector<int> known;
    Groups open;
    std::deque<Groups> inFlight;
    /// Whether it has come to the named barrier that it is at, and in which round of that one.
    bool hasCome = false;
    int round = 0;
    bool isDone() const { return next == steps->size(); }
    const ProtocolStep &step() const { return (*steps)[next]; }
  };
  struct Named {
    int expected = 0, come = 0, round = 0;
    mlir::Operation *first = nullptr;
  };

  void start(size_t number, llvm::StringRef name, int threads, const Steps &steps);
  void runRoles(size_t first);
  /// Makes the next step of a role; false when it has to wait.
  bool advance(size_t number);
  bool wait(size_t number);
  void copy(size_t number);
  void arrive(size_t number, int arrivals);
  void release(size_t number);
  void read(size_t number, bool isAsync);
  void write(size_t number);
  void retire(size_t number, int pending);
  /// Comes to a named barrier.
  bool meet(size_t number, bool waits);
  void init(const ProtocolNode &node);
  void checkRefill(size_t number, const Slot &slot);
  /// Of a CTA that may end before others of its cluster.
  void checkArrivals();
  /// Whether all named barriers are over at the end.
  void checkBarriers();
  void reportDeadlock();
  /// Which role to blame where all wait.
  size_t findGuilty() const;
  /// Whether a wait for one parity alone has waited before, for this slot or another one.
  bool isRepeated(size_t number, const ProtocolStep &step) const;
  void reportConstant(size_t number, const ProtocolStep &step);
  void noteArrivals(const ProtocolStep &step);
  bool arrivesLater(size_t number, int object) const;

  bool knows(const Role &role, size_t number, int other, int step) const {
    return int(number) == other || role.clock[size_t(other)] >= step;
  }
  /// "role 'load'"; a kernel without roles is "the CTA".
  std::string nameOf(size_t number) const;
  int numberInRing(const ProtocolStep &step) const;
  void fail(mlir::Operation *op, std::string message);
  void note(mlir::Operation *op, std::string message);

  const ProtocolSkeleton &skeleton;
  std::vector<Object> objects;
  std::vector<Slot> slots;
  std::vector<Role> roles;
  std::array<Named, 16> barriers;
  std::optional<ProtocolFinding> finding;
};

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_PROTOCOLMACHINE_H
