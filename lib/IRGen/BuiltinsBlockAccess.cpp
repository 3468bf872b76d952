// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that are accessed block by block. A tensor descriptor is a value of the tile dialect,
// with loads and stores of its own. A block pointer exists in the front end only: a base pointer
// with sizes, strides and offsets, from which every access computes its pointers and its mask.

#include "BlockPointer.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {
namespace {

/// Places in `BlockAccessValue::parts`.
enum Part { BasePart, ShapePart, StridesPart, OffsetsPart };

const std::vector<Value> &getPart(const BlockAccessValue &access, Part part) {
  return *(*access.parts->getTuple())[part].getTuple();
}

/// The elements of a tuple or list of integer scalars; a single integer counts as a tuple of one.
FailureOr<std::vector<Value>> getScalars(Generator &g, const BoundArg &arg,
                                         const llvm::Twine &what) {
  std::vector<Value> items;
  if (const std::vector<Value> *tuple = arg.value.getTuple())
    items = *tuple;
  else
    items.push_back(arg.value);
  for (const Value &item : items) {
    const RuntimeValue *runtime = item.getRuntime();
    const Constant *constant = item.getConstant();
    bool isInteger = (runtime && !runtime->type.isBlock() && runtime->type.element.isInt()) ||
                     (constant && constant->isInt());
    if (!isInteger)
      return g.error(arg.range, what + " must be integer scalars, got " + item.describe());
  }
  return items;
}

/// All integers as program values of one type.
FailureOr<std::vector<Value>> castAll(Generator &g, std::vector<Value> items, DType type,
                                      SourceRange range) {
  for (Value &item : items) {
    FailureOr<Value> converted = g.cast(item, type, range);
    if (mlir::failed(converted))
      return failure();
    item = *converted;
  }
  return items;
}

LogicalResult checkCount(Generator &g, const BoundArg &arg, size_t count, size_t rank,
                         const llvm::Twine &what) {
  if (count == rank)
    return success();
  return g.error(arg.range, "expected " + llvm::Twine(rank) + " " + what +
                                ", one per dimension of the block, got " + llvm::Twine(count));
}

/// The base of a descriptor or block pointer: a scalar pointer.
LogicalResult checkBase(Generator &g, const BoundArgs &a) {
  const RuntimeValue *base = a[0].value.getRuntime();
  if (base && base->type.element.isPointer() && !base->type.isBlock())
    return success();
  return g.error(a[0].range, "'" + a.builtin->getDisplayName() + "' needs a scalar pointer, got " +
                                 a[0].value.describe());
}

//===--------------------------------------------------------------------------------------------===//
// Block pointers
//===--------------------------------------------------------------------------------------------===//

FailureOr<Value> genMakeBlockPointer(Generator &g, const BoundArgs &a) {
  enum { BasePointer, Sizes, Steps, Start, Block, Order };
  FailureOr<llvm::SmallVector<int64_t>> block =
      g.toIntegers(a[Block].value, a[Block].range, "the block shape");
  FailureOr<std::vector<Value>> sizes = getScalars(g, a[Sizes], "the sizes");
  FailureOr<std::vector<Value>> strides = getScalars(g, a[Steps], "the strides");
  FailureOr<std::vector<Value>> offsets = getScalars(g, a[Start], "the offsets");
  FailureOr<llvm::SmallVector<int64_t>> order =
      g.toIntegers(a[Order].value, a[Order].range, "the order");
  if (mlir::failed(checkBase(g, a)) || mlir::failed(block) || mlir::failed(sizes) ||
      mlir::failed(strides) || mlir::failed(offsets) || mlir::failed(order) ||
      mlir::failed(g.checkShape(*block, a[Block].range)))
    return failure();
  size_t rank = block->size();
  if (mlir::failed(checkCount(g, a[Sizes], sizes->size(), rank, "sizes")) ||
      mlir::failed(checkCount(g, a[Steps], strides->size(), rank, "strides")) ||
      mlir::failed(checkCount(g, a[Start], offsets->size(), rank, "offsets")))
    return failure();
  // The order only says what is contiguous, which the strides say better.
  llvm::SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, static_cast<int64_t>(rank))))
    return g.error(a[Order].range, printShape(*order) + " is not a permutation of the " +
                                       llvm::Twine(rank) + " dimensions");
  // An advancing pointer must not change its type: offsets are program values from the start.
  offsets = castAll(g, *offsets, ScalarKind::Int64, a[Start].range);
  if (mlir::failed(offsets))
    return failure();
  const Type &base = a[BasePointer].value.getRuntime()->type;
  Value parts = Value::tuple(
      {a[BasePointer].value, Value::tuple(*sizes), Value::tuple(*strides), Value::tuple(*offsets)});
  return Value(BlockAccessValue{
      BlockAccessValue::Kind::BlockPointer, Type(base.element.getElement(), *block),
      base.element.isConstPointer(), std::make_shared<const Value>(parts)});
}

