# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The GoogleTest binaries of the build folder, each test a lit test. A binary's name ends in Tests.

import os

import lit.formats

lit_config.load_config(config, os.path.join(config.tilec_source_dir, "test", "lit.cfg.py"))
config.name = "tilec-unit"
config.test_source_root = config.test_exec_root = os.path.join(
    config.tilec_binary_dir, "test", "unit"
)
config.test_format = lit.formats.GoogleTest(".", "Tests")
