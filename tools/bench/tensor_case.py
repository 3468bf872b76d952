# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a tensor-core comparison is made of, in words that need neither PyTorch nor a GPU: configurations, argument types
# specialised as launches do, and what there is to compile. Cubins can so be made on another machine.

import hashlib
from dataclasses import dataclass
from typing import Optional


HOPPER = "sm_90a"


@dataclass(frozen=True)
class Pointer:
    """An argument that is a tensor with elements of this type; torch's tensors are aligned. `tensor`: its name in the data,
    if that is not the argument's."""
    dtype: str
    tensor: str = ""


@dataclass(frozen=True)
class Type:
    """A constant that is a type, like tl.float32."""
    name: str


@dataclass(frozen=True)
class Source:
    """Where a kernel is."""
    file: str
    entry: str


@dataclass
class Configuration:
    """One way to run a kernel: that of the case, if no other is said. `programs`: of a persistent kernel, 0 if there is
    one for each tile. `ctas`: programs of a cluster. `split_k`: CTAs that run one program together. `persistent`: the compiler has as many CTAs
    as fit run all programs."""
    constants: dict
    warps: int
    stages: int
    source: Optional[Source] = None
    programs: int = 0
    ctas: int = 1
    split_k: int = 1
    persistent: bool = False

    @property
    def code(self):
        """What tells the kernel from others, but not how it is launched."""
        kernel = f"{self.source.entry}_" if self.source else ""
        group = self.constants.get("GROUP_M")
        return kernel + "x".join(str(int(v)) for name, v in self.constants.items() if name != "GROUP_M") \
            + f"_w{self.warps}_s{self.stages}" + (f"_g{group}" if group else "") \
            + (f"_c{self.ctas}" if self.ctas > 1 else "") + (f"_k{self.split_k}" if self.split_k > 1 else "") \
            + ("_persistent" if self.persistent else "")

    @property
    def label(self):
        return self.code + (f"_p{self.programs}" if self.programs else "")


def blocks(*rows):
    """Configurations from rows of BLOCK_M, BLOCK_N, BLOCK_K, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k), warps, stages) for m, n, k, warps, stages in rows]


def source_of(case, configuration):
    return configuration.source or Source(case.file, case.entry)


def cdiv(a, b):
    return -(-a // b)


def with_tensors(values, tensors):
    """A launch's values with tensors, by name, for pointers."""
    return {name: tensors[value.tensor or name] if isinstance(value, Pointer) else value for name, value in values.items()}


def text(constant):
    """A constant as tilec reads it."""
    return f"tl.{constant.name}" if isinstance(constant, Type) else repr(constant)


def promise(value):
    """What tilec's launches promise of an integer in offsets and bounds. Triton's stop at 16."""
    return ":16" if value % 16 == 0 else ":8" if value % 8 == 0 else ""


def bind(values, constants):
    """Argument types and constants of a launch with these values: a number that is 1 becomes a constant, pointers and
    multiples of 16 or 8 are marked."""
    kinds, fixed = {}, {}
    for name, value in values.items():
        if isinstance(value, Pointer):
            kinds[name] = f"*{value.dtype}:16"
        elif isinstance(value, float):
            kinds[name] = "fp32"
        elif value == 1:
            fixed[name] = "1"
        else:
            kinds[name] = ("i32" if -2**31 <= value < 2**31 else "i64") + promise(value)
    fixed.update((name, text(value)) for name, value in constants.items())
    return kinds, fixed


@dataclass(frozen=True)
class Build:
    """All that decides a kernel's code, except the source text and the compiler."""
    file: str
    kernel: str
    arguments: tuple
    constants: tuple
    warps: int
    stages: int
    label: str
    target: str = HOPPER
    ctas: int = 1
    split_k: int = 1
    persistent: bool = False

    def name(self, source):
        """A file name; `source` is the text of the file."""
        digest = hashlib.sha256(repr((self, source)).encode()).hexdigest()[:12]
        return f"{self.kernel}-{self.label}-{digest}"


def ours(case):
    """All configurations of tilec: those of the text that Triton compiles too, and others."""
    return case.configurations + getattr(case, "others", [])


@dataclass
class Step:
    """One kernel of a case that launches several."""
    case: object
    entry: str

    @property
    def file(self):
        return self.case.file

    @property
    def variant(self):
        return self.case.variant


def steps_of(case, configuration):
    """The launches of one run: each a case of one kernel and its configuration."""
    return case.steps(configuration) if hasattr(case, "steps") else [(case, configuration)]


def build_of(case, configuration, target=HOPPER):
    kinds, fixed = bind(case.values(configuration), case.constants(configuration))
    source = source_of(case, configuration)
    return Build(source.file, source.entry, tuple(kinds.items()), tuple(fixed.items()), configuration.warps,
                 configuration.stages, f"{case.variant}-{configuration.code}", target, configuration.ctas,
                 configuration.split_k, configuration.persistent)
