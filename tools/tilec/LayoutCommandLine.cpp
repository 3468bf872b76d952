// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec layout'.

#include "CommandParser.h"
#include "OptionValues.h"

namespace tilec::tool {

namespace {

constexpr const char *layoutExamples =
    R"text(LAYOUT is a constructor or a list of bases with --shape:
  blocked(shape=[64,32], sizePerThread=[1,4], threadsPerWarp=[8,4], warpsPerCta=[4,1])
  default(shape=[64,32], numWarps=4)    mma(shape=[64,64], warpsPerCta=[2,2])
  wgmma(shape=[128,64], warpsPerCta=[4,1], instrN=64)
  operand(shape=[64,64], operand=0, kWidth=2, warpsPerCta=[2,2])
  shared(shape=[64,64], vec=8, perPhase=1, maxPhase=8)    tma(shape=[64,64], bits=16, swizzle=128)
  slice(PARENT, axis=1)    {register=[[0,1]], lane=[[1,0]], warp=[], block=[]}

Examples:
  tilec layout "default(shape=[16,16], numWarps=1)"
  tilec layout "mma(shape=[16,8], warpsPerCta=[1,1])" --view tensor
  tilec layout "default(shape=[64,64], numWarps=4)" --bits 16
      --convert-to "blocked(shape=[64,64], sizePerThread=[4,1], threadsPerWarp=[16,2],
                            warpsPerCta=[1,4], order=[0,1])")text";

class LayoutParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  LayoutCommand command;
  std::string view = "hardware", shape;
};

void LayoutParser::declare(OptionSet &options) {
  options.addWord("LAYOUT", command.layout, "The layout");
  options.require("LAYOUT");
  options.addValue("--shape", shape, "Tensor shape of a layout given by its bases", "64x32");
  options.addValue("--view", view, "hardware (lanes and registers), tensor (owners), both", "VIEW");
  options.addValue("--convert-to", command.convertTo, "Plan the conversion to this layout",
                   "LAYOUT");
  options.addValue("--bits", command.bits, "Bits of an element, for --convert-to", "N");
  options.addValue("--max-rows", command.maxRows, "Most lines of a view", "N");
  options.setFooter(layoutExamples);
}

Command LayoutParser::read(const OptionSet & /*options*/) {
  static constexpr LayoutView views[] = {LayoutView::Hardware, LayoutView::Tensor,
                                         LayoutView::Both};
  command.view = views[chooseWord("--view", view, {"hardware", "tensor", "both"})];
  llvm::SmallVector<llvm::StringRef> extents;
  if (!shape.empty())
    llvm::StringRef(shape).split(extents, 'x');
  for (llvm::StringRef extent : extents) {
    int64_t value = 0;
    if (extent.getAsInteger(10, value) || value < 1)
      usage("'--shape' expects sizes as in 64x32, got '" + shape + "'");
    command.shape.push_back(value);
  }
  static constexpr int widths[] = {1, 8, 16, 32, 64, 128};
  if (!llvm::is_contained(widths, command.bits))
    usage("'--bits' expects 1, 8, 16, 32, 64 or 128, got " + llvm::Twine(command.bits));
  if (command.maxRows < 1)
    usage("'--max-rows' expects at least 1");
  return std::move(command);
}

} // namespace

std::unique_ptr<CommandParser> makeLayoutParser() { return std::make_unique<LayoutParser>(); }

} // namespace tilec::tool
