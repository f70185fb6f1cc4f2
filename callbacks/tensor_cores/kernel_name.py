"""The kernel's own name: what remains of a recorded name without template arguments."""

import re

# Templates whose only job is to launch the kernel named by their first argument: CUTLASS
# (https://github.com/NVIDIA/cutlass) and the guards flash attention and vLLM put around it.
LAUNCHERS = re.compile(r"Kernel2?|device_kernel|kentry|enable_\w+")
SOURCE_NAME = re.compile(r"(\d+)")
SKIPPED = re.compile(r"S[0-9A-Zt]*_?|[NKVRr]")


def own_name(name: str) -> str:
    """Returns the qualified name of the function that does the work.

    Template arguments, parameters and the return type are cut off; a launcher such as
    `cutlass::Kernel<...>` gives way to the kernel it launches. Names mangled by the Itanium C++ ABI
    (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) are read without a demangler.

    >>> own_name("void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)")
    'cutlass_80_simt_sgemm_128x32_8x5_nn_align1'
    >>> own_name("_ZN2at6native13reduce_kernelILi512EEEvT_")
    'at::native::reduce_kernel'
    """
    if name.startswith("_Z"):
        return _mangled(name) or name
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::|\{anonymous\}::", "", name)
    name = re.sub(r"^(void|int|float|std::enable_if<.*?>::type)\s+", "", name)
    name = re.sub(r"^void\s+", "", name)
    return _demangled(name)


def _demangled(name: str) -> str:
    head, bracket, rest = re.match(r"([^<(]*)(.?)(.*)", name, re.DOTALL).groups()
    if bracket == "<" and LAUNCHERS.fullmatch(head.rpartition("::")[2]):
        return _demangled(rest.lstrip()) or head
    return re.split(r"[>,\s]", head.strip(), maxsplit=1)[0]


def _mangled(name: str) -> str:
    parts, position = [], 2
    while position < len(name):
        length = SOURCE_NAME.match(name, position)
        if length:
            position = length.end() + int(length[1])
            parts.append(name[length.end() : position])
        elif name[position] == "I" and parts and LAUNCHERS.fullmatch(parts[-1]):
            parts, position = [], position + 1
        elif skipped := SKIPPED.match(name, position):
            position = skipped.end()
        else:
            break
    return "::".join(part for part in parts if part != "_GLOBAL__N_1")
