// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots by mma.sync. An operand is stored to a buffer, swizzled so that the fragments are read
// without bank conflicts, and read from there in the instruction's layout; a left operand that is
// computed from another product goes from register to register. What widens an operand after its
// load, and reshapes it, is done after the buffer, so that the copy to the buffer stays a copy:
//
//   dot(extf(load p), ..)  =>  store (load p), buf; mma(extf(local_load buf), ..)

#include "AccelerateDots.h"

#include "dialects/TileGPU/LayoutInference.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Operations between a load and a product that are looked through.
static constexpr unsigned kMaxSteps = 8;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

static int32_t bitsOf(Value value) {
  return std::max(8, int32_t(tile::bitWidthOf(tensorType(value).getElementType())));
}

/// Whether 8-bit floats are multiplied as f16.
static bool widensFloat8(DotOp dot) {
  bool sumsHalves = tensorType(dot.getAcc()).getElementType().isF16();
  return !processorOf(dot).has(sumsHalves ? Feature::Float8MmaHalfSums : Feature::Float8Mma);
}

std::optional<std::string> tilec::whyNotMma(DotOp dot) {
  if (!processorOf(dot).has(Feature::Mma))
    return "the target has no mma.sync of these types";
  if (tensorType(dot.getAcc()).getRank() > 3)
    return "mma.sync takes operands of rank 2 or 3";
  Type a = tensorType(dot.getLhs()).getElementType(), b = tensorType(dot.getRhs()).getElementType();
  Type acc = tensorType(dot.getAcc()).getElementType();
  if (a.isF32() && dot.getPrecision() == tile::InputPrecision::ieee)
    return "tensor cores do not multiply f32 in full precision";
  bool fits = false;
  if (isFloat8(a) && isFloat8(b))
    fits = acc.isF32() || acc.isF16();
  else if (a == b)
    fits = (a.isF16() && (acc.isF32() || acc.isF16())) ||
           ((a.isBF16() || a.isF32()) && acc.isF32()) || (a.isF64() && acc.isF64()) ||
           (a.isInteger(8) && acc.isInteger(32));
  if (!fits)
    return "mma.sync has no such combination of types";
  return std::nullopt;
}

/// Whether a product's left operand is computed, element by element, from `value`.
static bool feedsProduct(Value value, unsigned depth = 0) {
  return depth < 16 && llvm::any_of(
                           value.getUses(),
                           [&](OpOperand &use) {
                             Operation *op = use.getOwner();
                             if (auto dot = dyn_cast<DotOp>(op))
                               return &use == &dot.getLhsMutable();
                             bool passesOn =
                                 isa<ConvertLayoutOp>(op) || op->hasTrait<OpTrait::Elementwise>();
                             return passesOn && op->getNumResults() == 1 &&
                                    feedsProduct(op->getResult(0), depth + 1);
                           });
}

/// A number that all elements of a tensor have.
static SplatElementsAttr splatOf(Value value) {
  SplatElementsAttr splat;
  matchPattern(value, m_Constant(&splat));
  return splat;
}

/// A tensor with the same number everywhere.
static Value splatLike(OpBuilder &builder, Location loc, RankedTensorType type,
                       SplatElementsAttr number) {
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, number.getSplatValue<Attribute>()));
}

/// The operand that an elementwise operation computes its result from; null if it takes more than
/// one and numbers.
static OpOperand *onlyOperand(Operation *op) {
  if (!op || !op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 || !isPure(op))
    return nullptr;
  OpOperand *only = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return nullptr;
    if (splatOf(operand.get()))
      continue;
    if (only)
      return nullptr;
    only = &operand;
  }
  return only;
}

/// The same operation, elementwise or a view, on another tensor, in its layout.
static Value repeatOn(OpBuilder &builder, Operation *op, Value value) {
  auto like = tensorType(value);
  auto typeOf = [&](Value old) { return like.clone(tensorType(old).getElementType()); };
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    SplatElementsAttr splat = splatOf(operand);
    mapping.map(operand, splat ? splatLike(builder, op->getLoc(), typeOf(operand), splat) : value);
  }
  Operation *clone = builder.clone(*op, mapping);
  Value result = clone->getResult(0);
  result.setType(isShapeOp(op)
                     ? withLayout(tensorType(result), inferResultLayout(op, layoutOf(like)))
                     : typeOf(result));
  return result;
}

