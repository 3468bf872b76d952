# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs of the examples folder: their RUN line is the command that a reader would type.

import os

lit_config.load_config(config, os.path.join(config.tilec_source_dir, "test", "lit.cfg.py"))
config.name = "tilec-examples"
config.test_source_root = os.path.join(config.tilec_source_dir, "examples")
config.test_exec_root = os.path.join(config.tilec_binary_dir, "test", "examples")
config.suffixes = [".tile", ".py"]
# Kernels of programs that test/Api/installed.test builds and runs, and a program of test/Api/torch-operators.test.
config.excludes = ["host", "check.py"]
