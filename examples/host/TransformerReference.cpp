// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoding step as it is written in papers.

#include "Transformer.h"

#include <algorithm>
#include <cmath>

namespace {

using Vector = std::vector<double>;

Vector normalised(const Vector &x, const std::vector<float> &weight) {
  double squares = 0;
  for (double value : x)
    squares += value * value;
  double scale = 1 / std::sqrt(squares / double(x.size()) + normEpsilon);
  Vector y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = x[i] * scale * weight[i];
  return y;
}

Vector multiplied(const std::vector<float> &matrix, const Vector &x) {
  Vector y(matrix.size() / x.size());
  for (size_t row = 0; row < y.size(); ++row)
    for (size_t i = 0; i < x.size(); ++i)
      y[row] += matrix[row * x.size() + i] * x[i];
  return y;
}

void addTo(Vector &x, const Vector &y) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

/// Rotary embedding of one head.
void turn(double *x, int head, int position) {
  for (int i = 0; i < head / 2; ++i) {
    double angle = position * std::pow(10000.0, -2.0 * i / head);
    double low = x[i], high = x[i + head / 2];
    x[i] = low * std::cos(angle) - high * std::sin(angle);
    x[i + head / 2] = high * std::cos(angle) + low * std::sin(angle);
  }
}

} // namespace

Weights makeWeights(const Sizes &sizes, std::mt19937 &random) {
  auto matrix = [&](int outputs, int inputs) {
    std::normal_distribution<float> normal(0, 1 / std::sqrt(float(inputs)));
    std::vector<float> values(size_t(outputs) * inputs);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
  };
  auto norm = [&] {
    std::uniform_real_distribution<float> uniform(0.5f, 1.5f);
    std::vector<float> values(sizes.width());
    std::generate(values.begin(), values.end(), [&] { return uniform(random); });
    return values;
  };
  int width = sizes.width();
  Weights weights;
  weights.embedding = matrix(sizes.vocabulary, width);
  for (int layer = 0; layer < sizes.layers; ++layer)
    weights.layers.push_back({norm(), matrix(3 * width, width), matrix(width, width), norm(),
                              matrix(2 * sizes.hidden, width), matrix(width, sizes.hidden)});
  weights.finalNorm = norm();
  weights.logits = matrix(sizes.vocabulary, width);
  return weights;
}

ReferenceTransformer::ReferenceTransformer(const Sizes &extent, const Weights &given)
    : sizes(extent), weights(given), keys(extent.layers, std::vector<Vector>(extent.batch)),
      values(keys) {}

Vector ReferenceTransformer::attend(size_t layer, size_t sequence, const Vector &normed) {
  size_t width = size_t(sizes.width()), head = size_t(sizes.head);
  Vector qkv = multiplied(weights.layers[layer].qkv, normed);
  for (int i = 0; i < 2 * sizes.heads; ++i)
    turn(&qkv[size_t(i) * head], sizes.head, position);
  Vector &keyCache = keys[layer][sequence], &valueCache = values[layer][sequence];
  keyCache.insert(keyCache.end(), &qkv[width], &qkv[width] + width);
  valueCache.insert(valueCache.end(), &qkv[2 * width], &qkv[2 * width] + width);
  Vector out(width);
  for (size_t first = 0; first < width; first += head) {
    Vector scores(size_t(position) + 1);
    for (size_t at = 0; at < scores.size(); ++at)
      for (size_t i = first; i < first + head; ++i)
        scores[at] += qkv[i] * keyCache[at * width + i] / std::sqrt(double(head));
    double highest = *std::max_element(scores.begin(), scores.end()), sum = 0;
    for (double &score : scores)
      sum += score = std::exp(score - highest);
    for (size_t at = 0; at < scores.size(); ++at)
      for (size_t i = first; i < first + head; ++i)
        out[i] += scores[at] / sum * valueCache[at * width + i];
  }
  return multiplied(weights.layers[layer].output, out);
}

std::vector<double> ReferenceTransformer::step(const std::vector<int32_t> &tokens) {
  Vector logits;
  for (size_t sequence = 0; sequence < tokens.size(); ++sequence) {
    size_t width = size_t(sizes.width()), first = size_t(tokens[sequence]) * width;
    Vector x(&weights.embedding[first], &weights.embedding[first] + width);
    for (size_t layer = 0; layer < weights.layers.size(); ++layer) {
      const LayerWeights &own = weights.layers[layer];
      addTo(x, attend(layer, sequence, normalised(x, own.attentionNorm)));
      Vector gateUp = multiplied(own.gateUp, normalised(x, own.feedNorm));
      Vector inner(size_t(sizes.hidden));
      for (size_t i = 0; i < inner.size(); ++i)
        inner[i] = gateUp[i] / (1 + std::exp(-gateUp[i])) * gateUp[inner.size() + i];
      addTo(x, multiplied(own.down, inner));
    }
    Vector own = multiplied(weights.logits, normalised(x, weights.finalNorm));
    logits.insert(logits.end(), own.begin(), own.end());
  }
  ++position;
  return logits;
}