/// What `value` is a reshape of, behind permutes and further reshapes; `views` gets all of them,
/// the last one first. `value` itself where nothing reshapes it.
static Value shapedSource(Value value, SmallVectorImpl<Operation *> &views) {
  Value source = value;
  SmallVector<Operation *> passed;
  for (Operation *op = value.getDefiningOp();
       isa_and_nonnull<ConvertLayoutOp, tile::PermuteOp, tile::ReshapeOp>(op);
       op = op->getOperand(0).getDefiningOp()) {
    if (!isa<ConvertLayoutOp>(op))
      passed.push_back(op);
    if (isa<tile::ReshapeOp>(op)) {
      source = op->getOperand(0);
      views.assign(passed);
    }
  }
  return source;
}

namespace {
/// An operand: what is stored, and what makes the operand of it.
struct Operand {
  explicit Operand(Value value) : stored(value) {
    SmallVector<Operation *> chain;
    Value source = value;
    while (chain.size() < kMaxSteps) {
      OpOperand *next = onlyOperand(source.getDefiningOp());
      if (!next)
        break;
      chain.push_back(source.getDefiningOp());
      source = next->get();
      // Less to store, and a load that may be a copy.
      if (bitsOf(source) < bitsOf(stored) &&
          tile::bitWidthOf(tensorType(source).getElementType()) >= 8) {
        stored = source;
        steps.assign(chain.rbegin(), chain.rend());
      }
    }
    // Others may share it where it is the same.
    for (;;) {
      OpOperand *next = steps.empty() ? nullptr : onlyOperand(stored.getDefiningOp());
      if (!next || bitsOf(next->get()) != bitsOf(stored) || steps.size() >= kMaxSteps)
        break;
      steps.insert(steps.begin(), stored.getDefiningOp());
      stored = next->get();
    }
  }

  /// Whether each warp that reads the operand has to widen it.
  bool isWidened() const { return !steps.empty(); }

  /// Stores what is widened in the shape in which it is loaded.
  void storeAsLoaded() {
    SmallVector<Operation *> views;
    if (!isWidened())
      return;
    stored = shapedSource(stored, views);
    steps.insert(steps.begin(), views.rbegin(), views.rend());
  }

  /// The layout of what is stored that gives the operand `layout`.
  LinearLayout layoutStored(LinearLayout layout) const {
    for (Operation *step : llvm::reverse(steps))
      if (isShapeOp(step))
        layout = inferOperandLayout(step, layout, tensorType(step->getOperand(0)).getShape());
    return layout;
  }

  Value stored;
  SmallVector<Operation *> steps;
};

class MmaBuilder {
public:
  explicit MmaBuilder(DotOp product)
      : dot(product), builder(product), loc(product.getLoc()),
        operands{Operand(dot.getLhs()), Operand(dot.getRhs())} {
    for (Operand &operand : operands)
      operand.storeAsLoaded();
    bool isChained = comesFromProduct(dot.getLhs()) || feedsProduct(dot.getResult());
    auto type = cast<RankedTensorType>(dot.getType());
    warps = chooseMmaWarps(type.getShape(), numWarpsOf(dot), isChained);
    if (operands[0].isWidened() && !operands[1].isWidened() && !isChained)
      spreadOverRows(type);
    inRegisters = comesFromProduct(dot.getLhs());
    int32_t narrowest = bitsOf(operands[1].stored);
    narrowest =
        std::min(narrowest, inRegisters ? bitsOf(dot.getLhs()) : bitsOf(operands[0].stored));
    packed = std::max(1, 32 / narrowest);
    unsigned rank = type.getRank();
    pairsRows = !inRegisters && readsPairs(0, rank - 2);
    pairsColumns = readsPairs(1, rank - 1);
    LinearLayout layout = mmaAccumulatorLayout(type.getShape(), warps);
    if (pairsRows)
      layout = pairRows(layout);
    if (pairsColumns)
      layout = pairColumns(layout);
    computed = withLayout(type, layout);
  }

  void run() {
    Value lhs = inRegisters ? convert(0) : read(0);
    Value rhs = read(1);
    Value acc = builder.createOrFold<ConvertLayoutOp>(loc, computed, dot.getAcc());
    bool splits = tensorType(lhs).getElementType().isF32() &&
                  dot.getPrecision() == tile::InputPrecision::tf32x3;
    Value result =
        MmaOp::create(builder, loc, computed, lhs, rhs, acc, dot.getIsUnsigned(), splits);
    Type type = dot.getType();
    dot.replaceAllUsesWith(builder.createOrFold<ConvertLayoutOp>(loc, type, result));
    dot.erase();
  }

private:
  /// What is widened costs more than what is only read, so no two warps have the same rows if there
  /// are enough.
  void spreadOverRows(RankedTensorType type) {
    unsigned rank = type.getRank();
    int32_t perBatch = warps[rank - 2] * warps[rank - 1];
    int32_t rows = int32_t(std::clamp<int64_t>(type.getDimSize(rank - 2) / 16, 1, perBatch));
    warps[rank - 2] = rows;
    warps[rank - 1] = perBatch / rows;
  }

