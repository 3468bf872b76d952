// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma. Each warp computes its own 16 rows when it waits for them: the operands in shared memory
// are read only then, and held until then. A log for each warpgroup checks that its four warps
// issue the same products.
//
// An accumulator is a slot of the warp. While it is used, the registers in the program hold tokens
// that name slot and register and are NaN in f32 and f16: handed to another product they continue
// the accumulator, handed to the wait they become the result, and used otherwise they spoil it.
#include "runtime/sim/Cluster.h"
#include "runtime/sim/MatrixDescriptor.h"
#include "runtime/sim/MatrixTypes.h"

#include <algorithm>
#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t warpsPerGroup = 4, rowsPerWarp = 16;
constexpr uint32_t maxSlots = 64;
constexpr uint32_t maxN = 256;

/// Six bits of slot and seven of register in the mantissas of two halves that are NaN.
uint32_t makeToken(uint32_t slot, uint32_t index) {
  uint32_t payload = slot << 7 | index;
  return 0x7f807f00 | (payload >> 8) << 16 | (payload & 0xff);
}

bool readToken(uint32_t word, uint32_t &slot, uint32_t &index) {
  if ((word & 0xff80ff00) != 0x7f807f00)
    return false;
  uint32_t payload = (word >> 16 & 0x7f) << 8 | (word & 0xff);
  slot = payload >> 7;
  index = payload & 0x7f;
  return slot < maxSlots;
}

bool has(int32_t flags, abi::WgmmaFlag flag) { return (flags & flag) != 0; }

} // namespace

uint32_t WgmmaOperands::accumulatorWords() const { return typeD == abi::MatrixF16 ? n / 4 : n / 2; }

std::string WgmmaOperands::check() const {
  auto name = [](int32_t type) { return std::string(matrixTypeName(type)); };
  if (!matrixTypesFit(typeA, typeB, typeD) || typeA == abi::MatrixF64)
    return "wgmma " + name(typeD) + " += " + name(typeA) + " * " + name(typeB) + " does not exist";
  bool isInteger = typeD == abi::MatrixS32;
  // Integer products skip some sizes.
  bool sizeFits = n >= 8 && n <= maxN && n % 8 == 0 && (!isInteger || n <= 32 || n % 16 == 0);
  if (!sizeFits || k * matrixTypeBits(typeA) != 256)
    return "wgmma m64n" + std::to_string(n) + "k" + std::to_string(k) + " of " + name(typeA) +
           " does not exist";
  bool transposes = has(flags, abi::WgmmaTransposeB) ||
                    (has(flags, abi::WgmmaTransposeA) && !has(flags, abi::WgmmaRegistersA));
  if (transposes && matrixTypeBits(typeA) != 16)
    return "wgmma of " + name(typeA) + " with a transposed operand does not exist";
  if (isInteger && (flags & (abi::WgmmaNegateA | abi::WgmmaNegateB)) != 0)
    return "wgmma of integers with a negated operand does not exist";
  return "";
}

WgmmaState &Cluster::wgmmaOf(Warp &warp) {
  std::unique_ptr<WgmmaState> &state = async.wgmma[warp.index];
  if (!state)
    state = std::make_unique<WgmmaState>();
  return *state;
}

