// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProductModel.h. tools/bench/product_model.py has the same model, of more kernels: there the
// numbers come from.

#include "tilec/Tuning/ProductModel.h"

#include "ProductNumbers.inc"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using llvm::divideCeil;
using llvm::isPowerOf2_64;

namespace json = llvm::json;

namespace tilec {

namespace {

constexpr int64_t kDepthBytes = 128, kMostStages = 8, kMostColumns = 256, kSystemBytes = 1024;
constexpr int kMostPieces = 3;
constexpr int64_t kLineBytes = 128, kSectorBytes = 32;
constexpr double kLargeTile = 128 * 256, kPerMicrosecond = 1e6;

/// A way to make tiles of C. `fit`: programs that a multiprocessor has room for; `rate`: 16-bit
/// multiplications and additions of a multiprocessor that is full of them, in millions per
/// microsecond.
struct ProductTile {
  int64_t m, n, k;
  int warps, stages, fit;
  double rate;

  /// Whether the transposed dot is computed, whose columns can be any multiple of 8.
  bool isTransposed() const {
    return !isPowerOf2_64(uint64_t(m)) && isPowerOf2_64(uint64_t(n)) && n >= 16 * warps;
  }
  /// Whether the copies have warps of their own where a program takes one tile after the other.
  bool hasRoles() const {
    return takesTurns() || (fit == 1 && 16 * warps == (isTransposed() ? n : m));
  }
  /// Whether two warpgroups take turns where a program takes one tile after the other.
  bool takesTurns() const { return fit == 1 && warps == 4; }
  /// Whether tensor copies store it: threads do where a side is no sum of a few powers of two.
  bool isCopiedOut() const {
    return std::max(llvm::popcount(uint64_t(m)), llvm::popcount(uint64_t(n))) <= kMostPieces;
  }
  /// Whether the tile is one dot, with a power of two of rows (or columns), which CTAs can part.
  bool isOneDot() const { return isPowerOf2_64(uint64_t(m)) || isTransposed(); }
  /// Whether two warpgroups share the columns of the last 64 rows.
  bool sharesRows() const { return m % 128 == 64 && warps == 8 && !isTransposed(); }
};

/// Rates by one extent, as measured.
using Knots = std::map<int64_t, double>;

/// On the straight line between the two that were measured next to it.
double between(const Knots &knots, int64_t extent) {
  auto above = knots.lower_bound(extent);
  if (above->first == extent)
    return above->second;
  auto below = std::prev(above);
  double share = double(extent - below->first) / double(above->first - below->first);
  return below->second + share * (above->second - below->second);
}

/// The numbers of product_model.json; times in microseconds.
struct ProductNumbers {
  ProductNumbers();

