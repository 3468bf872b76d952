# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that the native module does not know: tensors of other frameworks, descriptors, constants.

`classify` answers with one of

    ("value", simpler object)            what the native module knows: a number, None, a tuple
    ("constant", number)                 of _native.constant
    ("named tuple", tuple, number)       the number is that of the fields' names, "data,n"
    ("pointer", address, type, device type, device, memory's address, bytes, read only, framework, stream)
    ("capsule", device type, device, framework)     what has to be asked for its memory, by `open_capsule`
    ("descriptor", tensor, shape, strides, block, pads with NaN)

The last three of a pointer may be left out. The framework is _devices.TORCH and the like; the stream is the one that the
memory was used on last, 0 where that is not known.
"""

from __future__ import annotations

import sys
import types

from . import _devices, _native
from ._locks import Lock

_CPU, _CUDA, _PINNED = 1, 2, 3

#: No memory is below: python/native/Arguments.cpp.
_LEAST_ADDRESS = 1 << 16

#: Numbers of constants that were seen, by their text or value.
constants: dict = {}

_LANGUAGE_NAMES = {
    "u1": "int1", "i1": "int1", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "u64": "uint64", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5",
    "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16", "fp8e4b15": "float8e4b15", "fp16": "float16",
    "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "void": "void",
}

_TYPES = {
    "bool": "u1", "uint1": "u1", "int1": "u1", "half": "fp16", "float": "fp32", "double": "fp64",
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16",
    "float8_e8m0fnu": "u8", "float4_e2m1fn_x2": "u8", "float8_e4b15": "fp8e4b15",
    **{f"{sign}int{bits}": f"{letter}{bits}" for sign, letter in (("", "i"), ("u", "u")) for bits in (8, 16, 32, 64)},
}  # yapf: disable

#: How many functions of a name have been constants.
_names: dict[str, int] = {}
_names_lock = Lock()

_type_numbers: dict = {}


def type_number(dtype) -> int:
    """The number of an element type: of a framework's dtype, or of a type of the language."""
    number = _type_numbers.get(dtype)
    if number is None:
        # NumPy's scalar classes are types, too.
        name = dtype.__name__ if isinstance(dtype, type) else getattr(dtype, "name", None) or str(dtype)
        name = str(name).split(".")[-1]
        number = _native.type_of(_TYPES.get(name, name))
        if number == 0:
            raise TypeError(f"kernels have no element type {dtype!r}")
        _type_numbers[dtype] = number
    return number


def memory_of(tensor) -> tuple[int, int] | None:
    """Address and bytes of the host's memory that a tensor is part of: all that its kernel may touch. None for pinned
    memory, which GPUs reach."""
    storage = getattr(tensor, "untyped_storage", None)
    if storage is not None:
        if sys.modules["torch"].cuda.is_initialized() and tensor.is_pinned():
            return None
        memory = storage()
        return memory.data_ptr(), memory.nbytes()
    array = tensor
    while type(getattr(array, "base", None)) is type(array):
        array = array.base
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        return interface["data"][0], array.nbytes
    return tensor.data_ptr(), tensor.numel() * tensor.element_size()


def device_type(value) -> int:
    """DLPack's number of the kind of device that a tensor, or a descriptor's tensor, is on; 0 for what is none."""
    tensor = value.base if hasattr(value, "block_shape") else value
    device = getattr(tensor, "device", None)
    kind = getattr(device, "type", None) if device is not None else None
    if isinstance(kind, str):
        return {"cuda": _CUDA, "cpu": _CPU}.get(kind, 0)
    if hasattr(tensor, "__cuda_array_interface__"):
        return _CUDA
    if hasattr(tensor, "__array_interface__") and getattr(tensor, "shape", None) is not None:
        return _CPU
    if hasattr(tensor, "__dlpack_device__"):
        return int(tensor.__dlpack_device__()[0])
    return 0


def is_function(value) -> bool:
    """Whether a value is a function of the language, ours or Triton's."""
    return hasattr(value, "__tilec_function__") or type(value).__name__ in ("JITFunction", "ConstexprFunction")


def python_function(function):
    """The function in Python behind one of the language."""
    if getattr(function, "__triton_builtin__", False):
        # Triton's decorators for libraries wrap them.
        return getattr(function, "__wrapped__", function)
    return getattr(function, "fn", function)


def language_path(value) -> tuple[str, str] | None:
    """Where the language has a function, class or builtin of its own: the module and the name there."""
    if isinstance(value, types.ModuleType):
        return None
    value = python_function(value)
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", None)
    root, _, rest = module.partition(".")
    if root not in ("tilec", "triton") or not name:
        return None
    if name == "PROPAGATE_NAN":
        # Triton's enumeration is of its C++ part.
        return "triton.language", "PropagateNan"
    if rest.startswith("language.extra"):
        return f"triton.language.extra.{'libdevice' if 'libdevice' in rest else 'cuda'}", name
    if rest in ("language.math", "language.target_info"):
        return f"triton.{rest}", name
    if rest.startswith("language"):
        return ("triton.language.core" if name.startswith("_") else "triton.language"), name
    if name in ("cdiv", "next_power_of_2", "jit", "constexpr_function", "autotune", "heuristics", "Config"):
        return "triton", name
    return None


def classify(value, is_constexpr: bool, name: str, kernel):
    # Both tilec's and Triton's objects of the language come here.
    kind = type(value)
    if kind.__name__ == "constexpr" and hasattr(value, "value"):
        # A constexpr is a constant for any parameter.
        return _constant_of(value.value, kernel)
    if kind.__name__ == "dtype" and hasattr(value, "scalar") or _is_language_type(value):
        return "constant", _text(type_text(value))
    if is_function(value):
        return _constant_of(value, kernel)
    if value is Ellipsis:
        return "constant", _text("...")
    if isinstance(value, bool):
        return "value", bool(value)
    if isinstance(value, int):
        return "value", int(value)
    if isinstance(value, float):
        return "value", float(value)
    if isinstance(value, str):
        number = constants[value] = _text(repr(str(value)))
        return "constant", number
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields:
            return "named tuple", tuple(value), _text(",".join(fields))
        return "value", tuple(value)
    if isinstance(value, list):
        return "value", tuple(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic) and isinstance(value.item(), (bool, int, float)):
        return "value", value.item()  # It has the interface of arrays as well.
    if not is_constexpr:
        found = _tensor(value, name)
        if found:
            return found
    if is_constexpr:
        return _constant_of(value, kernel)
    raise TypeError(f"argument '{name}' is a {kind.__module__}.{kind.__qualname__}, which no kernel can take: expected a "
                    "tensor, a number, None, a tuple or a tensor descriptor")


def is_empty(tensor) -> bool:
    """Whether a tensor needs no memory, or does not say how many elements it has."""
    shape = getattr(tensor, "shape", None)
    if shape is None:
        shape = getattr(tensor, "__cuda_array_interface__", {}).get("shape")
    return shape is None or 0 in tuple(shape)


def open_capsule(tensor, stream: int | None) -> tuple:
    """What `_native.dlpack_take` says of a tensor of a framework that has DLPack's methods alone.

    :param stream: the stream that it will be used on; None for memory of the host
    """
    # 1 is the default stream, which 0 could mean, too.
    keywords = {} if stream is None else {"stream": stream or 1}
    try:
        capsule = tensor.__dlpack__(**keywords, max_version=(1, 0))
    except TypeError:
        capsule = tensor.__dlpack__(**keywords)  # From before version 1.
    return _native.dlpack_take(capsule)


def wait_for(device_type: int, device: int, stream: int, other: int):
    """Has work on a stream wait for what was queued on another one."""
    _native.stream_wait(_devices.device(device_type, device), stream, other)


classify.memory_of = memory_of
classify.is_empty = is_empty
classify.open_capsule = open_capsule
classify.wait_for = wait_for


def _is_language_type(value) -> bool:
    kind = type(value)
    return kind.__name__ in ("dtype", "pointer_type", "block_type") and kind.__module__.split(".")[0] in (
        "tilec", "triton")


def type_text(value, tl: str = "tl") -> str:
    """A type of the language as kernels write it; `tl` is their name of triton.language."""
    kind = type(value).__name__
    if kind == "pointer_type":
        const = ", const=True" if value.is_const() else ""
        return f"{tl}.pointer_type({type_text(value.element_ty, tl)}{const})"
    if kind == "block_type":
        return f"{tl}.block_type({type_text(value.element_ty, tl)}, {[int(size) for size in value.shape]})"
    return f"{tl}." + _LANGUAGE_NAMES.get(value.name, value.name)


def _member_text(path: tuple[str, str], tl: str) -> str:
    """What `language_path` gave, as kernels write it."""
    module, name = path
    inside = module.removeprefix("triton").removeprefix(".language")
    home = tl if module.startswith("triton.language") else "triton" if tl == "tl" else tl.removesuffix(".language")
    return f"{home}{inside}.{name}"


def annotation_text(annotation) -> str:
    """What a parameter's annotation says: "constexpr", "const", a type such as "i32" or "*fp32", or nothing."""
    if annotation is None:
        return ""
    if not isinstance(annotation, str):
        if getattr(annotation, "__name__", "") in ("constexpr", "const"):
            return annotation.__name__
        if not _is_language_type(annotation):
            return ""
        if type(annotation).__name__ == "pointer_type":
            element = annotation_text(annotation.element_ty)
            return f"*{'k' if getattr(annotation, 'const', False) else ''}{element}" if element else ""
        annotation = annotation.name
    text = annotation.strip().strip("'\"")
    if "constexpr" in text:
        return "constexpr"
    stars = text[:1] == "*"
    text = text.lstrip("*").split(".")[-1]
    if text == "const":
        return text
    text = _TYPES.get(text, text)
    is_type = _native.type_of(text.removeprefix("k") if stars else text) != 0
    return ("*" if stars else "") + text if is_type else ""


def _text(text: str) -> int:
    return _native.constant(text)


def literal(value, tl: str = "tl") -> str | None:
    """A value as kernels write it, with `tl` for triton.language; None for what they cannot write."""
    if type(value).__name__ == "constexpr" and hasattr(value, "value"):
        return literal(value.value, tl)
    if value is None or isinstance(value, (bool, str, bytes)):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(value) if value - value == 0 else f"float('{value}')"
    if _is_language_type(value):
        return type_text(value, tl)
    if type(value).__name__ in ("PropagateNan", "PROPAGATE_NAN"):
        return f"{tl}.PropagateNan.{value.name}"
    known = language_path(value) if callable(value) else None
    if known:
        return _member_text(known, tl)
    if is_function(value):
        return function_name(value)
    if isinstance(value, (tuple, list)):
        items = [literal(item, tl) for item in value]
        if any(item is None for item in items):
            return None
        if isinstance(value, list):
            return "[" + ", ".join(items) + "]"
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if isinstance(value, dict):
        items = [(literal(key, tl), literal(item, tl)) for key, item in value.items()]
        if any(key is None or item is None for key, item in items):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return literal(value.item(), tl)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.dtype):
        name = _TYPES.get(str(value).split(".")[-1])
        return f"{tl}." + _LANGUAGE_NAMES[name] if name else None
    return None


