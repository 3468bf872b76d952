// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots of warpgroups (wgmma). A dot is cut into instructions of 64 rows, up to 256 columns and
// 32 bytes of depth; a warpgroup's part of an operand in shared memory begins where the buffer's
// layout puts its first element, which gives the descriptor's address.
//
// Nothing may touch the registers of a product in flight. Those of f16 accumulators hold two
// elements each, and taking them apart would: such a product is waited for at once.
//
// An operand that the threads read from its buffer is read in groups of steps along K: a group's
// registers are loaded, and widened where they are bytes, while the group before is in flight.
// Bytes are loaded while the group before that one is still in flight as well.
//
// A product that says how much the tensor core may sum by itself is cut along K: each part begins
// with a fresh accumulator, is waited for, and is added to the sum with f32 additions.

#include "BufferAccess.h"
#include "InstructionType.h"
#include "ThreadPattern.h"

#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Layout/WgmmaLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kInstrRows = 64, kInstrDepthBytes = 32;

static unsigned bitsOf(Type element) { return std::max(8u, tile::bitWidthOf(element)); }

namespace {
/// One operand in shared memory: gives the descriptor of an instruction's part of it.
class DescriptorMaker {
public:
  DescriptorMaker(OpBuilder &builder, WgmmaOp op, unsigned operand, Value address,
                  const ThreadLowering &lowering, WgmmaOperandForm operandForm)
      : form(operandForm), buffer(cast<MemDescType>(op->getOperand(operand).getType())),
        bytes(bitsOf(buffer.getElementType()) / 8),
        offsets(buffer.getLayout()
                    .getLayout()
                    .sublayout({kOffset}, {StringRef("dim0"), StringRef("dim1")})
                    .pseudoinvert()),
        freeDim(operand == 0 ? 0 : 1) {
    Location loc = op.getLoc();
    // Where the warpgroup's rows or columns begin: the accumulator's warp bits from the third on.
    const LinearLayout &product = layoutOf(cast<RankedTensorType>(op.getType()));
    SmallVector<uint64_t> bases;
    for (int32_t bit = 0; bit < product.getInDimSizeLog2(kWarp); ++bit) {
      int32_t coordinate = bit < 2 ? 0 : product.getBasis(kWarp, bit, dimName(freeDim));
      bases.push_back(offsetBytes(coordinate, 0));
    }
    Value start = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), address);
    LinearIndex index;
    // What the instruction wants is a uniform register. ptxas moves a shuffle of the offset out of
    // a loop, but not out of one inside another. There the warp's number is made uniform, once; in
    // other kernels that number would be one more value to keep, and some would spill.
    bool isUniform = lowering.nestedProducts.contains(op);
    const ThreadPosition &position = lowering.position;
    addLinear(builder, loc, isUniform ? position.uniformWarp(op) : position.warp(op), bases, 1,
              index);
    if (index.base) {
      Value uniform = isUniform ? index.base
                                : emitShuffle(builder, loc, index.base,
                                              constantI32(builder, loc, 0), NVVM::ShflKind::idx);
      start = arith::AddIOp::create(builder, loc, start, uniform);
    }
    start = arith::AndIOp::create(builder, loc, start, constantI32(builder, loc, 0x3FFFF));
    start = arith::ShRUIOp::create(builder, loc, start, constantI32(builder, loc, 4));
    base = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), start);
    Value fields = arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(int64_t(form.descriptorFields())));
    base = arith::OrIOp::create(builder, loc, base, fields);
  }

  /// The descriptor of the part that begins at (`first`, `depth`) of the warpgroup's part.
  Value at(OpBuilder &builder, Location loc, int64_t first, int64_t depth) const {
    int64_t units = int64_t(offsetBytes(first, depth)) >> 4;
    if (units == 0)
      return base;
    Value step = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(units));
    return arith::AddIOp::create(builder, loc, base, step);
  }

  bool isTransposed() const { return form.contiguousDim == freeDim; }

