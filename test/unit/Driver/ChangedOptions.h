// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that differ from given ones in one option, for each of them.

#ifndef TILEC_TEST_UNIT_DRIVER_CHANGEDOPTIONS_H
#define TILEC_TEST_UNIT_DRIVER_CHANGEDOPTIONS_H

#include "tilec/Driver/CompileOptions.h"

namespace tilec::test {

/// Another value for each kind of option, with which a kernel(x_ptr, n, BLOCK) compiles.
inline void change(bool &flag) { flag = !flag; }
inline void change(uint64_t &number) { number += 7; }
inline void change(std::optional<int> &number) { number = 2; }
inline void change(std::optional<bool> &flag) { flag = !flag.value_or(false); }
inline void change(std::string &text) { text = "sm_80"; }
inline void change(Stage &stage) { stage = Stage::Cubin; }
inline void change(WarningOptions &warnings) { (void)warnings.apply("no-unused-value"); }
inline void change(std::vector<ArgumentSpec> &list) {
  list = {{"x_ptr", "*fp32:16"}, {"n", "i32"}};
}
inline void change(std::vector<ConstantSpec> &list) { list = {{"BLOCK", "256"}}; }
inline void change(std::vector<std::pair<std::string, int64_t>> &list) { list = {{"n", -5}}; }
inline void change(ModuleSearch &modules) {
  modules = {{"folder"}, {{"a.py", "A = 1\n"}, {"b.py", ""}}};
}
inline void change(ToolSearch &tools) { tools = {"a", "b", "c", "d", "e", "f"}; }

/// Calls `use(name)` for each option of `uses` while `options` has another value there.
template <OptionUse... uses, typename Use> void changeEach(CompileOptions &options, Use use) {
  visitOptions<uses...>(options, [&](const char *name, auto &option) {
    auto before = option;
    change(option);
    use(std::string(name));
    option = before;
  });
}

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_DRIVER_CHANGEDOPTIONS_H