void Cluster::wgmma(Thread &t, WgmmaOperands &operands, int32_t site) {
  std::string problem = operands.check();
  uint32_t group = t.warp->inCta / warpsPerGroup;
  if (problem.empty() && launch.threads < (group + 1) * warpsPerGroup * warpSize)
    problem = "wgmma needs warpgroups of 128 threads";
  if (!problem.empty())
    return report(t, FindingKind::InvalidOperation, site, problem);
  collective(t, OpKind::Wgmma, &operands, site);
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// Compares the product with what the other warps of the warpgroup issued as their n-th.
void Cluster::logProduct(Warp &warp, const WgmmaOperands &shape, int32_t site) {
  WarpgroupLog &log = async.warpgroups[warp.index - warp.inCta % warpsPerGroup];
  uint64_t turn = wgmmaOf(warp).executed++;
  if (turn < log.first)
    return; // All four have been here before; cannot be.
  if (turn - log.first >= log.entries.size()) {
    WarpgroupLog::Entry entry;
    entry.shape = shape;
    entry.site = site;
    entry.thread = warp.index * warpSize;
    log.entries.push_back(entry);
  }
  WarpgroupLog::Entry &entry = log.entries[turn - log.first];
  if (shadow && (entry.site != site || !entry.shape.sameAs(shape))) {
    Finding finding =
        findingAt(threads[warp.index * warpSize], FindingKind::WarpgroupDivergence, site);
    finding.otherSite = entry.site;
    finding.hasOther = true;
    finding.otherThread = refOf(entry.thread);
    bool sameSite = entry.site == site;
    add(finding, [&] {
      return std::string("the warps of a warpgroup issue different wgmma") +
             (sameSite ? " (their descriptors or shapes differ)" : "");
    });
  }
  ++entry.warps;
  while (!log.entries.empty() && log.entries.front().warps == warpsPerGroup) {
    log.entries.pop_front();
    ++log.first;
  }
}

/// The slot that the product goes to: that of the accumulator it continues, or a new one with the
/// registers' values.
uint32_t Cluster::chooseAccumulator(Warp &warp, uint32_t members, const WgmmaOperands &shape,
                                    int32_t site) {
  WgmmaState &state = wgmmaOf(warp);
  uint32_t words = shape.accumulatorWords();
  auto registersOf = [&](unsigned lane) {
    return static_cast<uint32_t *>(
        static_cast<WgmmaOperands *>(thread(warp, lane).op.operands)->acc);
  };
  auto slotOf = [&](uint32_t word, uint32_t &slot, uint32_t &index) {
    return readToken(word, slot, index) && slot < state.accumulators.size() &&
           index < state.accumulators[slot].words;
  };
  // Does every register continue the same accumulator?
  uint32_t slot = 0, index = 0;
  bool continues = slotOf(registersOf(lowestLane(members))[0], slot, index) &&
                   state.accumulators[slot].words == words;
  bool touchesInFlight = false;
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    const uint32_t *registers = registersOf(lowestLane(lanes));
    for (uint32_t i = 0; i < words; ++i) {
      uint32_t ownSlot = 0, ownIndex = 0;
      bool isToken = slotOf(registers[i], ownSlot, ownIndex);
      continues &= isToken && ownSlot == slot && ownIndex == i;
      touchesInFlight |= isToken && state.accumulators[ownSlot].inFlight != 0;
    }
  }
  // What is not added to is replaced: by a new accumulator, for undefined registers may hold the
  // tokens of another one that is still needed.
  bool accumulates = has(shape.flags, abi::WgmmaAccumulate);
  if (continues && accumulates)
    return slot;
  Thread &leader = thread(warp, lowestLane(members));
  if (shadow && touchesInFlight && accumulates)
    report(leader, FindingKind::WgmmaRegisterInUse, site,
           "wgmma accumulates into registers of which some belong to a wgmma in flight");
  if (shadow && !state.fenced && !continues)
    report(leader, FindingKind::WgmmaFenceMissing, site,
           "the accumulator's registers were touched by other instructions, with no wgmma.fence "
           "since");
  if (state.accumulators.size() < maxSlots) {
    slot = static_cast<uint32_t>(state.accumulators.size());
    state.accumulators.emplace_back();
  } else {
    uint32_t tries = 0;
    do {
      slot = state.nextSlot++ % maxSlots;
    } while (state.accumulators[slot].inFlight != 0 && ++tries < maxSlots);
  }
  std::vector<uint32_t> values(size_t(warpSize) * words);
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = lowestLane(lanes);
    for (uint32_t i = 0; i < words; ++i) {
      uint32_t word = registersOf(lane)[i], ownSlot = 0, ownIndex = 0;
      if (slotOf(word, ownSlot, ownIndex) && state.accumulators[ownSlot].inFlight == 0)
        word = state.accumulators[ownSlot]
                   .registers[lane * state.accumulators[ownSlot].words + ownIndex];
      values[lane * words + i] = word;
    }
  }
  WgmmaAccumulator &fresh = state.accumulators[slot];
  fresh.words = words;
  fresh.inFlight = 0;
  fresh.registers = std::move(values);
  return slot;
}