private:
  uint64_t offsetBytes(int64_t first, int64_t depth) const {
    std::pair<StringRef, int32_t> coords[2] = {{"dim0", int32_t(freeDim == 0 ? first : depth)},
                                               {"dim1", int32_t(freeDim == 0 ? depth : first)}};
    return offsets.applyToFlat(coords) * bytes;
  }

  WgmmaOperandForm form;
  MemDescType buffer;
  unsigned bytes;
  LinearLayout offsets;
  unsigned freeDim;
  Value base;
};

/// An operand in a buffer that the threads read to the registers of the instruction's A.
class FragmentReader {
public:
  FragmentReader(OpBuilder &builder, WgmmaOp op, unsigned operand, Value address,
                 const ThreadLowering &lowering, const WgmmaProductForm &form)
      : buffer(cast<MemDescType>(op->getOperand(operand).getType())), base(address),
        multiplied(op.getMultipliedType(operand).getElementType()), isUnsigned(op.getIsUnsigned()),
        rowsFirst(wgmmaFragmentLayout(shapeOf(buffer, operand), bitsOf(multiplied), form)),
        access(builder, op, lowering, tensorType(operand), buffer) {}

  /// Rows along the first dimension, K along the second.
  const LinearLayout &layout() const { return rowsFirst; }

  /// Elements along K.
  int64_t depth() const { return rowsFirst.getOutDimSize(dimName(1)); }
  /// Whether what is loaded are not the registers of the instruction yet.
  bool widens() const { return multiplied != buffer.getElementType(); }

  /// Loads the registers of `depth` elements along K from `begin` on; the others are null.
  SmallVector<Value> load(OpBuilder &builder, Location loc, int64_t begin, int64_t depth) const {
    SmallVector<Value> registers(rowsFirst.getInDimSize(kRegister));
    auto isInGroup = [&](int64_t r) {
      int64_t k = rowsFirst.apply({{kRegister, int32_t(r)}})[1].second;
      return k >= begin && k < begin + depth;
    };
    access.load(builder, loc, base, isInGroup, registers);
    return registers;
  }

  /// Makes what was loaded floats, in pairs that are words.
  void widen(OpBuilder &builder, Location loc, MutableArrayRef<Value> registers) const {
    for (size_t r = 0; r < registers.size(); r += 2)
      if (registers[r])
        llvm::copy(emitBytesToFloats(builder, loc, {registers[r], registers[r + 1]},
                                     {cast<FloatType>(multiplied), isUnsigned}),
                   &registers[r]);
  }

private:
  static SmallVector<int64_t> shapeOf(MemDescType buffer, unsigned operand) {
    return {buffer.getShape()[operand], buffer.getShape()[1 - operand]};
  }
  RankedTensorType tensorType(unsigned operand) const {
    LinearLayout asBuffer = operand == 1 ? permuteLayout(rowsFirst, {1, 0}) : rowsFirst;
    auto type = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
    return withLayout(type, asBuffer);
  }

  MemDescType buffer;
  Value base;
  Type multiplied;
  bool isUnsigned;
  LinearLayout rowsFirst;
  BufferAccess access;
};

/// Registers of a tensor by where they are: of one instruction's tile, in the order that the
/// instruction has them.
SmallVector<int64_t> registersInTile(const LinearLayout &layout, int64_t row, int64_t rows,
                                     int64_t column, int64_t columns) {
  SmallVector<int64_t> result;
  for (int64_t r = 0, e = layout.getInDimSize(kRegister); r < e; ++r) {
    auto coords = layout.apply({{kRegister, int32_t(r)}});
    int64_t y = coords[0].second, x = coords[1].second;
    if (y >= row && y < row + rows && x >= column && x < column + columns)
      result.push_back(r);
  }
  return result;
}

/// Packs neighbours into 32-bit words; 32-bit values stay.
SmallVector<Value> packTile(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  unsigned bits = values.front().getType().getIntOrFloatBitWidth();
  if (bits == 32)
    return llvm::to_vector(values);
  SmallVector<Value> words;
  for (size_t i = 0; i < values.size(); i += 32 / bits)
    words.push_back(packWord(builder, loc, values.slice(i, 32 / bits)));
  return words;
}

