// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extern "C" surface of the tensor-core operations.
#include "runtime/sim/AbiThread.h"
#include "runtime/sim/Cluster.h"
#include "tilecrt/sim/SimMatrixAbi.h"

using namespace tilecrt::sim;

void tilec_sim_mma(int32_t m, int32_t n, int32_t k, int32_t typeA, int32_t typeB, int32_t typeC,
                   int32_t typeD, int32_t saturate, const void *a, const void *b, const void *c,
                   void *d, int32_t site) {
  inThread(site, [&](Thread &t) {
    MmaOperands operands;
    operands.m = static_cast<uint32_t>(m);
    operands.n = static_cast<uint32_t>(n);
    operands.k = static_cast<uint32_t>(k);
    operands.typeA = typeA;
    operands.typeB = typeB;
    operands.typeC = typeC;
    operands.typeD = typeD;
    operands.saturate = saturate != 0;
    operands.a = a;
    operands.b = b;
    operands.c = c;
    operands.d = d;
    if (std::string problem = operands.check(); !problem.empty())
      return t.cluster->report(t, FindingKind::InvalidOperation, site, problem);
    t.cluster->collective(t, OpKind::Mma, &operands, site);
  });
}

static void moveMatrices(uint32_t offset, int32_t count, int32_t transposed, void *words,
                         bool loads, int32_t site) {
  inThread(site, [&](Thread &t) {
    MatrixMove move;
    move.offset = offset;
    move.count = static_cast<uint32_t>(count);
    move.transposed = transposed != 0;
    move.words = words;
    t.cluster->matrixMove(t, move, loads, site);
  });
}

void tilec_sim_ldmatrix(uint32_t offset, int32_t count, int32_t transposed, void *dst,
                        int32_t site) {
  moveMatrices(offset, count, transposed, dst, /*loads=*/true, site);
}

void tilec_sim_stmatrix(uint32_t offset, int32_t count, int32_t transposed, const void *src,
                        int32_t site) {
  // Only read.
  moveMatrices(offset, count, transposed, const_cast<void *>(src), /*loads=*/false, site);
}

void tilec_sim_wgmma_fence(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->collective(t, OpKind::WgmmaFence, nullptr, site); });
}

void tilec_sim_wgmma_commit(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->collective(t, OpKind::WgmmaCommit, nullptr, site); });
}

void tilec_sim_wgmma(int32_t n, int32_t k, int32_t typeA, int32_t typeB, int32_t typeD,
                     int32_t flags, const void *a, uint64_t descA, uint64_t descB, void *acc,
                     int32_t site) {
  inThread(site, [&](Thread &t) {
    WgmmaOperands operands;
    operands.n = static_cast<uint32_t>(n);
    operands.k = static_cast<uint32_t>(k);
    operands.typeA = typeA;
    operands.typeB = typeB;
    operands.typeD = typeD;
    operands.flags = flags;
    operands.a = a;
    operands.descA = descA;
    operands.descB = descB;
    operands.acc = acc;
    t.cluster->wgmma(t, operands, site);
  });
}

void tilec_sim_wgmma_wait(int32_t pending, void *words, int32_t count, int32_t site) {
  inThread(site, [&](Thread &t) {
    WgmmaWait wait;
    wait.pending = pending;
    wait.words = static_cast<uint32_t *>(words);
    wait.count = words && count > 0 ? static_cast<uint32_t>(count) : 0;
    t.cluster->collective(t, OpKind::WgmmaWait, &wait, site);
  });
}

uint32_t tilec_sim_wgmma_read(uint32_t word, int32_t site) {
  uint32_t result = word;
  inThread(site, [&](Thread &t) { result = t.cluster->wgmmaRead(t, word, site); });
  return result;
}