FailureOr<Value> genAdvance(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *pointer = getBlockPointer(a[0].value);
  if (!pointer)
    return g.error(a[0].range, "'tl.advance' needs a block pointer, got " + a[0].value.describe());
  FailureOr<std::vector<Value>> deltas = getScalars(g, a[1], "the offsets");
  if (mlir::failed(deltas))
    return failure();
  std::vector<Value> offsets = getPart(*pointer, OffsetsPart);
  if (mlir::failed(checkCount(g, a[1], deltas->size(), offsets.size(), "offsets")))
    return failure();
  for (auto [offset, delta] : llvm::zip(offsets, *deltas)) {
    FailureOr<Value> wide = g.cast(delta, ScalarKind::Int64, a[1].range);
    if (mlir::failed(wide))
      return failure();
    FailureOr<Value> sum = g.binary(ast::BinaryOp::Add, offset, *wide, a.range);
    if (mlir::failed(sum))
      return failure();
    offset = *sum;
  }
  std::vector<Value> parts = *pointer->parts->getTuple();
  parts[OffsetsPart] = Value::tuple(std::move(offsets));
  BlockAccessValue result = *pointer;
  result.parts = std::make_shared<const Value>(Value::tuple(std::move(parts)));
  return Value(result);
}

//===--------------------------------------------------------------------------------------------===//
// Tensor descriptors
//===--------------------------------------------------------------------------------------------===//

constexpr int64_t kDescriptorAlignment = 16;
constexpr int64_t kLargestStride = int64_t(1) << 40;

LogicalResult checkDescriptorElement(Generator &g, DType element, SourceRange range) {
  if (!element.isBool() && !element.isVoid() && !element.is(ScalarKind::FP8E4B15))
    return success();
  return g.error(range, "a tensor descriptor cannot have elements of type " + element.str());
}

/// The block shape, checked.
FailureOr<llvm::SmallVector<int64_t>> getBlockShape(Generator &g, const BoundArg &arg,
                                                    DType element) {
  FailureOr<llvm::SmallVector<int64_t>> block =
      g.toIntegers(arg.value, arg.range, "the block shape");
  if (mlir::failed(block) || mlir::failed(checkDescriptorBlock(g, {*block}, element, arg.range)))
    return failure();
  return block;
}

/// The last stride is 1 and known ones are multiples of 16 bytes.
LogicalResult checkStrides(Generator &g, const BoundArg &arg, llvm::ArrayRef<Value> strides,
                           DType element) {
  const Constant *last = strides.back().getConstant();
  if (!last || last->toInt().toInt64Saturated() != 1)
    return g.error(arg.range,
                   "the last stride of a tensor descriptor must be the constant 1, got " +
                       strides.back().describe());
  int64_t bytes = (element.getBitWidth() + 7) / 8;
  for (const Value &stride : strides.drop_back())
    if (const Constant *constant = stride.getConstant()) {
      int64_t number = constant->toInt().toInt64Saturated();
      bool fits = number > 0 && number < kLargestStride / bytes;
      if (!fits || number * bytes % kDescriptorAlignment != 0)
        return g.error(arg.range, "the strides of a tensor descriptor must be multiples of " +
                                      llvm::Twine(kDescriptorAlignment) +
                                      " bytes from there to 2^40, got " + llvm::Twine(number) +
                                      " elements of " + element.str());
    }
  return success();
}

/// A tensor has elements: the copy engine knows no other.
LogicalResult checkSizes(Generator &g, const BoundArg &arg, llvm::ArrayRef<Value> sizes) {
  for (const Value &size : sizes)
    if (const Constant *constant = size.getConstant()) {
      int64_t number = constant->toInt().toInt64Saturated();
      if (number < 1 || number > std::numeric_limits<int32_t>::max())
        return g.error(arg.range,
                       "the sizes of a tensor descriptor must be from 1 to 2^31 - 1, got " +
                           llvm::Twine(number));
    }
  return success();
}

