// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DescribedBlock.h.

#include "DescribedBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {
class BlockDescriber {
public:
  BlockDescriber(OpBuilder &opBuilder, GlobalAccessOpInterface accessOp,
                 const TensorCopy &tensorCopy, const IndexPolynomials &indexPolynomials)
      : builder(opBuilder), access(accessOp), copy(tensorCopy), indices(indexPolynomials),
        loc(accessOp.getLoc()) {}

  DescribedBlock run() {
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    DescribedBlock made;
    SmallVector<Value> sizes, strides;
    SmallVector<int64_t> block;
    for (const TensorCopy::Dim &dim : copy.dims) {
      sizes.push_back(emitSize(dim));
      if (&dim != &copy.dims.back())
        strides.push_back(emit(dim.stride, i64));
      made.starts.push_back(emit(dim.start, i32));
      block.push_back(dim.size);
    }
    if (hasElements)
      guard(made.starts);
    auto type = cast<RankedTensorType>(access.getPointer().getType());
    Type element = cast<PtrType>(type.getElementType()).getPointee();
    auto desc = DescType::get(builder.getContext(), block, element, false);
    auto make = MakeTensorDescriptorOp::create(builder, loc, desc, copy.base, sizes, strides);
    make->setAttr(TileDialect::kInferredAttr, builder.getUnitAttr());
    made.desc = make;
    unsigned inner = *copy.dims.back().accessed;
    made.shape = {type.getDimSize(1 - inner), type.getDimSize(inner)};
    made.isTransposed = inner == 0;
    return made;
  }

private:
  Value constant(Type type, int64_t number) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, number));
  }

  Value emit(const IndexPolynomial &polynomial, Type type) {
    Value sum;
    for (const auto &[product, coefficient] : polynomial.getTerms()) {
      Value term;
      for (IndexAtom number : product) {
        Value factor = resize(indices.valuesAt(number, access).front(), type);
        term = term ? builder.createOrFold<arith::MulIOp>(loc, term, factor) : factor;
      }
      if (!term)
        term = constant(type, coefficient);
      else if (coefficient != 1)
        term = builder.createOrFold<arith::MulIOp>(loc, term, constant(type, coefficient));
      sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, term) : term;
    }
    return sum ? sum : constant(type, 0);
  }

  Value resize(Value value, Type type) {
    unsigned have = value.getType().getIntOrFloatBitWidth(), want = type.getIntOrFloatBitWidth();
    if (have < want)
      return arith::ExtSIOp::create(builder, loc, type, value);
    return have > want ? arith::TruncIOp::create(builder, loc, type, value).getResult() : value;
  }

  /// At least one, as maps want it.
  Value emitSize(const TensorCopy::Dim &dim) {
    Type i32 = builder.getI32Type();
    if (!dim.extent)
      return constant(i32, kUnboundedSize);
    Value size = emit(*dim.extent, i32);
    if (std::optional<int64_t> known = dim.extent->getConstant(); known && *known > 0)
      return size;
    Value one = constant(i32, 1);
    Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, size, one);
    hasElements = hasElements
                      ? arith::AndIOp::create(builder, loc, hasElements, isThere).getResult()
                      : isThere;
    return arith::MaxSIOp::create(builder, loc, size, one);
  }

  /// A tensor without elements has none in its map's one element either: the block is beside it. It
  /// is moved along a dimension whose coordinate the loop around does not change, if there is one.
  void guard(SmallVectorImpl<Value> &starts) {
    constexpr int32_t farAway = -(1 << 30);
    auto loop = dyn_cast<LoopLikeOpInterface>(access->getParentOp());
    size_t moved = starts.size() - 1;
    for (size_t d = starts.size(); d-- > 0;)
      if (!loop || indices.isInvariant(copy.dims[d].start, loop))
        moved = d;
    starts[moved] = arith::SelectOp::create(builder, loc, hasElements, starts[moved],
                                            constant(builder.getI32Type(), farAway));
  }

  OpBuilder &builder;
  GlobalAccessOpInterface access;
  const TensorCopy &copy;
  const IndexPolynomials &indices;
  Location loc;
  /// Whether all sizes are positive; null when that is known.
  Value hasElements;
};
} // namespace

DescribedBlock tile::describeBlock(OpBuilder &builder, GlobalAccessOpInterface access,
                                   const TensorCopy &copy, const IndexPolynomials &indices) {
  return BlockDescriber(builder, access, copy, indices).run();
}

bool tilec::tile::hasBoxes(const TensorCopy &copy, ArrayRef<int64_t> rows,
                           ArrayRef<int64_t> columns, int64_t elementBits, bool isSwizzled) {
  for (int64_t height : rows) {
    for (int64_t width : columns) {
      SmallVector<int64_t> block = llvm::map_to_vector(copy.dims, [&](const TensorCopy::Dim &dim) {
        return dim.accessed ? (*dim.accessed == 0 ? height : width) : dim.size;
      });
      std::optional<TensorMapTile> form = tensorMapTile(block, int32_t(elementBits));
      if (!form || (isSwizzled && form->swizzleBytes == 0))
        return false;
    }
  }
  return true;
}
