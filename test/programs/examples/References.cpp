// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straightforward formulas, row by row; only the loop over rows is spread over threads.

#include "References.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace tilec::harness {

void forRanges(uint64_t count, uint64_t cost, const std::function<void(uint64_t, uint64_t)> &work) {
  constexpr uint64_t worthAThread = uint64_t(1) << 16;
  uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::max<uint64_t>(1, std::min({threads, count, count * cost / worthAThread}));
  std::vector<std::thread> started;
  for (uint64_t i = 1; i < threads; ++i)
    started.emplace_back(work, count * i / threads, count * (i + 1) / threads);
  work(0, count / threads);
  for (std::thread &thread : started)
    thread.join();
}

double geluErf(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

double geluTanh(double x) {
  double inner = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

double silu(double x) { return x / (1.0 + std::exp(-x)); }

/// Calls work(row, values) for every row of a matrix.
template <typename Work> static void forRows(const HostArray &x, const Work &work) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(rows, columns, [&](uint64_t begin, uint64_t end) {
    std::vector<double> values(columns);
    for (uint64_t row = begin; row < end; ++row) {
      for (uint64_t column = 0; column < columns; ++column)
        values[column] = x.at(row * columns + column);
      work(row, values);
    }
  });
}

void softmaxRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double peak = *std::max_element(values.begin(), values.end());
    double total = 0;
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      total += to[i] = std::exp(values[i] - peak);
    for (size_t i = 0; i < values.size(); ++i)
      to[i] /= total;
  });
}

static double logSumExp(const std::vector<double> &values) {
  double peak = *std::max_element(values.begin(), values.end());
  double total = 0;
  for (double value : values)
    total += std::exp(value - peak);
  return peak + std::log(total);
}

void logSoftmaxRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double lse = logSumExp(values);
    for (size_t i = 0; i < values.size(); ++i)
      out.as<double>()[row * values.size() + i] = values[i] - lse;
  });
}

void logSumExpRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    out.as<double>()[row] = logSumExp(values);
  });
}

RowStatistics rowStatistics(const HostArray &x, double eps) {
  RowStatistics result;
  result.mean.resize(static_cast<size_t>(x.shape()[0]));
  result.rstd.resize(result.mean.size());
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    auto count = static_cast<double>(values.size());
    double mean = 0, variance = 0;
    for (double value : values)
      mean += value / count;
    for (double value : values)
      variance += (value - mean) * (value - mean) / count;
    result.mean[row] = mean;
    result.rstd[row] = 1 / std::sqrt(variance + eps);
  });
  return result;
}

void layerNormRows(HostArray &out, const HostArray &x, const HostArray &weight,
                   const HostArray &bias, const RowStatistics &statistics) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = (values[i] - statistics.mean[row]) * statistics.rstd[row] * weight.at(i) + bias.at(i);
  });
}

void layerNormBackwardRows(HostArray &out, const HostArray &x, const HostArray &dy,
                           const HostArray &weight, const RowStatistics &statistics) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    uint64_t begin = row * values.size();
    auto count = static_cast<double>(values.size());
    double rstd = statistics.rstd[row], alongOnes = 0, alongNormal = 0;
    auto normal = [&](size_t i) { return (values[i] - statistics.mean[row]) * rstd; };
    for (size_t i = 0; i < values.size(); ++i) {
      double gradient = dy.at(begin + i) * weight.at(i);
      alongOnes += gradient / count;
      alongNormal += gradient * normal(i) / count;
    }
    for (size_t i = 0; i < values.size(); ++i)
      out.as<double>()[begin + i] =
          rstd * (dy.at(begin + i) * weight.at(i) - alongOnes - normal(i) * alongNormal);
  });
}

void layerNormBackwardWeights(double *dw, double *db, const HostArray &x, const HostArray &dy,
                              const RowStatistics &statistics, uint64_t first, uint64_t last) {
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(columns, last - first, [&](uint64_t begin, uint64_t end) {
    std::vector<double> weight(end - begin), bias(end - begin);
    for (uint64_t row = first; row < last; ++row)
      for (uint64_t column = begin; column < end; ++column) {
        double gradient = dy.at(row * columns + column);
        double centred = x.at(row * columns + column) - statistics.mean[row];
        weight[column - begin] += gradient * centred * statistics.rstd[row];
        bias[column - begin] += gradient;
      }
    if (dw)
      std::copy(weight.begin(), weight.end(), dw + begin);
    if (db)
      std::copy(bias.begin(), bias.end(), db + begin);
  });
}

void rmsNormRows(HostArray &out, const HostArray &x, const HostArray &weight, double eps) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double squares = 0;
    for (double value : values)
      squares += value * value;
    double rstd = 1 / std::sqrt(squares / static_cast<double>(values.size()) + eps);
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = values[i] * rstd * weight.at(i);
  });
}

void maxRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    out.as<double>()[row] = *std::max_element(values.begin(), values.end());
  });
}

void argmaxRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    auto largest = std::max_element(values.begin(), values.end());
    out.as<double>()[row] = static_cast<double>(largest - values.begin());
  });
}

std::vector<double> rowPeaks(const HostArray &x) {
  std::vector<double> peaks(static_cast<size_t>(x.shape()[0]));
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    for (double value : values)
      peaks[row] = std::max(peaks[row], std::fabs(value));
  });
  return peaks;
}

void cumulativeSumRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double total = 0;
    for (size_t i = 0; i < values.size(); ++i)
      out.as<double>()[row * values.size() + i] = total += values[i];
  });
}

std::array<float, 4> uniforms(uint64_t seed, uint32_t offset) {
  uint32_t words[4];
  tilecrt::philox4x32({offset, 0, 0, 0},
                      {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, words);
  std::array<float, 4> result;
  for (size_t i = 0; i < 4; ++i) {
    // The sign bit folds the range in half; 31 bits are scaled in fp32.
    auto word = static_cast<int32_t>(words[i]);
    result[i] = static_cast<float>(word < 0 ? -1 - word : word) * 4.6566127342e-10f;
  }
  return result;
}

void sumRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double total = 0;
    for (double value : values)
      total += value;
    out.as<double>()[row] = total;
  });
}

void sumColumns(HostArray &out, const HostArray &x) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(columns, rows, [&](uint64_t begin, uint64_t end) {
    double *to = out.as<double>();
    std::fill(to + begin, to + end, 0.0);
    for (uint64_t row = 0; row < rows; ++row)
      for (uint64_t column = begin; column < end; ++column)
        to[column] += x.at(row * columns + column);
  });
}

double sumAll(const HostArray &x) {
  double total = 0;
  for (uint64_t i = 0; i < x.size(); ++i)
    total += x.at(i);
  return total;
}

void transpose(HostArray &out, const HostArray &x) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(columns, rows, [&](uint64_t begin, uint64_t end) {
    for (uint64_t column = begin; column < end; ++column)
      for (uint64_t row = 0; row < rows; ++row)
        out.as<double>()[column * rows + row] = x.at(row * columns + column);
  });
}

} // namespace tilec::harness