  int64_t multiprocessors, sharedBytes;
  /// Terabytes per second of device memory.
  double bandwidth;
  /// A launch until its first copies are there; storing a tile, all that remains of it at the end,
  /// and what it takes from the next tile; parts of that with load warps, where two warpgroups take
  /// turns, and with other programs beside.
  double launch, lastTile, betweenTiles, betweenWithRoles, betweenInTurn, betweenWithOthers;
  /// CTAs of a cluster that share a tile: the two barriers, and writing and reading the sums.
  double clusterMeeting, clusterSums;
  /// A line of 128 bytes that a tensor copy reads, and one of rows that begin between sectors.
  double line, lineBetweenSectors;
  /// The rate of one program on a multiprocessor that has room for several.
  double alone;
  /// Clusters that run at once, by their CTAs, and what programs that copy for each other take
  /// longer.
  std::map<int, int64_t> clusters;
  std::map<int, double> slowerInClusters;
  /// What it takes longer where columns of B's tiles, which lie together, begin inside lines.
  double insideLines;
  std::vector<ProductTile> tiles;

private:
  void addTiles(const json::Object &row, bool isTransposed);
  void addTile(int64_t m, int64_t n, int warps, int fit, double rate);
};

ProductNumbers::ProductNumbers() {
  json::Value value = llvm::cantFail(json::parse(productNumbers));
  const json::Object &object = *value.getAsObject();
  auto number = [&](llvm::StringRef name) { return *object.getNumber(name); };
  multiprocessors = *object.getInteger("multiprocessors");
  sharedBytes = *object.getInteger("shared_bytes");
  bandwidth = number("bandwidth");
  launch = number("launch"), lastTile = number("last_tile"), betweenTiles = number("between_tiles");
  betweenWithRoles = number("between_with_roles");
  betweenInTurn = number("between_in_turn");
  betweenWithOthers = number("between_with_others");
  clusterMeeting = number("cluster_meeting"), clusterSums = number("cluster_sums");
  line = number("line"), lineBetweenSectors = number("line_between_sectors");
  alone = number("alone");
  for (const auto &[ctas, count] : *object.getObject("clusters"))
    clusters[std::stoi(ctas.str())] = *count.getAsInteger();
  for (const auto &[ctas, factor] : *object.getObject("slower_in_clusters"))
    slowerInClusters[std::stoi(ctas.str())] = *factor.getAsNumber();
  insideLines = number("inside_lines");
  for (const json::Value &item : *object.getArray("others")) {
    const json::Object &tile = *item.getAsObject();
    auto integer = [&](llvm::StringRef name) { return *tile.getInteger(name); };
    tiles.push_back({integer("m"), integer("n"), integer("k"), int(integer("warps")),
                     int(integer("stages")), int(integer("fit")), *tile.getNumber("rate")});
  }
  for (bool isTransposed : {false, true})
    for (const json::Value &row : *object.getArray(isTransposed ? "transposed_rates" : "rates"))
      addTiles(*row.getAsObject(), isTransposed);
}

/// Of tiles with one side that warpgroups part, those with any multiple of 8 for the other; of two
/// instructions it is one of 16.
void ProductNumbers::addTiles(const json::Object &row, bool isTransposed) {
  Knots knots;
  for (const auto &[extent, rate] : *row.getObject("by_other_side"))
    knots[std::stoll(extent.str())] = *rate.getAsNumber();
  int64_t side = *row.getInteger("side");
  int warps = int(*row.getInteger("warps")), fit = int(*row.getInteger("fit"));
  for (int64_t other = knots.begin()->first; other <= knots.rbegin()->first; other += 8) {
    bool isEven = isPowerOf2_64(uint64_t(other));
    if ((other > kMostColumns && other % 16) ||
        (isTransposed ? isEven : isEven && !isPowerOf2_64(uint64_t(side))))
      continue;
    addTile(isTransposed ? other : side, isTransposed ? side : other, warps, fit,
            between(knots, other));
  }
}

void ProductNumbers::addTile(int64_t m, int64_t n, int warps, int fit, double rate) {
  int64_t stages = (sharedBytes / fit - kSystemBytes) / (kDepthBytes * (m + n));
  tiles.push_back({m, n, kDepthBytes / 2, warps, int(std::min(kMostStages, stages)), fit, rate});
}

const ProductNumbers &numbers() {
  static const ProductNumbers known;
  return known;
}

/// A launch. Programs that copy for each other what they share of A, of B; CTAs that share a tile.
struct Launch {
  ProductTile tile;
  int splitK = 1, sharingA = 1, sharingB = 1;

  int numCtas() const { return sharingA * sharingB; }
  int groupM() const { return sharingA > 1 ? sharingB : ProductPlan().groupM; }
};

class Planner {
public:
  Planner(const Product &given, int count, bool hasGroup)
      : product(given), elementBytes(given.bits / 8),
        multiprocessors(count > 0 ? count : numbers().multiprocessors), choosesGroup(hasGroup) {}