/// The value of a descriptor; sizes and strides have an entry for each dimension.
Value describe(mlir::Value handle, Type block, const Value &base, std::vector<Value> sizes,
               std::vector<Value> strides) {
  bool isConst = base.getRuntime()->type.element.isConstPointer();
  Value parts = Value::tuple({Value::runtime(handle, Type()), Value::tuple(std::move(sizes)),
                              Value::tuple(std::move(strides)), base});
  return BlockAccessValue{BlockAccessValue::Kind::Descriptor, std::move(block), isConst,
                          std::make_shared<const Value>(parts)};
}

FailureOr<Value> genMakeDescriptor(Generator &g, const BoundArgs &a) {
  enum { BasePointer, Sizes, Steps, Block, Padding };
  if (mlir::failed(checkBase(g, a)))
    return failure();
  const Type &base = a[BasePointer].value.getRuntime()->type;
  DType element = base.element.getElement();
  if (mlir::failed(checkDescriptorElement(g, element, a[BasePointer].range)))
    return failure();
  FailureOr<llvm::SmallVector<int64_t>> block = getBlockShape(g, a[Block], element);
  FailureOr<std::vector<Value>> sizes = getScalars(g, a[Sizes], "the sizes");
  FailureOr<std::vector<Value>> strides = getScalars(g, a[Steps], "the strides");
  FailureOr<bool> nan = padsWithNan(g, a[Padding], element);
  if (mlir::failed(block) || mlir::failed(sizes) || mlir::failed(strides) || mlir::failed(nan))
    return failure();
  size_t rank = block->size();
  if (mlir::failed(checkCount(g, a[Sizes], sizes->size(), rank, "sizes")) ||
      mlir::failed(checkCount(g, a[Steps], strides->size(), rank, "strides")) ||
      mlir::failed(checkSizes(g, a[Sizes], *sizes)) ||
      mlir::failed(checkStrides(g, a[Steps], *strides, element)))
    return failure();
  Value lastStride = strides->back();
  sizes = castAll(g, *sizes, ScalarKind::Int32, a[Sizes].range);
  strides = castAll(g, *strides, ScalarKind::Int64, a[Steps].range);
  if (mlir::failed(sizes) || mlir::failed(strides))
    return failure();
  strides->back() = lastStride;
  llvm::SmallVector<mlir::Value> sizeValues, strideValues;
  for (const Value &size : *sizes)
    sizeValues.push_back(size.getRuntime()->value);
  for (const Value &stride : llvm::ArrayRef(*strides).drop_back())
    strideValues.push_back(stride.getRuntime()->value);
  auto type =
      tile::DescType::get(g.getBuilder().getContext(), *block, g.lower(Type(element)), *nan);
  mlir::Value handle = g.create<tile::MakeTensorDescriptorOp>(
      type, a[BasePointer].value.getRuntime()->value, sizeValues, strideValues);
  return describe(handle, Type(element, *block), a[BasePointer].value, std::move(*sizes),
                  std::move(*strides));
}

const BlockAccessValue *getDescriptor(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *access = a[0].value.getIf<BlockAccessValue>();
  if (access && access->kind == BlockAccessValue::Kind::Descriptor)
    return access;
  (void)g.error(a[0].range, "'" + a.builtin->getDisplayName() +
                                "' needs a tensor descriptor, got " + a[0].value.describe());
  return nullptr;
}

mlir::Value getHandle(const BlockAccessValue &descriptor) {
  return (*descriptor.parts->getTuple())[BasePart].getRuntime()->value;
}

