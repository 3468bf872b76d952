// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of linear layouts: laws on random layouts, and small cases worked by hand.

#include "tilec/Layout/LinearLayout.h"

#include "RandomLayouts.h"

#include <set>

namespace tilec {
namespace {

using LinearLayoutRandom = RandomLayoutTest;

TEST(LinearLayout, identity_strided_zeros) {
  LinearLayout id = LinearLayout::identity1D(8, "in", "out");
  EXPECT_EQ(id.toString(), "{in=[[1],[2],[4]]} -> [out:8]");
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(id.apply({{"in", i}})[0].second, i);
  LinearLayout strided = LinearLayout::strided1D(4, 4, "in", "out");
  EXPECT_EQ(strided.getOutDimSize("out"), 16);
  EXPECT_EQ(strided.apply({{"in", 3}})[0].second, 12);
  EXPECT_FALSE(strided.isSurjective());
  LinearLayout zeros = LinearLayout::zeros1D(4, "in", "out");
  EXPECT_TRUE(zeros.isSurjective());
  EXPECT_FALSE(zeros.isInjective());
  EXPECT_EQ(zeros.getFreeVariableMask("in"), 3);
  EXPECT_EQ(LinearLayout::empty().toString(), "{} -> []");
  EXPECT_TRUE(LinearLayout::empty().isInvertible());
}

TEST(LinearLayout, create_reports_bad_content) {
  auto message = [](std::vector<LinearLayout::InDimBases> ins,
                    std::vector<LinearLayout::OutDim> outs, bool surjective = false) {
    llvm::Expected<LinearLayout> layout = LinearLayout::create(ins, outs, surjective);
    return layout ? std::string("ok") : llvm::toString(layout.takeError());
  };
  EXPECT_EQ(message({{"lane", {{1}, {2}}}}, {{"dim0", 4}}, true), "ok");
  EXPECT_EQ(message({{"lane", {{4}}}}, {{"dim0", 4}}),
            "basis 0 of 'lane' has coordinate 4 along 'dim0', which has size 4");
  EXPECT_EQ(message({{"lane", {{-1}}}}, {{"dim0", 4}}),
            "basis 0 of 'lane' has coordinate -1 along 'dim0', which has size 4");
  EXPECT_EQ(message({{"lane", {{1, 0}}}}, {{"dim0", 4}}),
            "expected 1 coordinates in basis 0 of 'lane', got 2");
  EXPECT_EQ(message({{"lane", {}}, {"lane", {}}}, {}), "input dimension 'lane' is given twice");
  EXPECT_EQ(message({}, {{"x", 2}, {"x", 2}}), "output dimension 'x' is given twice");
  EXPECT_EQ(message({}, {{"x", 3}}), "expected a power of two as the size of 'x', got 3");
  EXPECT_EQ(message({}, {{"x", 0}}), "expected a power of two as the size of 'x', got 0");
  EXPECT_EQ(message({{"", {}}}, {}), "an input dimension has no name");
  EXPECT_EQ(message({{"lane", {{1}}}}, {{"dim0", 4}}, true),
            "the layout does not reach every element: expected rank 2, got 1");
  EXPECT_NE(message({}, {{"a", 1 << 30}, {"b", 1 << 30}, {"c", 8}}), "ok");
}

TEST(LinearLayout, product_puts_outer_bits_above) {
  LinearLayout tile = LinearLayout::identity1D(2, "r", "x") * LinearLayout::identity1D(4, "l", "y");
  LinearLayout layout =
      tile * LinearLayout::identity1D(2, "r", "y") * LinearLayout::identity1D(2, "l", "x");
  EXPECT_EQ(layout.toString(), "{r=[[1,0],[0,4]], l=[[0,1],[0,2],[2,0]]} -> [x:4, y:8]");
  EXPECT_TRUE(layout.isInvertible());
}

TEST(LinearLayout, free_variables) {
  auto layout = LinearLayout::fromFlatBases({{"r", {1, 2, 3, 8}}, {"l", {0, 4, 8}}}, {{"x", 16}});
  EXPECT_EQ(layout.getFreeVariableMask("r"), 4);
  EXPECT_EQ(layout.getFreeVariableMask("l"), 5);
}

TEST(LinearLayout, dimension_surgery) {
  auto layout = LinearLayout::fromFlatBases({{"r", {1, 4}}, {"l", {0, 2}}}, {{"x", 4}, {"y", 2}});
  EXPECT_EQ(layout.transposeOuts({"y", "x"}).toString(),
            "{r=[[0,1],[1,0]], l=[[0,0],[0,2]]} -> [y:2, x:4]");
  EXPECT_EQ(layout.transposeIns({"l", "r"}).getInDimNames(), (std::vector<std::string>{"l", "r"}));
  EXPECT_TRUE(layout.equalUpToDimOrder(layout.transposeIns({"l", "r"}).transposeOuts({"y", "x"})));
  EXPECT_NE(layout, layout.transposeIns({"l", "r"}));
  EXPECT_EQ(layout.reshapeOuts({{"x", 8}}).toString(), "{r=[[1],[4]], l=[[0],[2]]} -> [x:8]");
  EXPECT_EQ(layout.reshapeOuts({{"x", 8}}).reshapeOuts({{"x", 4}, {"y", 2}}), layout);
  EXPECT_EQ(layout.removeZeroBasesAlongDim("l").getInDimSize("l"), 2);
  EXPECT_EQ(layout.resizeOutDim("x", 2).toString(),
            "{r=[[1,0],[0,1]], l=[[0,0],[0,0]]} -> [x:2, y:2]");
  EXPECT_EQ(layout.resizeInDim("r", 8).getBasis("r", 2), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(layout.unsqueezeIn("w").squeezeIn("w"), layout);
  EXPECT_TRUE(layout.sublayoutIsZero({"l"}, {"y"}));
  EXPECT_FALSE(layout.sublayoutIsZero({"l"}, {"x"}));
  EXPECT_FALSE(layout.sublayoutIsIdentity("r", "x"));
}

TEST(LinearLayout, invert_and_compose_keeps_equal_bits_in_place) {
  auto layout = LinearLayout::fromFlatBases({{"r", {1, 0}}, {"l", {2, 0, 1}}}, {{"x", 4}});
  LinearLayout map = layout.invertAndCompose(layout);
  EXPECT_TRUE(map.sublayoutIsIdentity("r", "r"));
  EXPECT_TRUE(map.sublayoutIsIdentity("l", "l"));
  EXPECT_TRUE(map.sublayoutIsZero({"r"}, {"l"}));
}

TEST_F(LinearLayoutRandom, maps_are_linear) {
  for (int trial = 0; trial < 300; ++trial) {
    auto shape = randomShape(pick(1, 3), pick(0, 20));
    auto layout = randomLayout({"r", "l", "w"}, {pick(0, 8), pick(0, 6), pick(0, 4)}, shape);
    unsigned inBits = layout.getTotalInDimSizeLog2();
    uint64_t x = bits(inBits), y = bits(inBits);
    EXPECT_EQ(layout.applyFlat(x ^ y), layout.applyFlat(x) ^ layout.applyFlat(y));
    // Flat and named evaluation agree.
    int32_t r = int32_t(bits(layout.getInDimSizeLog2("r")));
    int32_t l = int32_t(bits(layout.getInDimSizeLog2("l")));
    int32_t w = int32_t(bits(layout.getInDimSizeLog2("w")));
    uint64_t flat = uint64_t(r) | uint64_t(l) << layout.getInDimSizeLog2("r") |
                    uint64_t(w) << (layout.getInDimSizeLog2("r") + layout.getInDimSizeLog2("l"));
    std::vector<int32_t> coords = layout.unflattenOut(layout.applyFlat(flat));
    EXPECT_EQ(layout.flattenOut(coords), layout.applyFlat(flat));
    auto named = layout.apply({{"l", l}, {"w", w}, {"r", r}});
    for (size_t i = 0; i < coords.size(); ++i)
      EXPECT_EQ(named[i].second, coords[i]);
  }
}

TEST_F(LinearLayoutRandom, rank_tests_match_enumeration) {
  for (int trial = 0; trial < 200; ++trial) {
    auto shape = randomShape(2, pick(0, 7));
    auto layout = randomLayout({"r", "l"}, {pick(0, 4), pick(0, 4)}, shape);
    std::set<uint64_t> images;
    for (int64_t x = 0; x < layout.getTotalInDimSize(); ++x)
      images.insert(layout.applyFlat(x));
    EXPECT_EQ(layout.isSurjective(), int64_t(images.size()) == layout.getTotalOutDimSize());
    EXPECT_EQ(layout.isInjective(), int64_t(images.size()) == layout.getTotalInDimSize());
    // Positions with zero free variables reach everything once.
    int32_t freeR = layout.getFreeVariableMask("r"), freeL = layout.getFreeVariableMask("l");
    std::set<uint64_t> unique;
    int64_t count = 0;
    for (int32_t r = 0; r < layout.getInDimSize("r"); ++r)
      for (int32_t l = 0; l < layout.getInDimSize("l"); ++l)
        if (!(r & freeR) && !(l & freeL)) {
          ++count;
          unique.insert(layout.applyToFlat({{"r", r}, {"l", l}}));
        }
    EXPECT_EQ(unique, images);
    EXPECT_EQ(int64_t(unique.size()), count);
  }
}

TEST_F(LinearLayoutRandom, compose_applies_one_after_the_other) {
  for (int trial = 0; trial < 200; ++trial) {
    auto middle = randomShape(2, pick(0, 10));
    auto first = randomLayout({"r", "l"}, {pick(0, 5), pick(0, 5)}, middle);
    std::vector<int64_t> outShape = randomShape(2, pick(0, 10));
    int m0 = int(llvm::Log2_64(middle[0])), m1 = int(llvm::Log2_64(middle[1]));
    // Inner dimensions in the other order, one of them larger than needed.
    auto second = randomLayout({"dim1", "dim0"}, {m1 + 1, m0}, outShape);
    LinearLayout both = first.compose(second);
    uint64_t x = bits(first.getTotalInDimSizeLog2());
    auto coords = first.unflattenOut(first.applyFlat(x));
    EXPECT_EQ(both.applyFlat(x), second.applyToFlat({{"dim0", coords[0]}, {"dim1", coords[1]}}));
  }
}

TEST_F(LinearLayoutRandom, invert_and_compose_finds_the_same_element) {
  for (int trial = 0; trial < 500; ++trial) {
    auto shape = randomShape(2, pick(0, 12));
    auto dst = randomLayout({"register", "lane"}, {pick(0, 9), pick(0, 9)}, shape);
    auto src = randomLayout({"register", "lane"}, {pick(0, 9), pick(0, 9)}, shape);
    auto map = src.tryInvertAndCompose(dst);
    bool reached = true;
    for (uint64_t basis : src.getFlatMatrix()) {
      auto columns = dst.getFlatMatrix();
      auto more = columns;
      more.push_back(basis);
      auto rank = [&](std::vector<uint64_t> c) {
        return LinearLayout::fromFlatBases({{"a", c}}, src.getOutDims()).getRank();
      };
      reached &= rank(columns) == rank(more);
    }
    ASSERT_EQ(map.has_value(), reached);
    if (!map)
      continue;
    EXPECT_TRUE(map->compose(dst).equalUpToDimOrder(src)) << src << "\n" << dst;
    // Also when the output dimensions stand in another order.
    auto turned = src.tryInvertAndCompose(dst.transposeOuts({"dim1", "dim0"}));
    ASSERT_TRUE(turned.has_value());
    EXPECT_EQ(*turned, *map);
  }
}

TEST_F(LinearLayoutRandom, inverses) {
  for (int trial = 0; trial < 300; ++trial) {
    int total = pick(0, 10);
    auto shape = randomShape(2, total);
    auto layout = randomLayout({"r", "l"}, {total, pick(0, 4)}, shape);
    if (!layout.isSurjective())
      continue;
    LinearLayout right = layout.pseudoinvert();
    for (int64_t y = 0; y < layout.getTotalOutDimSize(); ++y)
      EXPECT_EQ(layout.applyFlat(right.applyFlat(y)), uint64_t(y));
    if (!layout.isInvertible())
      continue;
    LinearLayout inverse = layout.invert();
    EXPECT_EQ(inverse.invert(), layout);
    for (int64_t x = 0; x < layout.getTotalInDimSize(); ++x)
      EXPECT_EQ(inverse.applyFlat(layout.applyFlat(x)), uint64_t(x));
  }
}

TEST_F(LinearLayoutRandom, product_is_associative_and_hash_follows_equality) {
  for (int trial = 0; trial < 100; ++trial) {
    auto make = [&] {
      return randomLayout({"r", "l"}, {pick(0, 3), pick(0, 3)}, randomShape(2, pick(0, 5)));
    };
    LinearLayout a = make(), b = make(), c = make();
    LinearLayout one = (a * b) * c, two = a * (b * c);
    EXPECT_EQ(one, two);
    EXPECT_EQ(hash_value(one), hash_value(two));
    EXPECT_EQ(a * LinearLayout::empty(), a);
    EXPECT_EQ(LinearLayout::empty() * a, a);
  }
}

} // namespace
} // namespace tilec
