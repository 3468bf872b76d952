# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilec's cubins by what they are built from: compiled here on several threads, and kept in a folder or found in one.
# A folder belongs to one build of the library: another one's cubins are removed. For another target than the GPU's they are
# PTX, which the driver compiles.

import concurrent.futures
import glob
import hashlib
import json
import os
import threading

import libtilec
from tensor_case import HOPPER


class Cubins:
    def __init__(self, examples, library=None, folder=None):
        """With a folder, what it holds is not compiled again; without a library nothing is compiled."""
        self.examples, self.library, self.folder = examples, library, folder
        self.texts, self.results, self.local = {}, {}, threading.local()
        if folder and library:
            self.remove_stale()

    def remove_stale(self):
        """Empties the folder of the cubins of another library."""
        os.makedirs(self.folder, exist_ok=True)
        with open(self.library, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        stamp = os.path.join(self.folder, "library.sha256")
        if os.path.exists(stamp):
            with open(stamp) as file:
                if file.read() == digest:
                    return
        for path in glob.glob(os.path.join(self.folder, "*.cubin*")):
            os.remove(path)
        with open(stamp, "w") as file:
            file.write(digest)

    def path(self, build):
        if build.file not in self.texts:
            with open(os.path.join(self.examples, build.file)) as source:
                self.texts[build.file] = source.read()
        return os.path.join(self.folder, build.name(self.texts[build.file]) + ".cubin")

    def make_compiler(self):
        """Of the library, or of the program where that is what was given."""
        is_library = ".so" in os.path.basename(self.library)
        return libtilec.Compiler(self.library) if is_library else libtilec.CommandLine(self.library)

    def make(self, build):
        """Image and metadata."""
        if self.folder and os.path.exists(self.path(build) + ".json"):
            with open(self.path(build), "rb") as image, open(self.path(build) + ".json") as metadata:
                return image.read(), json.load(metadata)
        if not self.library:
            raise RuntimeError(f"no cubin {self.path(build)}")
        if not hasattr(self.local, "compiler"):
            self.local.compiler = self.make_compiler()  # each serves one call at a time
        image, metadata = self.local.compiler.compile(
            os.path.join(self.examples, build.file), build.kernel, dict(build.arguments), dict(build.constants),
            build.warps, build.stages, build.target, libtilec.CUBIN if build.target == HOPPER else libtilec.PTX,
            num_ctas=build.ctas, split_k=build.split_k, persistent=build.persistent)
        if self.folder:
            with open(self.path(build), "wb") as file:
                file.write(image)
            with open(self.path(build) + ".json", "w") as file:  # last: it tells that both are there
                json.dump(metadata, file)
        return image, metadata

    def prepare(self, builds, jobs):
        """Makes all of them; returns the errors by build."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            self.results.update((build, pool.submit(self.make, build)) for build in set(builds) - set(self.results))
        return {build: str(error) for build in builds if (error := self.results[build].exception())}

    def kernel(self, build):
        """Loads one of those that were prepared."""
        return libtilec.Kernel(*self.results[build].result())