/// The offsets of an access as i32 values.
FailureOr<llvm::SmallVector<mlir::Value>> getOffsets(Generator &g, const BoundArg &arg,
                                                     const BlockAccessValue &descriptor) {
  FailureOr<std::vector<Value>> offsets = getScalars(g, arg, "the offsets");
  if (mlir::failed(offsets) ||
      mlir::failed(checkCount(g, arg, offsets->size(), descriptor.block.shape.size(), "offsets")))
    return failure();
  llvm::SmallVector<mlir::Value> values;
  for (const Value &offset : *offsets) {
    // Sizes have 31 bits: what is beyond stays outside of the tensor.
    Value near = offset;
    const RuntimeValue *runtime = offset.getRuntime();
    if (runtime && runtime->type.element.is(ScalarKind::Int64)) {
      auto limit = [&](int64_t number) {
        return g.create<mlir::arith::ConstantOp>(g.getBuilder().getI64IntegerAttr(number));
      };
      mlir::Value low = g.create<mlir::arith::MaxSIOp>(runtime->value,
                                                       limit(std::numeric_limits<int32_t>::min()));
      near = g.emit<mlir::arith::MinSIOp>(runtime->type, low,
                                          limit(std::numeric_limits<int32_t>::max()));
    }
    FailureOr<Value> narrow = g.cast(near, ScalarKind::Int32, arg.range);
    if (mlir::failed(narrow))
      return failure();
    values.push_back(narrow->getRuntime()->value);
  }
  return values;
}

/// A value to be stored, in the block's type.
FailureOr<mlir::Value> getStored(Generator &g, const BoundArg &arg,
                                 const BlockAccessValue &descriptor) {
  FailureOr<Value> value = g.cast(arg.value, descriptor.block.element, arg.range);
  if (mlir::failed(value))
    return failure();
  const Type &type = value->getRuntime()->type;
  if (type.isBlock() && type.shape != descriptor.block.shape)
    return g.error(arg.range, "the value has shape " + printShape(type.shape) +
                                  " but the descriptor's block has " +
                                  printShape(descriptor.block.shape));
  return (type.isBlock() ? *value : g.splat(*value, descriptor.block.shape)).getRuntime()->value;
}

LogicalResult checkWritable(Generator &g, const BoundArg &arg, const BlockAccessValue &descriptor) {
  if (!descriptor.isConst)
    return success();
  return g.error(arg.range, "cannot store through a descriptor of a const pointer");
}

FailureOr<Value> genDescriptorLoad(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *descriptor = getDescriptor(g, a);
  if (!descriptor)
    return failure();
  FailureOr<llvm::SmallVector<mlir::Value>> offsets = getOffsets(g, a[1], *descriptor);
  if (mlir::failed(offsets))
    return failure();
  return g.emit<tile::DescriptorLoadOp>(descriptor->block, g.lower(descriptor->block),
                                        getHandle(*descriptor), *offsets);
}

FailureOr<Value> genDescriptorStore(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *descriptor = getDescriptor(g, a);
  if (!descriptor || mlir::failed(checkWritable(g, a[0], *descriptor)))
    return failure();
  FailureOr<llvm::SmallVector<mlir::Value>> offsets = getOffsets(g, a[1], *descriptor);
  FailureOr<mlir::Value> value = getStored(g, a[2], *descriptor);
  if (mlir::failed(offsets) || mlir::failed(value))
    return failure();
  g.create<tile::DescriptorStoreOp>(getHandle(*descriptor), *offsets, *value);
  return Value::none();
}

FailureOr<Value> genDescriptorReduce(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *descriptor = getDescriptor(g, a);
  if (!descriptor || mlir::failed(checkWritable(g, a[0], *descriptor)))
    return failure();
  DType element = descriptor->block.element;
  tile::AtomicKind kind = getAtomicKind(a.builtin->name, element);
  if (!tile::hasDescriptorReduction(kind, g.lower(Type(element))))
    return g.error(a.range,
                   "'" + a.builtin->getDisplayName() + "' does not support " + element.str());
  FailureOr<llvm::SmallVector<mlir::Value>> offsets = getOffsets(g, a[1], *descriptor);
  FailureOr<mlir::Value> value = getStored(g, a[2], *descriptor);
  if (mlir::failed(offsets) || mlir::failed(value))
    return failure();
  g.create<tile::DescriptorReduceOp>(kind, getHandle(*descriptor), *offsets, *value);
  return Value::none();
}

/// Before descriptors had types, each load said the shape and the type.
FailureOr<Value> genOldDescriptorLoad(Generator &g, const BoundArgs &a) {
  const BlockAccessValue *descriptor = getDescriptor(g, a);
  if (!descriptor)
    return failure();
  if (const BoundArg &shape = a[2]) {
    FailureOr<llvm::SmallVector<int64_t>> dims =
        g.toIntegers(shape.value, shape.range, "a block dimension");
    if (mlir::failed(dims))
      return failure();
    if (!llvm::equal(*dims, descriptor->block.shape))
      return g.error(shape.range, "the shape is " + printShape(*dims) +
                                      " but the descriptor's block has " +
                                      printShape(descriptor->block.shape));
  }
  if (const BoundArg &type = a[3]) {
    FailureOr<DType> element = g.toDType(type.value, type.range, "the dtype");
    if (mlir::failed(element))
      return failure();
    if (*element != descriptor->block.element)
      return g.error(type.range, "the dtype is " + element->str() + " but the descriptor has " +
                                     descriptor->block.element.str());
  }
  return genDescriptorLoad(g, a);
}

