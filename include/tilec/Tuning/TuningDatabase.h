// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the autotuner found, as a JSON file that people can read, put under version control and
// merge: one record for each kernel, device, signature and bucket of sizes.

#ifndef TILEC_TUNING_TUNINGDATABASE_H
#define TILEC_TUNING_TUNINGDATABASE_H

#include "tilec/Tuning/TuningConfig.h"

namespace tilec {

/// What a record is found by.
struct TuningKey {
  /// Digits of a hash over the kernel's source; not over its place.
  std::string kernelHash;
  /// "NVIDIA H200", or "simulator".
  std::string device;
  /// Types of the run-time arguments, in their order: "x_ptr:*fp32:16".
  std::vector<std::string> types;
  /// Sizes, each raised to its bucket's upper end, sorted by name.
  std::vector<std::pair<std::string, int64_t>> sizes;

  bool operator<(const TuningKey &other) const;
  bool operator==(const TuningKey &other) const;
};

struct TuningRecord {
  TuningKey key;
  /// For people.
  std::string kernelName;
  TuningConfig config;
  /// What the best configuration took, and in what: "us" or, on the simulator, "cost".
  double cost = 0;
  std::string unit;
  /// How many configurations were measured.
  int64_t measured = 0;
  std::string tilecVersion;
};

/// The upper end of the bucket of a size: the next power of two; 0 and less are buckets of their
/// own.
int64_t bucketOf(int64_t size);

class TuningDatabase {
public:
  /// Reads a database; one that does not exist is empty. An error says what is wrong with it.
  static llvm::Expected<TuningDatabase> load(const std::string &path);
  static llvm::Expected<TuningDatabase> parse(llvm::StringRef text);

  /// The record of a key, or null.
  const TuningRecord *find(const TuningKey &key) const;
  /// Puts a record in the place of the one with its key.
  void put(TuningRecord record);
  /// Takes the records of another database over where they are new, of a newer version, or better.
  void merge(const TuningDatabase &other);

  /// In the order of their keys.
  const std::vector<TuningRecord> &getRecords() const { return records; }
  /// Deterministic, two-space indented, one final newline.
  std::string toText() const;
  /// Writes the file in one step.
  llvm::Error save(const std::string &path) const;

  /// Puts one record into a file that other processes may be changing at the same time.
  static llvm::Error update(const std::string &path, const TuningRecord &record);

private:
  std::vector<TuningRecord> records;
};

} // namespace tilec

#endif // TILEC_TUNING_TUNINGDATABASE_H
