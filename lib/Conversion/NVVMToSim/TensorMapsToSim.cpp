// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes: each CTA has memory for its own.

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilecrt/TensorMapValues.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

static Lowered lowerMaps(tilegpu::ThreadMapsOp op, SimBuilder &b) {
  Value address =
      b.call(op.getLoc(), "tilec_sim_tensor_maps",
             {b.constantI32(op.getLoc(), op.getCount()), b.site(op, "memory of tensor maps")});
  b.rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, op.getMaps().getType(), address);
  return Lowered::Yes;
}

static tilecrt::sim::TensorMapType elementOf(Type type) {
  using tilecrt::sim::TensorMapType;
  if (type.isBF16())
    return TensorMapType::BF16;
  if (type.isF16())
    return TensorMapType::F16;
  switch (tile::bitWidthOf(type)) {
  case 8:
    return TensorMapType::U8;
  case 16:
    return TensorMapType::U16;
  case 32:
    return type.isF32() ? TensorMapType::F32 : TensorMapType::I32;
  default:
    return type.isF64() ? TensorMapType::F64 : TensorMapType::I64;
  }
}

static Lowered lowerEncoding(tilegpu::ThreadEncodeMapOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  auto desc = cast<tile::DescType>(op.getDesc());
  TensorMapTile form = tilegpu::boxesOf(desc);
  Value bytes = b.constant(loc, b.i64(), int64_t(tile::bytesOf(desc.getElementType())));
  SmallVector<Value> sizes(op.getShape()), strides, box;
  for (Value stride : op.getStrides())
    strides.push_back(LLVM::MulOp::create(b.rewriter, loc, stride, bytes));
  for (int64_t extent : form.box)
    box.push_back(b.constantI32(loc, extent));
  // The fastest dimension comes first.
  for (SmallVector<Value> *values : {&sizes, &strides, &box})
    std::reverse(values->begin(), values->end());
  auto address = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(b.rewriter, loc, b.i64(), pointer);
  };
  using Slot = SimBuilder::Slot;
  b.call(loc, "tilec_sim_encode_tensor_map",
         {address(op.getPlace()), op.getLane(), address(op.getBase()),
          b.registers(op, Slot::Coordinates, sizes), b.registers(op, Slot::MatrixA, strides),
          b.registers(op, Slot::MatrixB, box), b.constantI32(loc, int64_t(form.box.size())),
          b.constantI32(loc, int64_t(elementOf(desc.getElementType()))),
          b.constantI32(loc, form.swizzleNumber()), b.site(op, "tensor map")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

Lowered tilec::lowerTensorMap(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](tilegpu::ThreadClaimMapsOp claim) {
        b.rewriter.replaceOp(claim, b.constantI32(claim.getLoc(), 0));
        return Lowered::Yes;
      })
      .Case([&](tilegpu::ThreadMapsOp maps) { return lowerMaps(maps, b); })
      .Case([&](tilegpu::ThreadReleaseMapsOp release) {
        b.call(release.getLoc(), "tilec_sim_release_tensor_maps",
               b.site(release, "memory of tensor maps"));
        b.rewriter.eraseOp(release);
        return Lowered::Yes;
      })
      .Case([&](tilegpu::ThreadEncodeMapOp encode) { return lowerEncoding(encode, b); })
      .Default([](Operation *) { return Lowered::No; });
}