/// The order of arguments of before.
FailureOr<Value> genOldDescriptorStore(Generator &g, const BoundArgs &a) {
  BoundArgs swapped = a;
  std::swap(swapped.args[1], swapped.args[2]);
  return genDescriptorStore(g, swapped);
}

constexpr Handler blockAccessHandlers[] = {
    {"make_block_ptr", inLanguage, genMakeBlockPointer},
    {"advance", inLanguage, genAdvance},
    {"make_tensor_descriptor", inLanguage, genMakeDescriptor},
    {"_experimental_make_tensor_descriptor", inLanguage, genMakeDescriptor},
    {"load_tensor_descriptor", inLanguage, genDescriptorLoad},
    {"_experimental_descriptor_load", inLanguage, genOldDescriptorLoad},
    {"_experimental_descriptor_store", inLanguage, genOldDescriptorStore},
    {"store_tensor_descriptor", inLanguage, genDescriptorStore},
    {"load", asDescriptorMethod, genDescriptorLoad},
    {"store", asDescriptorMethod, genDescriptorStore},
    {"atomic_add", asDescriptorMethod, genDescriptorReduce},
    {"atomic_max", asDescriptorMethod, genDescriptorReduce},
    {"atomic_min", asDescriptorMethod, genDescriptorReduce},
    {"atomic_and", asDescriptorMethod, genDescriptorReduce},
    {"atomic_or", asDescriptorMethod, genDescriptorReduce},
    {"atomic_xor", asDescriptorMethod, genDescriptorReduce},
};

} // namespace

LogicalResult checkDescriptorBlock(Generator &g, const DescriptorBlock &type, DType element,
                                   SourceRange range) {
  const llvm::SmallVector<int64_t> &block = type.shape;
  if (mlir::failed(checkDescriptorElement(g, element, range)) ||
      mlir::failed(g.checkShape(block, range)))
    return failure();
  if (block.empty() || block.size() > 5)
    return g.error(range,
                   "a tensor descriptor has 1 to 5 dimensions, got " + llvm::Twine(block.size()));
  int64_t rowBytes = block.back() * ((element.getBitWidth() + 7) / 8);
  if (rowBytes < kDescriptorAlignment)
    return g.error(range, "the last dimension of a descriptor's block must have at least " +
                              llvm::Twine(kDescriptorAlignment) + " bytes, got " +
                              llvm::Twine(block.back()) + " elements of " + element.str());
  if (type.padsWithNan && !element.isFloat())
    return g.error(range, "padding with NaN needs float elements, got " + element.str());
  return success();
}

Value makeDescriptorOfArguments(Generator &g, const SignatureType &type,
                                llvm::ArrayRef<mlir::Value> arguments) {
  DType element = type.type.getElement();
  const DescriptorBlock &block = *type.descriptor;
  size_t rank = block.shape.size();
  llvm::ArrayRef<mlir::Value> sizes = arguments.slice(1, rank),
                              strides = arguments.drop_front(1 + rank);
  auto desc = tile::DescType::get(g.getBuilder().getContext(), block.shape, g.lower(Type(element)),
                                  block.padsWithNan);
  mlir::Value handle =
      g.create<tile::MakeTensorDescriptorOp>(desc, arguments.front(), sizes, strides);
  std::vector<Value> sizeValues, strideValues;
  for (mlir::Value size : sizes)
    sizeValues.push_back(Value::runtime(size, Type(ScalarKind::Int32)));
  for (mlir::Value stride : strides)
    strideValues.push_back(Value::runtime(stride, Type(ScalarKind::Int64)));
  strideValues.push_back(Value::integer(1));
  return describe(handle, Type(element, block.shape),
                  Value::runtime(arguments.front(), Type(type.type)), std::move(sizeValues),
                  std::move(strideValues));
}