/// The elements that one instruction makes in a warpgroup, and their registers.
struct InstructionTile {
  int64_t row, column;
  SmallVector<int64_t> registers;
  SmallVector<Value> words;
};

/// Where the instructions' tiles of a warpgroup begin along a dimension.
SmallVector<int64_t> startsOf(const LinearLayout &product, unsigned dim, int64_t step) {
  SmallVector<int64_t> starts;
  int64_t others = 0;
  for (int32_t bit = 2; bit < product.getInDimSizeLog2(kWarp); ++bit)
    others |= product.getBasis(kWarp, bit, dimName(dim));
  for (int64_t start = 0; start < product.getOutDimSize(dimName(dim)); start += step)
    if (!(start & others))
      starts.push_back(start);
  return starts;
}

void waitForTiles(OpBuilder &builder, Location loc, MutableArrayRef<InstructionTile> tiles) {
  SmallVector<Value> words;
  for (const InstructionTile &tile : tiles)
    llvm::append_range(words, tile.words);
  auto wait = ThreadWgmmaWaitOp::create(builder, loc, ValueRange(words).getTypes(), 0, words);
  ValueRange results = wait.getResults();
  for (InstructionTile &tile : tiles) {
    llvm::copy(results.take_front(tile.words.size()), tile.words.begin());
    results = results.drop_front(tile.words.size());
  }
}

/// Waits for a part of the product and adds it to `values`, or puts it there. What it is added to
/// may come from another product in flight, and has landed then as well.
void addPart(OpBuilder &builder, Location loc, MutableArrayRef<InstructionTile> tiles,
             SmallVectorImpl<Value> &values, bool replaces) {
  SmallVector<int64_t> registers;
  SmallVector<Value> parts, sums;
  for (const InstructionTile &tile : tiles) {
    llvm::append_range(registers, tile.registers);
    llvm::append_range(parts, tile.words);
  }
  for (int64_t r : registers)
    if (!replaces)
      sums.push_back(values[r]);
  SmallVector<Value> all(parts);
  llvm::append_range(all, sums);
  auto wait = ThreadWgmmaWaitOp::create(builder, loc, ValueRange(all).getTypes(), 0, all);
  for (auto [i, r] : llvm::enumerate(registers)) {
    Value part = wait.getResult(i);
    values[r] =
        replaces ? part
                 : arith::AddFOp::create(builder, loc, wait.getResult(registers.size() + i), part)
                       .getResult();
  }
}

void unpackTile(OpBuilder &builder, Location loc, ArrayRef<Value> words, Type scalar,
                ArrayRef<int64_t> registers, SmallVectorImpl<Value> &values) {
  unsigned perWord = 32 / scalar.getIntOrFloatBitWidth();
  for (auto [i, word] : llvm::enumerate(words)) {
    if (perWord == 1) {
      values[registers[i]] = word;
      continue;
    }
    SmallVector<Value> parts = unpackWord(builder, loc, word, scalar, perWord);
    for (unsigned j = 0; j < perWord; ++j)
      values[registers[i * perWord + j]] = parts[j];
  }
}

/// What the instructions read and make, as far as the layouts say it.
struct WgmmaForms {
  /// Of an A that is read by descriptors.
  std::optional<WgmmaOperandForm> lhs;
  WgmmaOperandForm rhs;
  WgmmaProductForm product;
};

FailureOr<WgmmaForms> matchForms(WgmmaOp op, unsigned left, unsigned bits) {
  auto formOf = [&](unsigned operand) {
    auto buffer = cast<MemDescType>(op->getOperand(operand).getType());
    return matchWgmmaOperand(buffer.getLayout().getLayout(), bits, operand);
  };
  bool hasDescriptor =
      isa<MemDescType>(op->getOperand(left).getType()) && !op.getFragmentsOf().has_value();
  std::optional<WgmmaOperandForm> rhs = formOf(1 - left), lhs;
  if (hasDescriptor)
    lhs = formOf(left);
  if (!rhs || (hasDescriptor && !lhs))
    return op.emitError("expected operands in layouts that wgmma reads");
  std::optional<WgmmaProductForm> product = matchWgmmaProduct(op.getProductLayout());
  if (!product)
    return op.emitError("expected an accumulator in a layout of wgmma");
  if (product->alternates && rhs->contiguousDim == 1 - left)
    return op.emitError(
        "expected K contiguous in the operand whose columns warpgroups have in turn");
  return WgmmaForms{lhs, *rhs, *product};
}

