// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes ld and st. Operand numbers are counted in the order documented in the header, so text()
// and constraints() must walk the operands alike.

#include "AccessText.h"

using namespace mlir;
using tilec::tile::CacheModifier;
using tilec::tile::EvictionPolicy;

namespace tilec {

std::optional<AccessShape> accessShapeOf(Type type, unsigned maxBytes) {
  Type element = type;
  int64_t elements = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return std::nullopt;
    element = vector.getElementType();
    elements = vector.getNumElements();
  }
  if (!isa<IntegerType>(element))
    return std::nullopt;
  unsigned width = element.getIntOrFloatBitWidth();
  int64_t total = elements * width;
  if (total != 8 && total != 16 && total != 32 && total != 64 && total != 128 && total != 256)
    return std::nullopt;
  if (total > 8 * int64_t(maxBytes))
    return std::nullopt;
  if (total <= 32)
    return AccessShape{1, static_cast<unsigned>(total)};
  unsigned part = width == 64 ? 64 : 32;
  return AccessShape{static_cast<unsigned>(total) / part, part};
}

static StringRef constraintOf(const AccessShape &shape) {
  switch (shape.registerBits()) {
  case 16:
    return "h";
  case 32:
    return "r";
  default:
    return "l";
  }
}

static std::string registerList(unsigned first, unsigned count) {
  if (count == 1)
    return "$" + std::to_string(first);
  std::string list = "{";
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

static StringRef evictName(EvictionPolicy policy) {
  return policy == EvictionPolicy::evict_first ? "evict_first" : "evict_last";
}

std::string AccessText::text() const {
  unsigned firstValue = isLoad ? 0 : 1;
  unsigned addressIndex = isLoad ? shape.count : 0;
  unsigned next = shape.count + 1;

  std::string out;
  llvm::raw_string_ostream os(out);
  if (isPredicated)
    os << "@$" << next++ << " ";
  os << (isLoad ? "ld" : "st") << (isVolatile ? ".volatile" : "")
     << (isShared ? ".shared" : ".global");
  if (cache != CacheModifier::none)
    os << "." << tile::stringifyCacheModifier(cache);
  if (l1Evict != EvictionPolicy::normal)
    os << ".L1::" << evictName(l1Evict);
  if (hasL2Policy)
    os << ".L2::cache_hint";
  if (shape.count > 1)
    os << ".v" << shape.count;
  os << ".b" << shape.bits << " ";
  std::string values = registerList(firstValue, shape.count);
  std::string place = "[$" + std::to_string(addressIndex) + "]";
  os << (isLoad ? values : place) << ", " << (isLoad ? place : values);
  if (hasL2Policy)
    os << ", $" << next++;
  os << ";";
  return out;
}

std::string AccessText::constraints() const {
  StringRef reg = constraintOf(shape);
  SmallVector<std::string> list;
  std::string address = isShared ? "r" : "l";
  if (!isLoad)
    list.push_back(address);
  for (unsigned i = 0; i < shape.count; ++i)
    list.push_back((isLoad ? "=" : "") + reg.str());
  if (isLoad)
    list.push_back(address);
  if (isPredicated)
    list.push_back("b");
  if (hasL2Policy)
    list.push_back("l");
  if (isLoad && isPredicated)
    for (unsigned i = 0; i < shape.count; ++i)
      list.push_back(std::to_string(i));
  return llvm::join(list, ",");
}

LegalHints legaliseHints(bool isLoad, bool isVolatile, CacheModifier cache, EvictionPolicy evict,
                         const Processor &processor) {
  LegalHints legal;
  if (isVolatile) {
    if (cache != CacheModifier::none || evict != EvictionPolicy::normal)
      legal.dropped = "a volatile access takes no cache hints";
    return legal;
  }

  bool known = cache == CacheModifier::none || cache == CacheModifier::cg ||
               cache == CacheModifier::cs ||
               (isLoad ? cache == CacheModifier::ca || cache == CacheModifier::cv
                       : cache == CacheModifier::wb || cache == CacheModifier::wt);
  if (known)
    legal.cache = cache;
  else
    legal.dropped = llvm::formatv("a {0} has no cache modifier '.{1}'", isLoad ? "load" : "store",
                                  tile::stringifyCacheModifier(cache));
  if (evict == EvictionPolicy::normal)
    return legal;

  if (processor.has(Feature::CachePolicy))
    legal.l2Evict = evict;
  if (legal.cache == CacheModifier::none) {
    legal.l1Evict = evict;
  } else if (!processor.has(Feature::CachePolicy)) {
    legal.dropped = llvm::formatv("'{0}' cannot stand beside cache modifier '.{1}' before sm_80",
                                  evictName(evict), tile::stringifyCacheModifier(legal.cache));
  }
  return legal;
}

} // namespace tilec