  LinearLayout fragments(unsigned operand) {
    RankedTensorType type = tensorType(dot->getOperand(operand));
    LinearLayout layout = mmaOperandLayout(type.getShape(), operand, packed, warps);
    if (operand == 0)
      return pairsRows ? pairRows(layout) : layout;
    return pairsColumns ? pairColumns(layout) : layout;
  }

  /// Rows have two registers of an instruction 8 apart; columns have warps before registers.
  LinearLayout pairRows(const LinearLayout &layout) const {
    return pairNeighbours(layout, warps.size() - 2, 8);
  }
  LinearLayout pairColumns(const LinearLayout &layout) const {
    return pairNeighbours(layout, warps.size() - 1, 8 * warps.back());
  }

  /// Whether memory has the operand's 8-bit elements along `dim`, its rows or columns, so that two
  /// neighbours are read as one unit.
  bool readsPairs(unsigned number, unsigned dim) const {
    Value stored = operands[number].stored;
    if (tensorType(stored).getShape() != tensorType(dot->getOperand(number)).getShape())
      return false;
    int64_t ofWarp = tensorType(stored).getDimSize(dim) / warps[dim];
    int64_t depth = tensorType(stored).getDimSize(2 * tensorType(stored).getRank() - 3 - dim);
    return bitsOf(stored) == 8 && contiguousDimOf(stored) == dim && ofWarp >= 16 && depth >= 16;
  }

  Value convert(unsigned operand) {
    Value value = dot->getOperand(operand);
    RankedTensorType type = withLayout(tensorType(value), fragments(operand));
    return widen(builder.createOrFold<ConvertLayoutOp>(loc, type, value));
  }

  /// The operand by way of shared memory.
  Value read(unsigned number) {
    Operand &operand = operands[number];
    RankedTensorType stored = tensorType(operand.stored);
    LinearLayout layout = operand.layoutStored(fragments(number));
    // Words of 32 bits would be read from there with bank conflicts.
    std::optional<LinearLayout> memory;
    if (bitsOf(operand.stored) < 32)
      memory = tensorCopyLayout(operand.stored);
    if (!memory)
      memory = mmaSharedLayout(stored.getShape(), bitsOf(operand.stored),
                               contiguousDimOf(operand.stored), layout);
    auto bufferType =
        MemDescType::get(builder.getContext(), stored.getShape(), stored.getElementType(),
                         LinearAttr::get(builder.getContext(), *memory));
    Value value = load(operand.stored, bufferType, withLayout(stored, layout));
    for (Operation *step : operand.steps)
      value = repeatOn(builder, step, value);
    return widen(value);
  }

  /// Stores a tensor to a buffer and loads it in a layout, unless that was done for another
  /// product.
  Value load(Value stored, MemDescType bufferType, RankedTensorType type) {
    for (Operation *user : stored.getUsers()) {
      auto store = dyn_cast<LocalStoreOp>(user);
      if (!store || store.getBuffer().getType() != bufferType ||
          store->getBlock() != dot->getBlock())
        continue;
      for (Operation *reader : store.getBuffer().getUsers())
        if (isa<LocalLoadOp>(reader) && reader->getResult(0).getType() == type &&
            reader->getBlock() == dot->getBlock() && reader->isBeforeInBlock(dot))
          return reader->getResult(0);
    }
    Value buffer;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(outsideOfLoops(dot, stored));
      buffer = LocalAllocOp::create(builder, loc, bufferType, IntegerAttr());
      LocalStoreOp::create(builder, loc, stored, buffer);
    }
    return LocalLoadOp::create(builder, loc, type, buffer);
  }

  Value widen(Value value) {
    RankedTensorType type = tensorType(value);
    if (!isFloat8(type.getElementType()) || !widensFloat8(dot))
      return value;
    return tile::FpToFpOp::create(builder, loc, type.clone(builder.getF16Type()), value);
  }

  DotOp dot;
  OpBuilder builder;
  Location loc;
  Operand operands[2];
  std::vector<int32_t> warps;
  bool inRegisters = false;
  bool pairsRows = false, pairsColumns = false;
  /// Elements of an operand that are neighbours along K in a thread.
  int32_t packed = 1;
  RankedTensorType computed;
};
} // namespace