/// Finds the operands' places in shared memory; false, after a finding, when they are not inside
/// the window.
bool Cluster::placeOperands(Warp &warp, WgmmaProduct &product, int32_t site) {
  const WgmmaOperands &shape = product.shape;
  uint32_t row0 = warp.inCta % warpsPerGroup * rowsPerWarp;
  uint32_t highest = 0;
  auto place = [&](uint64_t bits, bool transposed, uint32_t first, uint32_t count,
                   std::vector<uint32_t> &rows) {
    MatrixDescriptor descriptor(bits);
    if (!transposed) {
      for (uint32_t r = first; r < first + count; ++r)
        for (uint32_t unit = 0; unit < 2; ++unit)
          rows.push_back(descriptor.rowUnit(r, unit));
    } else {
      for (uint32_t column = 0; column < shape.k; ++column)
        for (uint32_t unit = first / 8; unit < (first + count) / 8; ++unit)
          rows.push_back(descriptor.columnUnit(column, unit));
    }
    for (uint32_t offset : rows)
      highest = std::max(highest, offset);
  };
  if (!has(shape.flags, abi::WgmmaRegistersA))
    place(shape.descA, has(shape.flags, abi::WgmmaTransposeA), row0, rowsPerWarp, product.rowsA);
  place(shape.descB, has(shape.flags, abi::WgmmaTransposeB), 0, shape.n, product.rowsB);
  uint32_t window = launch.config.sharedBytes;
  if (uint64_t(highest) + 16 <= window) {
    if (warp.cta->window != 0)
      for (std::vector<uint32_t> *rows : {&product.rowsA, &product.rowsB})
        for (uint32_t &row : *rows)
          row += warp.cta->window;
    return true;
  }
  Finding finding = findingAt(threads[warp.index * warpSize], FindingKind::OutOfWindowShared, site);
  finding.access = {AccessKind::SharedLoad, highest, 16};
  add(finding, [&] {
    return "wgmma reads an operand at offset " + std::to_string(highest) +
           ", outside the shared window of " + std::to_string(window) + " bytes";
  });
  return false;
}

void Cluster::holdOperands(Warp &warp, const WgmmaProduct &product) {
  if (!shadow)
    return;
  Thread &leader = threads[warp.index * warpSize];
  AccessStamp by = stamp(leader, product.site);
  for (bool isA : {true, false}) {
    SharedConflicts first;
    uint32_t where = 0;
    for (uint32_t offset : isA ? product.rowsA : product.rowsB) {
      SharedConflicts found = shadow->issueRead(offset, 16, by);
      if (found.any() && !first.any()) {
        first = found;
        where = offset;
      }
    }
    if (first.any())
      reportShared(leader, first, {AccessKind::SharedLoad, where, 16}, product.site, false,
                   isA ? "wgmma's access to A" : "wgmma's access to B");
  }
}

