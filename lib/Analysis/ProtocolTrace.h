// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the check of protocols: the steps of one role in one run, in its own order.

#ifndef TILEC_LIB_ANALYSIS_PROTOCOLTRACE_H
#define TILEC_LIB_ANALYSIS_PROTOCOLTRACE_H

#include "ProtocolSkeleton.h"

namespace tilec {

struct ProtocolStep {
  const ProtocolNode *node = nullptr;
  /// Of the ring and of the ring of objects, counted among the slots of all rings; -1 where there
  /// is none.
  int slot = -1, object = -1;
  int parity = 0;
  /// Of a named barrier.
  int name = 0;
  /// Whether the parity is the same in every iteration.
  bool isConstant = false;
};

/// A slot that its ring does not have.
struct ProtocolMiss {
  const ProtocolNode *node = nullptr;
  int64_t slot = 0;
  int buffers = 0;
};

class ProtocolTracer {
public:
  explicit ProtocolTracer(ProtocolSkeleton &ofSkeleton)
      : skeleton(ofSkeleton), code(ofSkeleton.scalars()) {}

  enum class Result { Done, TooLong, Miss };
  /// The steps of a role, in the run that the scalars have begun.
  Result run(const std::vector<ProtocolNode> &nodes, std::vector<ProtocolStep> &steps);
  const ProtocolMiss &miss() const { return missed; }

private:
  Result runNodes(const std::vector<ProtocolNode> &nodes);
  Result runStep(const ProtocolNode &node);
  Result runFor(const ProtocolNode &node);
  Result runWhile(const ProtocolNode &node);
  Result placeOf(const ProtocolNode &node, int ring, ScalarCode::Id slot, int &place);
  using Carried = std::vector<ScalarCode::Carried>;
  llvm::SmallVector<int64_t, 8> values(const Carried &carried,
                                       ScalarCode::Id ScalarCode::Carried::*);
  void set(const Carried &carried, ScalarCode::Id ScalarCode::Carried::*,
           llvm::ArrayRef<int64_t> values);

  ProtocolSkeleton &skeleton;
  ScalarCode &code;
  std::vector<ProtocolStep> *out = nullptr;
  ProtocolMiss missed;
};

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_PROTOCOLTRACE_H
