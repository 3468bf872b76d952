// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building, merging and sweeping access ranges.
#include "runtime/sim/AccessRanges.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilecrt::sim {
namespace {

bool conflicting(RangeKind a, RangeKind b) {
  if (onlyReads(a) && onlyReads(b))
    return false;
  auto isAtomic = [](RangeKind kind) {
    return kind == RangeKind::Atomic || kind == RangeKind::AtomicRead;
  };
  return !(isAtomic(a) && isAtomic(b));
}

auto addressOrder(const AccessRange &r) {
  return std::make_tuple(r.begin, r.length, r.cluster, r.kind, r.site, r.firstThread, r.laneBytes,
                         r.syncBefore, r.syncAfter, r.warpClock, r.laneClock, r.valueHash,
                         r.snapshot);
}

using Spans = std::vector<std::pair<uint64_t, uint64_t>>;

/// The union of the ranges of the two kinds, as disjoint sorted spans.
Spans spansOf(const std::vector<AccessRange> &sorted, RangeKind one, RangeKind other) {
  Spans spans;
  for (const AccessRange &range : sorted) {
    if (range.kind != one && range.kind != other)
      continue;
    if (!spans.empty() && range.begin <= spans.back().second)
      spans.back().second = std::max(spans.back().second, range.end());
    else
      spans.push_back({range.begin, range.end()});
  }
  return spans;
}

/// Drops reads of what nobody writes and atomics on what is only accessed by atomics: most of most
/// kernels.
void dropHarmless(std::vector<AccessRange> &sorted) {
  Spans written = spansOf(sorted, RangeKind::Write, RangeKind::Atomic);
  Spans plain = spansOf(sorted, RangeKind::Write, RangeKind::Read);
  auto inWritten = written.begin(), inPlain = plain.begin();
  auto touches = [](Spans &spans, Spans::iterator &at, const AccessRange &range) {
    while (at != spans.end() && at->second <= range.begin)
      ++at;
    return at != spans.end() && at->first < range.end();
  };
  size_t kept = 0;
  for (const AccessRange &range : sorted) {
    bool matters = true;
    if (onlyReads(range.kind))
      matters = touches(written, inWritten, range);
    else if (range.kind == RangeKind::Atomic)
      matters = touches(plain, inPlain, range);
    if (matters)
      sorted[kept++] = range;
  }
  sorted.resize(kept);
}

/// Who is named first in a finding: the reader; between writers the lower site, then the lower
/// cluster and thread.
bool comesFirst(const AccessRange &a, const AccessRange &b, uint64_t address) {
  bool aReads = onlyReads(a.kind), bReads = onlyReads(b.kind);
  if (aReads != bReads)
    return aReads;
  return std::make_tuple(a.site, a.cluster, a.threadAt(address)) <=
         std::make_tuple(b.site, b.cluster, b.threadAt(address));
}

/// The ranges of one site and kind that the sweep line is in.
struct ActiveGroup {
  std::vector<const AccessRange *> members;
  uint64_t firstEnd = UINT64_MAX; ///< Least end of a member.

  void add(const AccessRange &range) {
    members.push_back(&range);
    firstEnd = std::min(firstEnd, range.end());
  }

  void dropBefore(uint64_t address) {
    if (firstEnd > address)
      return;
    firstEnd = UINT64_MAX;
    size_t kept = 0;
    for (const AccessRange *member : members) {
      if (member->end() <= address)
        continue;
      members[kept++] = member;
      firstEnd = std::min(firstEnd, member->end());
    }
    members.resize(kept);
  }
};

/// Pairs of ranges looked at in one sweep; enough for all but kernels that order very many accesses
/// to the same place by locks.
constexpr uint64_t maxPairTests = uint64_t(1) << 25;

} // namespace

bool AccessRange::operator==(const AccessRange &other) const {
  return addressOrder(*this) == addressOrder(other);
}

bool AccessRange::operator<(const AccessRange &other) const {
  // The address alone decides nearly always.
  return begin != other.begin ? begin < other.begin : addressOrder(*this) < addressOrder(other);
}