/// The instructions' A: parts of a buffer by their descriptors, or registers, which are those of a
/// tensor or are read from a buffer.
class LeftOperand {
public:
  LeftOperand(OpBuilder &opBuilder, WgmmaOp op, unsigned operand, ValueRange values,
              const ThreadLowering &lowering, const WgmmaForms &forms)
      : builder(opBuilder), loc(op.getLoc()), given(values), numGroups(op.numGroups()) {
    if (forms.lhs) {
      descriptors.emplace(builder, op, operand, given.front(), lowering, *forms.lhs);
    } else if (op.getFragmentsOf()) {
      fragments.emplace(builder, op, operand, given.front(), lowering, forms.product);
      layout = fragments->layout();
    } else {
      layout = layoutOf(cast<RankedTensorType>(op.getLhs().getType()));
    }
  }

  bool isInRegisters() const { return !descriptors; }
  bool isTransposed() const { return descriptors && descriptors->isTransposed(); }

  /// Makes the registers ready that the instructions of a group of steps read.
  void prepare(ArrayRef<InstructionTile> tiles, int64_t begin, int64_t depth, int64_t step) {
    words.clear();
    if (descriptors)
      return;
    SmallVector<Value> registers(given);
    if (fragments)
      registers = read(begin, depth);
    for (const InstructionTile &tile : tiles)
      for (int64_t k = begin; k < begin + depth; k += step) {
        SmallVector<Value> &packed = words[{tile.row, k}];
        if (!packed.empty())
          continue;
        SmallVector<Value> part;
        for (int64_t r : registersInTile(layout, tile.row, kInstrRows, k, step))
          part.push_back(registers[r]);
        packed = packTile(builder, loc, part);
      }
  }

  /// One of the two is empty.
  Value descriptorAt(int64_t row, int64_t k) const {
    return descriptors ? descriptors->at(builder, loc, row, k) : Value();
  }
  ArrayRef<Value> registersAt(int64_t row, int64_t k) const {
    auto known = words.find({row, k});
    return known == words.end() ? ArrayRef<Value>() : ArrayRef<Value>(known->second);
  }

private:
  /// Loads fragments to registers that no group in flight reads: only the group before this one may
  /// be. A single group has the registers that it had in the iteration before. Bytes have registers
  /// of their own until they are widened: those of the next group are loaded in front of that.
  SmallVector<Value> read(int64_t begin, int64_t depth) {
    auto wait = [&] {
      ThreadWgmmaWaitOp::create(builder, loc, TypeRange(), numGroups > 1 ? 1 : 0, ValueRange());
    };
    if (!fragments->widens()) {
      wait();
      return fragments->load(builder, loc, begin, depth);
    }
    if (ahead.empty())
      ahead = fragments->load(builder, loc, begin, depth);
    SmallVector<Value> registers = std::move(ahead);
    ahead.clear();
    if (begin + depth < fragments->depth())
      ahead = fragments->load(builder, loc, begin + depth, depth);
    wait();
    fragments->widen(builder, loc, registers);
    return registers;
  }

  OpBuilder &builder;
  Location loc;
  ValueRange given;
  int64_t numGroups;
  /// The bytes of the next group.
  SmallVector<Value> ahead;
  std::optional<DescriptorMaker> descriptors;
  std::optional<FragmentReader> fragments;
  LinearLayout layout;
  DenseMap<std::pair<int64_t, int64_t>, SmallVector<Value>> words;
};

