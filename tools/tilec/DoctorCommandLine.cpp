// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec doctor'.

#include "CommandParser.h"
#include "SharedOptions.h"

namespace tilec::tool {

namespace {

class DoctorParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  DoctorCommand doctor;
};

void DoctorParser::declare(OptionSet &options) { addAssemblerOption(options, doctor.ptxas); }

Command DoctorParser::read(const OptionSet & /*options*/) { return std::move(doctor); }

} // namespace

std::unique_ptr<CommandParser> makeDoctorParser() { return std::make_unique<DoctorParser>(); }

} // namespace tilec::tool