const BlockAccessValue *getBlockPointer(const Value &value) {
  const BlockAccessValue *access = value.getIf<BlockAccessValue>();
  return access && access->kind == BlockAccessValue::Kind::BlockPointer ? access : nullptr;
}

FailureOr<bool> padsWithNan(Generator &g, const BoundArg &option, DType element) {
  if (!option.given || option.value.isNone())
    return false;
  FailureOr<std::string> text = g.toString(option.value, option.range, "'padding_option'");
  if (mlir::failed(text))
    return failure();
  if (text->empty() || *text == "zero")
    return false;
  if (*text != "nan")
    return g.error(option.range, "padding option '" + *text + "' is none of 'zero', 'nan'");
  if (!element.isFloat())
    return g.error(option.range, "padding with NaN needs float elements, got " + element.str());
  return true;
}

FailureOr<BlockAddresses> expandBlockPointer(Generator &g, const BlockAccessValue &pointer,
                                             const BoundArg &boundaryCheck, SourceRange range) {
  int64_t rank = pointer.block.getRank();
  llvm::SmallVector<bool> isChecked(rank, false);
  if (boundaryCheck.given && !boundaryCheck.value.isNone()) {
    FailureOr<llvm::SmallVector<int64_t>> dims =
        g.toIntegers(boundaryCheck.value, boundaryCheck.range, "a dimension");
    if (mlir::failed(dims))
      return failure();
    for (int64_t dim : *dims) {
      if (dim < 0 || dim >= rank)
        return g.error(boundaryCheck.range, "dimension " + llvm::Twine(dim) +
                                                " is out of range for " +
                                                Value(pointer).describe());
      isChecked[dim] = true;
    }
  }
  Value offset, mask;
  auto combine = [&](ast::BinaryOp op, Value &sum, const Value &term) -> LogicalResult {
    FailureOr<Value> combined = sum.isPoison() ? term : g.binary(op, sum, term, range);
    if (mlir::succeeded(combined))
      sum = *combined;
    return combined;
  };
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = pointer.block.shape[dim];
    Type rangeType(ScalarKind::Int32, {size});
    Value ascending = g.emit<tile::MakeRangeOp>(rangeType, g.lower(rangeType), 0, size);
    FailureOr<Value> index = g.cast(ascending, ScalarKind::Int64, range);
    if (mlir::succeeded(index))
      index = g.binary(ast::BinaryOp::Add, *index, getPart(pointer, OffsetsPart)[dim], range);
    FailureOr<Value> stride = g.cast(getPart(pointer, StridesPart)[dim], ScalarKind::Int64, range);
    if (mlir::failed(index) || mlir::failed(stride))
      return failure();
    for (int64_t axis = 0; axis < rank; ++axis)
      if (axis != dim)
        index = g.expandDims(*index, axis);
    FailureOr<Value> term = g.binary(ast::BinaryOp::Mul, *index, *stride, range);
    if (mlir::failed(term) || mlir::failed(combine(ast::BinaryOp::Add, offset, *term)))
      return failure();
    if (!isChecked[dim])
      continue;
    FailureOr<Value> end = g.cast(getPart(pointer, ShapePart)[dim], ScalarKind::Int64, range);
    if (mlir::failed(end))
      return failure();
    FailureOr<Value> above = g.compare(ast::CompareOp::GtE, *index, Value::integer(0), range);
    FailureOr<Value> below = g.compare(ast::CompareOp::Lt, *index, *end, range);
    if (mlir::failed(above) || mlir::failed(below) ||
        mlir::failed(combine(ast::BinaryOp::BitAnd, mask, *below)) ||
        mlir::failed(combine(ast::BinaryOp::BitAnd, mask, *above)))
      return failure();
  }
  BlockAddresses result;
  const Value &base = (*pointer.parts->getTuple())[BasePart];
  FailureOr<Value> pointers = g.binary(ast::BinaryOp::Add, base, offset, range);
  if (mlir::failed(pointers))
    return failure();
  result.pointers = *pointers;
  if (!mask.isPoison()) {
    FailureOr<Value> whole = g.broadcastTo(mask, pointer.block.shape, range);
    if (mlir::failed(whole))
      return failure();
    result.mask = whole->getRuntime()->value;
  }
  return result;
}

llvm::ArrayRef<Handler> getBlockAccessHandlers() { return blockAccessHandlers; }

} // namespace tilec::irgen
