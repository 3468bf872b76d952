// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small transformer: sizes, weights, and the same decoding step on the host.

#ifndef TILEC_EXAMPLES_HOST_TRANSFORMER_H
#define TILEC_EXAMPLES_HOST_TRANSFORMER_H

#include <cstdint>
#include <random>
#include <vector>

struct Sizes {
  int batch = 3;
  int layers = 2;
  int heads = 4;
  int head = 16;
  int hidden = 96;
  int vocabulary = 50;
  int positions = 12;

  int width() const { return heads * head; }
};

constexpr float normEpsilon = 1e-5f;

/// Matrices have a row for each output.
struct LayerWeights {
  std::vector<float> attentionNorm, qkv, output, feedNorm, gateUp, down;
};

struct Weights {
  std::vector<float> embedding;
  std::vector<LayerWeights> layers;
  std::vector<float> finalNorm, logits;
};

Weights makeWeights(const Sizes &sizes, std::mt19937 &random);

/// Decodes in double precision.
class ReferenceTransformer {
public:
  ReferenceTransformer(const Sizes &extent, const Weights &given);

  /// The logits of every sequence after its next token.
  std::vector<double> step(const std::vector<int32_t> &tokens);

private:
  using Vector = std::vector<double>;

  Vector attend(size_t layer, size_t sequence, const Vector &normed);

  Sizes sizes;
  const Weights &weights;
  int position = 0;
  /// For each layer and sequence, the keys and values so far, one position after the other.
  std::vector<std::vector<Vector>> keys, values;
};

#endif // TILEC_EXAMPLES_HOST_TRANSFORMER_H