void Cluster::issueProduct(Warp &warp, uint32_t members) {
  Thread &leader = thread(warp, lowestLane(members));
  int32_t site = leader.op.site;
  WgmmaProduct product;
  product.shape = *static_cast<WgmmaOperands *>(leader.op.operands);
  product.site = site;
  const WgmmaOperands &shape = product.shape;
  WgmmaState &state = wgmmaOf(warp);
  logProduct(warp, shape, site);
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    Thread &t = thread(warp, lowestLane(lanes));
    if (!static_cast<WgmmaOperands *>(t.op.operands)->sameAs(shape)) {
      report(t, FindingKind::InvalidOperation, site,
             "the lanes of a warp give different descriptors or shapes to one wgmma");
      break;
    }
  }
  bool registersA = has(shape.flags, abi::WgmmaRegistersA);
  product.slot = chooseAccumulator(warp, members, shape, site);
  if (registersA) {
    if (shadow && !state.fenced)
      report(leader, FindingKind::WgmmaFenceMissing, site,
             "A's registers were written by other instructions, with no wgmma.fence since");
    product.a.resize(size_t(warpSize) * 4);
    for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
      unsigned lane = lowestLane(lanes);
      const auto &own = *static_cast<WgmmaOperands *>(thread(warp, lane).op.operands);
      std::memcpy(&product.a[size_t(lane) * 4], own.a, 16);
    }
    // The same instruction has the same registers.
    auto readsOthers = [&](const WgmmaProduct &earlier) {
      return earlier.site == site && earlier.a != product.a;
    };
    if (shadow && std::any_of(state.products.begin(), state.products.end(), readsOthers))
      report(leader, FindingKind::WgmmaRegisterInUse, site,
             "A's registers were written while this wgmma, from an iteration before, is in flight");
  }
  product.marked = placeOperands(warp, product, site);
  if (product.marked)
    holdOperands(warp, product);
  WgmmaAccumulator &accumulator = state.accumulators[product.slot];
  ++accumulator.inFlight;
  accumulator.site = site;
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    auto *registers = static_cast<uint32_t *>(
        static_cast<WgmmaOperands *>(thread(warp, lowestLane(lanes)).op.operands)->acc);
    for (uint32_t i = 0; i < accumulator.words; ++i)
      registers[i] = makeToken(product.slot, i);
  }
  if (Counters *counters = countersOf(site)) {
    ++counters->wgmmas;
    counters->multiplyAdds += uint64_t(rowsPerWarp) * shape.n * shape.k;
  }
  state.products.push_back(std::move(product));
}

//===----------------------------------------------------------------------===//
// Landing
//===----------------------------------------------------------------------===//