  std::vector<ProductPlan> plan(size_t most) const;

private:
  std::array<int64_t, 2> partsOf(const ProductTile &tile) const {
    return {int64_t(divideCeil(product.m, tile.m)), int64_t(divideCeil(product.n, tile.n))};
  }
  int64_t tilesOf(const ProductTile &tile) const {
    std::array<int64_t, 2> parts = partsOf(tile);
    return parts[0] * parts[1];
  }
  /// Clusters that run at once.
  int64_t clustersOf(int ctas) const {
    return numbers().clusters.at(ctas) * multiprocessors / numbers().multiprocessors;
  }
  bool canHave(const ProductTile &tile) const;
  std::vector<Launch> launchesOf(const ProductTile &tile) const;
  std::vector<Launch> sharedLaunchesOf(const ProductTile &tile) const;
  bool hasWholeClusters(const Launch &launch) const {
    return tilesOf(launch.tile) % launch.numCtas() == 0;
  }
  double copied(const ProductTile &tile, unsigned operand) const;
  double predict(const Launch &launch) const;

  const Product &product;
  int64_t elementBytes, multiprocessors;
  bool choosesGroup;
};

} // namespace

/// Whether it is one dot of each part of its rows.
bool Planner::canHave(const ProductTile &tile) const {
  if (tile.isTransposed())
    return tile.m <= kMostColumns || product.byRows[0];
  return !((tile.sharesRows() || tile.n > kMostColumns) && product.byRows[1]);
}

std::vector<Launch> Planner::launchesOf(const ProductTile &tile) const {
  std::vector<Launch> launches{{tile}};
  int64_t steps = int64_t(divideCeil(product.k, tile.k));
  for (const auto &entry : numbers().clusters) {
    int ctas = entry.first;
    if (tilesOf(tile) <= clustersOf(ctas) * tile.fit && steps >= 4 * ctas && tile.isOneDot())
      launches.push_back({tile, ctas});
  }
  return launches;
}

/// Two that share columns of B, two that share rows of A, and of what is one wave of clusters four
/// and eight.
std::vector<Launch> Planner::sharedLaunchesOf(const ProductTile &tile) const {
  if (tile.fit != 1 || !(tile.isOneDot() || tile.sharesRows()))
    return {};
  std::vector<Launch> launches{{tile, 1, 1, 2}};
  if (!choosesGroup)
    return launches;
  launches.push_back({tile, 1, 2, 1});
  for (int ctas : {4, 8})
    if (tilesOf(tile) <= ctas * clustersOf(ctas))
      launches.push_back({tile, 1, 2, ctas / 2});
  return launches;
}

/// Microseconds of the tensor copies of a block of A or of B.
double Planner::copied(const ProductTile &tile, unsigned operand) const {
  int64_t outer = operand == 0 ? product.m : product.n, width = operand == 0 ? tile.m : tile.n;
  bool isAlongK = product.byRows[operand] == (operand == 0);
  int64_t stride = (isAlongK ? product.k : outer) * elementBytes;
  int64_t lines = isAlongK ? width * int64_t(divideCeil(tile.k * elementBytes, kLineBytes))
                           : tile.k * int64_t(divideCeil(width * elementBytes, kLineBytes));
  if (stride % kSectorBytes)
    return double(lines) * numbers().lineBetweenSectors;
  bool beginsInside = stride % kLineBytes || (!isAlongK && width * elementBytes % kLineBytes);
  return double(lines) * numbers().line * (beginsInside ? 2 : 1);
}

double Planner::predict(const Launch &launch) const {
  const ProductNumbers &known = numbers();
  const ProductTile &tile = launch.tile;
  int64_t count = tilesOf(tile) * launch.splitK, room = multiprocessors * tile.fit;
  double steps = double(divideCeil(divideCeil(product.k, tile.k), launch.splitK));
  double compute = double(tile.m * tile.n * tile.k * elementBytes) / (tile.rate * kPerMicrosecond);
  double copies = copied(tile, 0) / launch.sharingA + copied(tile, 1) / launch.sharingB;
  double area = double(tile.m * tile.n) / kLargeTile;
  auto wave = [&](int64_t together) {
    double alone = together == 1 && tile.fit > 1 ? known.alone : 1;
    return steps * double(together) * std::max(compute / alone, copies);
  };

  int64_t full = count / room, rest = count % room;
  double time = double(full) * wave(tile.fit);
  if (rest)
    time += wave(int64_t(divideCeil(rest, multiprocessors)));
  // With load warps a launch of more programs than multiprocessors is persistent.
  bool isPersistent = count > multiprocessors && tile.hasRoles() && launch.splitK == 1;
  double between = known.betweenTiles * area * tile.fit;
  if (isPersistent && tile.takesTurns())
    between *= known.betweenInTurn;
  else if (isPersistent && tile.isCopiedOut())
    between *= known.betweenWithRoles;
  between *= tile.fit > 1 ? known.betweenWithOthers : 1;
  int64_t last = std::min<int64_t>(tile.fit, int64_t(divideCeil(count, multiprocessors)));
  time += known.launch + known.lastTile * area * double(last);
  time += double(full + (rest > 0) - 1) * between;
  if (launch.splitK > 1)
    time += known.clusterMeeting + area * tile.fit * known.clusterSums;
  if (launch.numCtas() > 1)
    time *= known.slowerInClusters.at(launch.numCtas());
  if (product.byRows[1] && tile.n * elementBytes % kLineBytes)
    time *= known.insideLines;
  double moved = double(elementBytes * product.k * (product.m + product.n)) +
                 2 * double(product.m * product.n);
  return std::max(time, known.launch + moved / known.bandwidth / kPerMicrosecond);
}

std::vector<ProductPlan> Planner::plan(size_t most) const {
  using Key = std::tuple<int64_t, int64_t, int64_t, int, bool, int, int, int>;
  std::map<Key, std::pair<double, Launch>> best;
  for (ProductTile tile : numbers().tiles) {
    // Blocks of as many bytes along K.
    tile.k = tile.k * 2 / elementBytes;
    if (!canHave(tile))
      continue;
    std::vector<Launch> launches = launchesOf(tile);
    llvm::append_range(launches, sharedLaunchesOf(tile));
    for (const Launch &launch : launches) {
      if (!hasWholeClusters(launch))
        continue;
      auto [rows, columns] = partsOf(tile);
      Key key{rows,          columns,         tile.k,         tile.warps, tile.isTransposed(),
              launch.splitK, launch.sharingA, launch.sharingB};
      std::pair timed(predict(launch), launch);
      auto [known, isNew] = best.try_emplace(key, timed);
      if (!isNew && timed.first < known->second.first)
        known->second = timed;
    }
  }
  std::vector<std::pair<double, Key>> order;
  for (const auto &[key, timed] : best)
    order.emplace_back(timed.first, key);
  llvm::sort(order);
  std::vector<ProductPlan> plans;
  for (const auto &[time, key] : llvm::ArrayRef(order).take_front(most)) {
    const Launch &launch = best.at(key).second;
    plans.push_back({launch.tile.m, launch.tile.n, launch.tile.k, launch.tile.warps,
                     launch.tile.stages, launch.numCtas(), launch.splitK, launch.groupM(), time});
  }
  return plans;
}

bool isModelled(const Processor &processor) { return processor.has(Feature::Wgmma); }

llvm::Error checkProduct(const Product &product, const Processor &processor) {
  if (!isModelled(processor))
    return llvm::createStringError("the model of products is for sm_90a, it does not know " +
                                   processor.name.str());
  constexpr int64_t mostExtent = int64_t(1) << 31;
  for (auto [name, extent] :
       {std::pair("m", product.m), std::pair("n", product.n), std::pair("k", product.k)})
    if (extent < 1 || extent > mostExtent)
      return llvm::createStringError(llvm::Twine("'") + name + "' of a product is " +
                                     llvm::Twine(extent) + ", expected 1 to " +
                                     llvm::Twine(mostExtent));
  if (product.bits != 8 && product.bits != 16)
    return llvm::createStringError(
        "the model of products knows no elements but those of 8 or 16 bits");
  return llvm::Error::success();
}

std::vector<ProductPlan> planProduct(const Product &product, size_t most, int multiprocessors,
                                     bool choosesGroup) {
  return Planner(product, multiprocessors, choosesGroup).plan(most);
}

} // namespace tilec