def _is_opaque(value):
    """Whether a kernel may have a value by its text alone: what is no data, and does not change."""
    try:
        hash(value)
    except TypeError:
        return False
    return not (isinstance(value, types.ModuleType) or hasattr(value, "data_ptr") or hasattr(value, "__dlpack__"))


def _constant_of(value, kernel):
    if value is None or isinstance(value, (bool, float)) or type(value) is int:
        # As it is, the native module would take it for an argument.
        return "constant", _text(literal(value))
    text = literal(value)
    if text is None and _is_opaque(value):
        text = literal(str(value))
    if text is None:
        kind = type(value)
        raise TypeError(f"a {kind.__module__}.{kind.__qualname__} cannot be a constant of a kernel: expected a number, a "
                        "text, None, a type of the language, a function, or a tuple of them")
    for function in functions_of(value):
        kernel._bring(function)
    return "constant", _text(text)


def functions_of(value):
    """The functions of the program in a constant, whose names `literal` writes: sources have to bring them along."""
    if type(value).__name__ == "constexpr" and hasattr(value, "value"):
        value = value.value
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from functions_of(item)
    elif isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            yield from functions_of(item)
    elif is_function(value) and not language_path(value):
        yield value


def function_name(function) -> str:
    """The name of a function as a constant, which no other one has in this process."""
    name = function.__dict__.get("_tilec_constant")
    if name is None:
        name = getattr(function, "__name__", "f")
        with _names_lock:
            count = _names[name] = _names.get(name, 0) + 1
        name = f"tilec_function_{name}" + (f"_{count}" if count > 1 else "")
        name = function.__dict__.setdefault("_tilec_constant", name)
    return name


