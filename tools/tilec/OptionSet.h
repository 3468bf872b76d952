// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of one command, as its file declares them. The library behind it (CLI11) is not seen
// here: it is slow to compile, and CommandLine.cpp alone knows it.

#ifndef TILEC_TOOLS_TILEC_OPTIONSET_H
#define TILEC_TOOLS_TILEC_OPTIONSET_H

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace tilec::tool {

/// Options are declared in the order in which the help lists them. A value stays as it is when its
/// option is not given; all of them outlive the set.
class OptionSet {
public:
  explicit OptionSet(CLI::App &app) : app(app) {}

  /// A word without dashes.
  void addWord(const std::string &name, std::string &value, const std::string &text);
  /// All words without dashes.
  void addWords(const std::string &name, std::vector<std::string> &values, const std::string &text);

  void addValue(const std::string &name, std::string &value, const std::string &text,
                const std::string &valueName);
  void addValue(const std::string &name, int &value, const std::string &text,
                const std::string &valueName);
  void addValue(const std::string &name, unsigned &value, const std::string &text,
                const std::string &valueName);
  void addValue(const std::string &name, double &value, const std::string &text,
                const std::string &valueName);
  /// An option that may be given many times, with one value each.
  void addRepeated(const std::string &name, std::vector<std::string> &values,
                   const std::string &text, const std::string &valueName);
  /// '--name', or '--name,!--no-name'.
  void addFlag(const std::string &name, bool &value, const std::string &text);
  void addFlag(const std::string &name, std::optional<bool> &value, const std::string &text);
  /// '--name' or '--name=VALUE', many times; without a value it is "true".
  void addFlagWithValues(const std::string &name, std::vector<std::string> &values,
                         const std::string &text, const std::string &valueName);
  /// An option that no help shows.
  void addHidden(const std::string &name, int &value);

  /// The last call counts.
  void require(const std::string &name, bool isNeeded = true);
  /// What the help says behind the options.
  void setFooter(const std::string &text);

  bool isGiven(const std::string &name) const;

private:
  CLI::App &app;
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_OPTIONSET_H