/// The instructions of one dot, tile by tile and step by step along K.
class DotEmitter {
public:
  DotEmitter(OpBuilder &opBuilder, WgmmaOp wgmma, const WgmmaForms &forms, unsigned left,
             ArrayRef<ValueRange> operands, ValueRange acc, const ThreadLowering &lowering)
      : builder(opBuilder), op(wgmma), loc(wgmma.getLoc()), columns(forms.product.columns),
        tileColumns(columns * groupsOf(forms.product)),
        rhs(builder, op, 1 - left, operands[1 - left].front(), lowering, ofGroup(forms)),
        lhs(builder, op, left, operands[left], lowering, forms), values(acc) {
    Type element = op.getMultipliedType(left).getElementType();
    auto rhsBuffer = cast<MemDescType>(op->getOperand(1 - left).getType());
    typeA = instructionType(element, op.getIsUnsigned());
    typeB = instructionType(rhsBuffer.getElementType(), op.getIsUnsigned());
    step = kInstrDepthBytes * 8 / bitsOf(element);
    depth = op.numSteps() * step;
    groupDepth = op.stepsOfGroup() * step;
    partDepth = op.stepsOfPart() * step;
    // From zero: the first instruction of every tile does not read the accumulator.
    takeWantedColumns(groupsOf(forms.product));
    fromZero = tile::isZero(op.getAcc());
    isCut = op.isCut() && !(fromZero && partDepth == depth);
  }

  /// The registers of the product.
  SmallVector<Value> run() {
    makeTiles();
    for (int64_t begin = 0; begin < depth; begin += groupDepth)
      emitGroup(begin);
    if (isCut)
      return values;
    Type scalar = values.front().getType();
    if (scalar.getIntOrFloatBitWidth() < 32)
      waitForTiles(builder, loc, tiles);
    for (const InstructionTile &tile : tiles)
      unpackTile(builder, loc, tile.words, scalar, tile.registers, values);
    return values;
  }

private:
  /// Warpgroups that have the columns of a tile by turns.
  static int64_t groupsOf(const WgmmaProductForm &product) {
    return product.alternates ? product.columnGroups : 1;
  }

  /// A warpgroup's core matrices of the right operand are that far apart.
  static WgmmaOperandForm ofGroup(const WgmmaForms &forms) {
    WgmmaOperandForm form = forms.rhs;
    form.strideBytes *= groupsOf(forms.product);
    return form;
  }

  /// Instructions that make all columns of a warpgroup need not make those that nobody wants.
  void takeWantedColumns(int64_t groups) {
    wantedColumns = op.getProductLayout().getOutDimSize(dimName(1));
    auto wanted = op->getAttrOfType<IntegerAttr>(tile::TileDialect::kColumnsAttr);
    if (!wanted)
      return;
    wantedColumns = wanted.getInt();
    columns = wantedColumns / groups / wgmmasOfColumns(wantedColumns / groups);
    tileColumns = columns * groups;
  }

  /// All registers that a group's instructions read are ready at its fence.
  void makeTiles() {
    LinearLayout product = op.getProductLayout();
    for (int64_t row : startsOf(product, 0, kInstrRows))
      for (int64_t column : startsOf(product, 1, tileColumns))
        if (column < wantedColumns)
          tiles.push_back({row, column, {}, {}});
    for (InstructionTile &tile : tiles) {
      tile.registers = registersInTile(product, tile.row, kInstrRows, tile.column, tileColumns);
      SmallVector<Value> scalars;
      for (int64_t r : tile.registers)
        scalars.push_back(values[r]);
      tile.words = packTile(builder, loc, scalars);
    }
  }

  bool isFresh(int64_t k) const { return isCut ? k % partDepth == 0 : fromZero && k == 0; }

  void emitGroup(int64_t begin) {
    lhs.prepare(tiles, begin, groupDepth, step);
    // A part's sums are registers beside the accumulator: of one tile at a time, where its
    // operands wait in shared memory.
    size_t batch = isCut && !lhs.isInRegisters() ? 1 : tiles.size();
    int64_t end = begin + groupDepth;
    for (size_t first = 0; first < tiles.size(); first += batch) {
      auto some = MutableArrayRef(tiles).slice(first, batch);
      NVVM::WgmmaFenceAlignedOp::create(builder, loc);
      for (InstructionTile &tile : some) {
        if (isFresh(begin))
          for (Value &word : tile.words)
            word = LLVM::UndefOp::create(builder, loc, word.getType());
        for (int64_t k = begin; k < end; k += step)
          emitStep(tile, k);
      }
      NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
      if (isCut && end % partDepth == 0)
        addPart(builder, loc, some, values, /*replaces=*/fromZero && end == partDepth);
    }
  }