def _tensor(value, name: str):
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        padding = getattr(value, "padding", "zero")
        return "descriptor", value.base, value.shape, value.strides, value.block_shape, padding == "nan"
    data_ptr = getattr(value, "data_ptr", None)
    if data_ptr is not None and hasattr(value, "dtype"):
        device = getattr(value, "device", None)
        kind = getattr(device, "type", device if isinstance(device, str) else None)
        # A stand-in for a tensor says nothing of a device.
        device_type = {"cuda": _CUDA, "cpu": _CPU}.get(kind, 0)
        if kind is not None and device_type == 0:
            raise TypeError(f"argument '{name}' is on a device of type '{kind}', where no kernel can run")
        index = getattr(device, "index", None) or 0
        if device_type == _CPU:
            is_wrapper = not hasattr(value, "untyped_storage") and hasattr(value, "base")
            memory = memory_of(value.base if is_wrapper else value)
            if memory is None:
                device_type, memory = _PINNED, (0, 0)
        else:
            memory = (0, 0)
        return "pointer", data_ptr(), type_number(value.dtype), device_type, index, *memory, False, _devices.TORCH
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _cuda_array(value, interface)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None and getattr(value, "shape", None) is not None and hasattr(value, "base"):
        address, is_read_only = interface["data"]
        return "pointer", address, _array_type(value, interface), _CPU, 0, *memory_of(value), is_read_only
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value)
    return None


