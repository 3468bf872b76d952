// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of tensor copies.

#include "dialects/TileGPU/TileGPUOps.h"

#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static LogicalResult verifyCopy(Operation *op, Value desc, size_t offsets, MemDescType buffer) {
  auto type = cast<tile::DescType>(desc.getType());
  ArrayRef<int64_t> block = type.getBlockShape();
  if (offsets != block.size())
    return op->emitOpError("expects ") << block.size() << " offsets, got " << offsets;
  if (!computeRankReductionMask(block, buffer.getShape()) ||
      buffer.getElementType() != type.getElementType())
    return op->emitOpError("expects a buffer for ")
           << RankedTensorType::get(block, type.getElementType()) << ", got " << buffer;
  auto form = tensorMapTile(buffer.getShape(), int32_t(tile::bitWidthOf(type.getElementType())));
  if (!form || form->memory != buffer.getLayout().getLayout())
    return op->emitOpError("expects a buffer in the layout that the copy writes, got ") << buffer;
  auto argument = dyn_cast<BlockArgument>(desc);
  Operation *maker = argument ? argument.getOwner()->getParentOp() : desc.getDefiningOp();
  bool isEncoded =
      isa<EncodeTensorMapOp>(maker) ||
      (isa<tile::MakeTensorDescriptorOp>(maker) && maker->hasAttr(tile::TileDialect::kEncodedAttr));
  if (argument ? !isa<FunctionOpInterface>(maker) : !isEncoded)
    return op->emitOpError(
        "expects a tensor map: an argument of the function, or one that it encodes");
  return success();
}

LogicalResult TmaLoadOp::verify() {
  bool isMulticast = numCtasOf(*this) > 1 && getCtas() && getLast() && getTurn();
  if (!isMulticast && (getCtas() || getLast() || getTurn()))
    return emitOpError("expects CTAs of a cluster, their number and a turn, or none of these");
  return verifyCopy(*this, getDesc(), getOffsets().size(), getBuffer().getType());
}

std::optional<BoxParts> TmaStoreOp::getParts() {
  std::optional<ArrayRef<int64_t>> warpgroups = getWarpgroups();
  tile::DescType desc = getDesc().getType();
  ArrayRef<int64_t> block = desc.getBlockShape();
  int groups = warpgroupsOf(*this);
  if (!warpgroups || warpgroups->size() != 2 || (*warpgroups)[0] < 0 || (*warpgroups)[1] <= 0 ||
      (*warpgroups)[0] >= int64_t(block.size()) ||
      block[size_t((*warpgroups)[0])] % ((*warpgroups)[1] * groups) != 0)
    return std::nullopt;
  return boxesOf(desc).partsOf(unsigned((*warpgroups)[0]), (*warpgroups)[1], groups);
}

LogicalResult TmaStoreOp::verify() {
  if (getReduction() && !tile::isCombination(*getReduction()))
    return emitOpError("expects a reduction that combines, got '")
           << tile::stringifyAtomicKind(*getReduction()) << "'";
  if (failed(verifyCopy(*this, getDesc(), getOffsets().size(), getBuffer().getType())))
    return failure();
  if (getWarpgroups() && getCommitAll())
    return emitOpError("expects 'commit_all' where one thread stores all, not with 'warpgroups'");
  if (getWarpgroups() && !getParts())
    return emitOpError("expects a dimension and how many of its elements each of ")
           << warpgroupsOf(*this) << " warpgroups stores in whole copies, got [" << *getWarpgroups()
           << "]";
  return success();
}

/// Sizes and strides of a tensor map that a kernel encodes.
static LogicalResult verifyEncoding(Operation *op, tile::DescType desc, size_t sizes,
                                    size_t strides) {
  size_t rank = desc.getBlockShape().size();
  if (sizes == rank && strides + 1 == rank)
    return success();
  return op->emitOpError("expects ")
         << rank << " sizes and " << rank - 1 << " strides, got " << sizes << " and " << strides;
}

LogicalResult EncodeTensorMapOp::verify() {
  if (getFirst() > getSlot())
    return emitOpError("expects its run of slots, from ")
           << getFirst() << ", not to begin behind its own, " << getSlot();
  return verifyEncoding(*this, getMap().getType(), getShape().size(), getStrides().size());
}

LogicalResult ThreadEncodeMapOp::verify() {
  return verifyEncoding(*this, cast<tile::DescType>(getDesc()), getShape().size(),
                        getStrides().size());
}
