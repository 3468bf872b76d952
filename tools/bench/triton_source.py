# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A .tile file as a Python module, so that Triton compiles the very same text.

import importlib.util
import os
import sys


def load(path, folder):
    """The module of a .tile file; its Python text is put in `folder`."""
    name = "peer_" + os.path.basename(path).replace("-", "_").replace(".tile", "")
    if name in sys.modules:
        return sys.modules[name]
    copy = os.path.join(folder, name + ".py")
    with open(path) as source:
        text = ("import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
                + source.read())
    # Several processes may do this at the same time.
    with open(f"{copy}.{os.getpid()}", "w") as module:
        module.write(text)
    os.replace(module.name, copy)
    spec = importlib.util.spec_from_file_location(name, copy)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