  void emitStep(InstructionTile &tile, int64_t k) {
    Value a = lhs.descriptorAt(tile.row, k);
    Value b = rhs.at(builder, loc, tile.column, k);
    Value accumulate;
    if (isFresh(k))
      accumulate = arith::ConstantIntOp::create(builder, loc, 0, 1);
    auto made = ThreadWgmmaOp::create(
        builder, loc, ValueRange(tile.words).getTypes(), a, lhs.registersAt(tile.row, k), b,
        tile.words, accumulate, uint32_t(columns), typeA, typeB,
        cast<RankedTensorType>(op.getType()).getElementType(),
        /*m_major=*/lhs.isTransposed(), /*n_major=*/rhs.isTransposed(),
        /*negate_a=*/false, /*negate_b=*/false, /*saturate=*/false);
    tile.words = llvm::to_vector_of<Value>(made.getD());
  }

  OpBuilder &builder;
  WgmmaOp op;
  Location loc;
  /// Columns of an instruction, of a tile, and of the dot those that are wanted.
  int64_t columns, tileColumns, wantedColumns = 0;
  DescriptorMaker rhs;
  LeftOperand lhs;
  SmallVector<Value> values;
  Type typeA, typeB;
  /// Extents along K: of an instruction, the dot, a group and a part.
  int64_t step, depth, groupDepth, partDepth;
  bool fromZero, isCut;
  SmallVector<InstructionTile> tiles;
};

struct Wgmma : ThreadPattern<WgmmaOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(WgmmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The operand that is the instruction's A.
    unsigned left = op.isTransposed() ? 1 : 0;
    unsigned bits = bitsOf(op.getMultipliedType(left).getElementType());
    FailureOr<WgmmaForms> forms = matchForms(op, left, bits);
    if (failed(forms))
      return failure();
    DotEmitter emitter(rewriter, op, *forms, left, {adaptor.getLhs(), adaptor.getRhs()},
                       adaptor.getAcc(), lowering);
    rewriter.replaceOpWithMultiple(op, {emitter.run()});
    return success();
  }
};

struct WgmmaWait : ThreadPattern<WgmmaWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(WgmmaWaitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Elements smaller than a register were waited for with their product.
    auto isWaitedFor = [](ValueRange range) {
      return range.front().getType().getIntOrFloatBitWidth() < 32;
    };
    SmallVector<Value> flat;
    for (ValueRange range : adaptor.getValues())
      if (!isWaitedFor(range))
        llvm::append_range(flat, range);
    auto wait = ThreadWgmmaWaitOp::create(rewriter, op.getLoc(), ValueRange(flat).getTypes(),
                                          op.getPending(), flat);
    SmallVector<SmallVector<Value>> results;
    ValueRange landed = wait.getResults();
    for (ValueRange range : adaptor.getValues()) {
      if (isWaitedFor(range)) {
        results.emplace_back(range.begin(), range.end());
        continue;
      }
      ValueRange part = landed.take_front(range.size());
      results.emplace_back(part.begin(), part.end());
      landed = landed.drop_front(range.size());
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

DenseSet<Operation *> tilec::findNestedProducts(ModuleOp module) {
  // What is kept beside such accumulators decides how ptxas orders a loop, for better or worse.
  constexpr int64_t kWide = 256;
  DenseSet<Operation *> found;
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> nested;
    bool isWide = false;
    func.walk([&](WgmmaOp product) {
      isWide |= *llvm::max_element(cast<RankedTensorType>(product.getType()).getShape()) >= kWide;
      auto loop = product->getParentOfType<LoopLikeOpInterface>();
      if (loop && loop->getParentOfType<LoopLikeOpInterface>())
        nested.push_back(product);
    });
    if (!isWide)
      found.insert(nested.begin(), nested.end());
  }
  return found;
}

void tilec::populateWgmmaPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Wgmma, WgmmaWait>(lowering, patterns.getContext());
}