void appendRanges(const Request &request, const AccessRange &prototype,
                  std::vector<AccessRange> &out) {
  AccessRange run = prototype;
  unsigned lastLane = 0;
  int lastTwin = -1; // The last lane that reads just what the run's only lane reads.
  auto close = [&] {
    if (run.length == 0)
      return;
    out.push_back(run);
    if (lastTwin >= 0) {
      // Two readers stand for all of them: a writer differs from one of the two.
      run.firstThread = static_cast<uint16_t>(prototype.firstThread + unsigned(lastTwin));
      out.push_back(run);
    }
    lastTwin = -1;
  };
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(request.active >> lane & 1))
      continue;
    uint64_t address = request.address[lane];
    uint8_t bytes = request.bytes[lane];
    uint32_t hash = (request.valueHash[lane] ^ static_cast<uint32_t>(address)) * 0x9e3779b1u;
    bool alike =
        run.length != 0 && bytes == run.laneBytes && request.laneClock[lane] == run.laneClock;
    if (alike && address == run.end() && lane == lastLane + 1 && lastTwin < 0) {
      run.length += bytes;
      run.valueHash += hash;
    } else if (alike && run.length == bytes && address == run.begin &&
               prototype.kind == RangeKind::Read) {
      lastTwin = static_cast<int>(lane);
    } else {
      close();
      run.begin = address;
      run.length = run.laneBytes = bytes;
      run.firstThread = static_cast<uint16_t>(prototype.firstThread + lane);
      run.laneClock = request.laneClock[lane];
      run.valueHash = hash;
    }
    lastLane = lane;
  }
  close();
}

bool differentThreads(const AccessRange &a, const AccessRange &b, uint64_t &address) {
  uint64_t begin = std::max(a.begin, b.begin), end = std::min(a.end(), b.end());
  uint32_t step = std::min(a.laneBytes, b.laneBytes);
  for (uint64_t at = begin; at < end; at += step)
    if (a.threadAt(at) != b.threadAt(at)) {
      address = at;
      return true;
    }
  return false;
}

bool findConflicts(std::vector<AccessRange> &ranges, const RaceTest &races,
                   const std::function<void(const RangeConflict &)> &report) {
  bool written = std::any_of(ranges.begin(), ranges.end(),
                             [](const AccessRange &r) { return !onlyReads(r.kind); });
  if (!written)
    return true;
  std::sort(ranges.begin(), ranges.end());
  std::vector<AccessRange> suspects = ranges;
  dropHarmless(suspects);
  // A loop that repeats an access repeats its range.
  suspects.erase(std::unique(suspects.begin(), suspects.end()), suspects.end());
  std::map<std::pair<uint32_t, RangeKind>, ActiveGroup> active;
  uint64_t tests = 0;
  for (const AccessRange &range : suspects) {
    for (auto &[key, group] : active) {
      if (!conflicting(range.kind, key.second))
        continue;
      group.dropBefore(range.begin);
      for (const AccessRange *member : group.members) {
        uint64_t address = range.begin;
        if (++tests > maxPairTests)
          return false;
        if (!races(*member, range, address))
          continue;
        RangeConflict conflict;
        bool memberFirst = comesFirst(*member, range, address);
        conflict.first = memberFirst ? member : &range;
        conflict.second = memberFirst ? &range : member;
        conflict.address = address;
        conflict.sameValue = member->kind == RangeKind::Write && range.kind == RangeKind::Write &&
                             member->begin == range.begin && member->length == range.length &&
                             member->laneBytes == range.laneBytes &&
                             member->valueHash == range.valueHash;
        report(conflict);
        break;
      }
    }
    ActiveGroup &own = active[{range.site, range.kind}];
    own.dropBefore(range.begin);
    own.add(range);
  }
  return true;
}

void compactRanges(std::vector<AccessRange> &ranges) {
  // By site first, so that ranges that may be merged are neighbours.
  auto order = [](const AccessRange &r) {
    return std::make_tuple(r.kind, r.site, r.laneBytes, r.syncBefore, r.syncAfter, r.begin,
                           r.firstThread, r.length, r.valueHash);
  };
  std::sort(ranges.begin(), ranges.end(),
            [&](const AccessRange &a, const AccessRange &b) { return order(a) < order(b); });
  size_t kept = 0;
  for (const AccessRange &range : ranges) {
    if (kept != 0) {
      AccessRange &last = ranges[kept - 1];
      bool alike = last.kind == range.kind && last.site == range.site &&
                   last.laneBytes == range.laneBytes && last.syncBefore == range.syncBefore &&
                   last.syncAfter == range.syncAfter;
      if (alike && last.begin == range.begin && last.length == range.length)
        continue; // The same bytes again: another thread or another time.
      bool continues = alike && last.end() == range.begin &&
                       last.firstThread + last.length / last.laneBytes == range.firstThread &&
                       uint64_t(last.length) + range.length < UINT32_MAX;
      if (continues) {
        last.length += range.length;
        last.valueHash += range.valueHash;
        continue;
      }
    }
    ranges[kept++] = range;
  }
  ranges.resize(kept);
}

} // namespace tilecrt::sim