/// Reads the operands, now at the latest, and adds the product to its accumulator.
void Cluster::landProduct(Warp &warp, WgmmaProduct &product) {
  const WgmmaOperands &shape = product.shape;
  std::vector<double> a(size_t(rowsPerWarp) * shape.k), b(size_t(shape.n) * shape.k),
      d(size_t(rowsPerWarp) * shape.n);
  uint32_t perUnit = 128 / matrixTypeBits(shape.typeA);
  auto fetch = [&](int32_t type, const std::vector<uint32_t> &rows, bool transposed, uint32_t count,
                   std::vector<double> &matrix) {
    if (!product.marked)
      return;
    double unit[16];
    for (size_t i = 0; i < rows.size(); ++i) {
      decodeElements(type, sharedMemory.get() + rows[i], perUnit, unit);
      if (!transposed) {
        std::copy(unit, unit + perUnit, matrix.begin() + static_cast<std::ptrdiff_t>(i * perUnit));
        continue;
      }
      size_t units = count / 8, column = i / units, row = i % units * 8;
      for (uint32_t e = 0; e < 8; ++e)
        matrix[(row + e) * shape.k + column] = unit[e];
    }
  };
  if (has(shape.flags, abi::WgmmaRegistersA)) {
    uint32_t perWord = 32 / matrixTypeBits(shape.typeA);
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      double elements[16];
      decodeElements(shape.typeA, &product.a[size_t(lane) * 4], 4 * perWord, elements);
      // Rows l / 4 and l / 4 + 8 of the first unit, then of the second.
      for (uint32_t w = 0; w < 4; ++w)
        for (uint32_t e = 0; e < perWord; ++e)
          a[(lane / 4 + 8 * (w % 2)) * shape.k + w / 2 * 4 * perWord + lane % 4 * perWord + e] =
              elements[w * perWord + e];
    }
  } else {
    fetch(shape.typeA, product.rowsA, has(shape.flags, abi::WgmmaTransposeA), rowsPerWarp, a);
  }
  fetch(shape.typeB, product.rowsB, has(shape.flags, abi::WgmmaTransposeB), shape.n, b);
  if (has(shape.flags, abi::WgmmaNegateA) != has(shape.flags, abi::WgmmaNegateB))
    for (double &element : a)
      element = -element;

  WgmmaAccumulator &accumulator = wgmmaOf(warp).accumulators[product.slot];
  auto eachElement = [&](auto &&visit) {
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      uint32_t *registers = &accumulator.registers[size_t(lane) * accumulator.words];
      for (uint32_t i = 0; i < shape.n / 2; ++i) {
        uint32_t row = lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        visit(registers, i, d[size_t(row) * shape.n + column]);
      }
    }
  };
  if (has(shape.flags, abi::WgmmaAccumulate))
    eachElement([&](const uint32_t *registers, uint32_t i, double &element) {
      element = loadAccumulator(shape.typeD, registers, i);
    });
  multiplyAdd(a.data(), b.data(), d.data(), rowsPerWarp, shape.n, shape.k);
  eachElement([&](uint32_t *registers, uint32_t i, double element) {
    storeAccumulator(shape.typeD, registers, i, element, has(shape.flags, abi::WgmmaSaturate));
  });
  --accumulator.inFlight;

  if (!shadow || !product.marked)
    return;
  AccessStamp by = landingStamp(warp.index * warpSize, product.site);
  clocks[warp.index].acquireAsync(warp.index, by.warpClock);
  for (const std::vector<uint32_t> *rows : {&product.rowsA, &product.rowsB})
    for (uint32_t offset : *rows)
      shadow->landRead(offset, 16, by);
}

void Cluster::waitProducts(Warp &warp, uint32_t members) {
  WgmmaState &state = wgmmaOf(warp);
  const auto &first = *static_cast<WgmmaWait *>(thread(warp, lowestLane(members)).op.operands);
  size_t keep = static_cast<size_t>(std::max(first.pending, 0));
  for (; state.groups.size() > keep; state.groups.pop_front())
    for (; !state.products.empty() && state.first < state.groups.front(); ++state.first) {
      landProduct(warp, state.products.front());
      state.products.pop_front();
    }
  state.fenced = false;
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = lowestLane(lanes);
    auto &own = *static_cast<WgmmaWait *>(thread(warp, lane).op.operands);
    for (uint32_t i = 0; i < own.count; ++i) {
      uint32_t slot = 0, index = 0;
      if (!readToken(own.words[i], slot, index) || slot >= state.accumulators.size())
        continue;
      const WgmmaAccumulator &accumulator = state.accumulators[slot];
      if (accumulator.inFlight == 0 && index < accumulator.words)
        own.words[i] = accumulator.registers[size_t(lane) * accumulator.words + index];
    }
  }
}

uint32_t Cluster::wgmmaRead(Thread &t, uint32_t word, int32_t site) {
  uint32_t slot = 0, index = 0;
  const std::unique_ptr<WgmmaState> &state = async.wgmma[t.warp->index];
  if (!readToken(word, slot, index) || !state || slot >= state->accumulators.size())
    return word;
  step(t, site);
  const WgmmaAccumulator &accumulator = state->accumulators[slot];
  if (index >= accumulator.words)
    return word;
  if (accumulator.inFlight == 0)
    return accumulator.registers[size_t(t.lane) * accumulator.words + index];
  if (shadow) {
    Finding finding = findingAt(t, FindingKind::WgmmaRegisterInUse, site);
    finding.otherSite = accumulator.site;
    add(finding, [] {
      return std::string("a register of an accumulator is used before its wgmma was waited for");
    });
  }
  return word;
}

} // namespace tilecrt::sim
