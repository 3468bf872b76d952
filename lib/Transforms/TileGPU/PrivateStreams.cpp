// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the buffer of a private stream the lowest bits of an element's place are those of its register
// that make a vector, then come the lanes, the warps and the other registers: a warp accesses
// neighbouring vectors.

#include "PrivateStreams.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The buffer's layout for the registers of a thread, `vectorBits` first.
static LinearLayout privateLayout(const LinearLayout &threads, ArrayRef<unsigned> vectorBits) {
  std::vector<uint64_t> bases;
  ArrayRef<uint64_t> registers = threads.getFlatBases(kRegister);
  for (unsigned bit : vectorBits)
    bases.push_back(registers[bit]);
  for (StringRef dim : {kLane, kWarp})
    llvm::append_range(bases, threads.getFlatBases(dim));
  for (auto [bit, basis] : llvm::enumerate(registers))
    if (!llvm::is_contained(vectorBits, bit))
      bases.push_back(basis);
  return LinearLayout::fromFlatBases({{kOffset.str(), std::move(bases)}}, threads.getOutDims());
}

static std::optional<PrivateStream> addPrivateStream(tile::LoadOp load,
                                                     const AxisInfoAnalysis &axes) {
  std::optional<GlobalAccess> access = GlobalAccess::of(load);
  if (!access || load.getIsVolatile() || load.getResult().use_empty() ||
      tile::bitWidthOf(getElementTypeOrSelf(load.getType())) < 8)
    return std::nullopt;
  const LinearLayout &threads = layoutOf(access->type);
  LinearLayout held = threads.squeezeIn(kBlock);
  if (!held.isInvertible())
    return std::nullopt;
  AccessVector vector = access->chooseVector(axes);
  std::vector<unsigned> bits = contiguousRegisterBits(threads, vector.axis);
  bits.resize(std::min<size_t>(bits.size(), llvm::Log2_32(vector.width)));
  LinearLayout memory = privateLayout(held, bits);
  std::vector<unsigned> copied = copyRegisterBits(threads, vector, memory, access->elementBytes);
  if (access->elementBytes << copied.size() < 4)
    return std::nullopt;

  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  Location loc = load.getLoc();
  auto type = MemDescType::get(builder.getContext(), access->type.getShape(),
                               getElementTypeOrSelf(load.getType()),
                               LinearAttr::get(builder.getContext(), memory));
  auto buffer = LocalAllocOp::create(builder, loc, type, IntegerAttr());
  auto store = LocalStoreOp::create(builder, loc, load.getResult(), buffer);
  auto back = LocalLoadOp::create(builder, loc, load.getType(), buffer);
  back->setAttr(TileGPUDialect::kOwnPartAttr, builder.getUnitAttr());
  Value value = back;
  // The copy fills with zeros.
  Value other = load.getOther();
  if (!load.getMask() ||
      (other && (matchPattern(other, m_Zero()) || matchPattern(other, m_AnyZeroFloat()))))
    other = nullptr;
  if (other) {
    load.getOtherMutable().clear();
    value = arith::SelectOp::create(builder, loc, load.getMask(), value, other);
  }
  load.getResult().replaceAllUsesExcept(value, store);
  return PrivateStream{load, store, other,
                       int64_t(threads.getInDimSize(kRegister)) * access->elementBytes};
}

SmallVector<PrivateStream> tilec::addPrivateStreams(scf::ForOp loop, const AxisInfoAnalysis &axes) {
  SmallVector<PrivateStream> streams;
  for (tile::LoadOp load : llvm::to_vector(loop.getBody()->getOps<tile::LoadOp>()))
    if (std::optional<PrivateStream> stream = addPrivateStream(load, axes))
      streams.push_back(*stream);
  return streams;
}

void tilec::removePrivateStream(const PrivateStream &stream) {
  LocalStoreOp store = stream.store;
  tile::LoadOp load = stream.load;
  Operation *buffer = store.getBuffer().getDefiningOp();
  Operation *back = store->getNextNode();
  if (stream.other) {
    load.getOtherMutable().assign(stream.other);
    Operation *select = back->getNextNode();
    select->getResult(0).replaceAllUsesWith(load.getResult());
    select->erase();
  }
  back->getResult(0).replaceAllUsesWith(load.getResult());
  back->erase();
  store->erase();
  buffer->erase();
}