def _cuda_array(value, interface: dict):
    """An array of CuPy, JAX, Numba, ..., or a DeviceArray."""
    address, is_read_only = interface["data"]
    wait = getattr(value, "block_until_ready", None)
    if wait is not None:
        wait()  # JAX has streams of its own, and does not say which.
    device = getattr(value, "device", None)
    if isinstance(device, str):
        index = int(device.partition(":")[2] or 0)
    else:
        index = getattr(device, "local_hardware_id", None)
        if index is None:
            index = getattr(device, "id", None)
        if index is None:
            index = _device_of(address or 0)
    framework = _devices.CUPY if type(value).__module__.partition(".")[0] == "cupy" else _devices.OTHER
    stream = interface.get("stream") or 0
    return ("pointer", address or 0, _array_type(value, interface), _CUDA, int(index), 0, 0, bool(is_read_only), framework,
            int(stream))


def _device_of(address: int) -> int:
    """The number of the GPU that memory is of."""
    return _native.memory_device(address) if address >= _LEAST_ADDRESS and _devices.count() > 1 else 0


def _type_of_text(text: str) -> str:
    """The name of a type that is written as in array interfaces: "<f4"."""
    order, kind, size = text[0], text[1], text[2:]
    name = {"b": "bool", "i": "int", "u": "uint", "f": "float"}.get(kind)
    if name is None or not size.isdigit() or order == ">":
        return text
    return name if kind == "b" else f"{name}{8 * int(size)}"


def _array_type(value, interface) -> int:
    dtype = getattr(value, "dtype", None)
    return type_number(dtype if dtype is not None else _type_of_text(interface["typestr"]))


def _from_dlpack(value):
    """A tensor of a framework that has DLPack's methods alone, such as a JAX array of the host."""
    device_type, device = value.__dlpack_device__()
    pointer = getattr(value, "unsafe_buffer_pointer", None)
    if pointer is None:
        return "capsule", int(device_type), int(device), _devices.OTHER
    wait = getattr(value, "block_until_ready", None)
    if wait is not None:
        wait()
    size = value.nbytes if int(device_type) == _CPU else 0
    address = pointer()
    return ("pointer", address, type_number(value.dtype), int(device_type), int(device), address, size, False,
            _devices.OTHER)