/// `source` in the order of `permute`, of which there is only one.
static Value permuted(OpBuilder &builder, tile::PermuteOp permute, Value source) {
  auto type = tensorType(permute).clone(tensorType(source).getElementType());
  auto inner = source.getDefiningOp<tile::PermuteOp>();
  if (inner && type.getRank() == 2 && inner.getSource().getType() == type &&
      inner.getOrder() == permute.getOrder())
    return inner.getSource();
  for (Operation *user : source.getUsers()) {
    auto other = dyn_cast<tile::PermuteOp>(user);
    if (other && other.getType() == type && other.getOrder() == permute.getOrder() &&
        other->getBlock() == permute->getBlock() && other->isBeforeInBlock(permute))
      return other;
  }
  return tile::PermuteOp::create(builder, permute.getLoc(), type, source, permute.getOrderAttr());
}

void tilec::widenLast(DotOp dot) {
  for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
    auto permute = operand->get().getDefiningOp<tile::PermuteOp>();
    if (!permute)
      continue;
    Operand before(permute.getSource());
    if (!before.isWidened())
      continue;
    OpBuilder builder(permute);
    Value value = permuted(builder, permute, before.stored);
    for (Operation *step : before.steps)
      value = repeatOn(builder, step, value);
    operand->set(value);
  }
}

Value tilec::widenBehindBuffer(OpBuilder &builder, Location loc, Value tensor) {
  Operand operand(tensor);
  auto type = tensorType(operand.stored);
  Operation *place = &*builder.getInsertionPoint();
  if (!operand.isWidened() || type.getRank() != 2 || comesFromProduct(tensor) ||
      outsideOfLoops(place, tensor) != place)
    return tensor;
  // Each thread has a vector of 16 bytes of the wide tensor, so that both buffers are accessed in
  // vectors.
  unsigned contiguous = contiguousDimOf(operand.stored);
  int32_t sizePerThread[] = {1, 1};
  sizePerThread[contiguous] =
      int32_t(std::min<int64_t>(128 / bitsOf(tensor), type.getDimSize(contiguous)));
  int32_t order[] = {int32_t(contiguous), int32_t(1 - contiguous)};
  LinearLayout spread = spreadBlockedLayout(type.getShape(), sizePerThread, order,
                                            numWarpsOf(builder.getInsertionBlock()->getParentOp()));
  LinearLayout memory =
      mmaSharedLayout(type.getShape(), bitsOf(operand.stored), contiguous, spread);
  auto bufferType = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                     LinearAttr::get(builder.getContext(), memory));
  auto buffer = LocalAllocOp::create(builder, loc, bufferType, IntegerAttr());
  LocalStoreOp::create(builder, loc, operand.stored, buffer);
  Value value = LocalLoadOp::create(builder, loc, withLayout(type, spread), buffer);
  for (Operation *step : operand.steps)
    value = repeatOn(builder, step, value);
  return value;
}

bool tilec::widensSmallProduct(DotOp dot) {
  return tensorType(dot.getAcc()).getDimSize(0) <= 64 && Operand(dot.getRhs()).isWidened() &&
         !Operand(dot.getLhs()).isWidened();
}

/// The transposes of matrices, or what they are the transposes of.
static Value transposed(OpBuilder &builder, Location loc, Value matrix) {
  auto type = tensorType(matrix);
  auto order = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(type.getRank())));
  std::swap(order[type.getRank() - 2], order[type.getRank() - 1]);
  auto permute = matrix.getDefiningOp<tile::PermuteOp>();
  if (permute && permute.getOrder() == ArrayRef(order))
    return permute.getSource();
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(type.getDimSize(dim));
  auto layout = LinearAttr::get(builder.getContext(), permuteLayout(layoutOf(type), order));
  return tile::PermuteOp::create(builder, loc,
                                 RankedTensorType::get(shape, type.getElementType(), layout),
                                 matrix, builder.getDenseI32ArrayAttr(order));
}

/// The transpose of the product of the transposes.
static DotOp swapOperands(DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  Value lhs = transposed(builder, loc, dot.getRhs()), rhs = transposed(builder, loc, dot.getLhs());
  Value acc = transposed(builder, loc, dot.getAcc());
  auto swapped = cast<DotOp>(builder.clone(*dot));
  swapped->setOperands({lhs, rhs, acc});
  swapped.getResult().setType(cast<RankedTensorType>(acc.getType()));
  Value result = transposed(builder, loc, swapped.getResult());
  dot.replaceAllUsesWith(result);
  dot.erase();
  widenLast(swapped);
  return swapped;
}

void tilec::replaceByMma(DotOp dot) {
  // The left operand is put together from single registers, so what is widened there costs no
  // moves: its words need not be neighbours, and those of the other operand are as they are loaded.
  Operand lhs(dot.getLhs()), rhs(dot.getRhs());
  if (rhs.isWidened() && !lhs.isWidened() && bitsOf(dot.getRhs()) == 16 &&
      !comesFromProduct(dot.getLhs()))
    dot = swapOperands(dot);
  MmaBuilder(dot).run();
}
