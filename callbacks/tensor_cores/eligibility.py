"""Which framework ops could run on Tensor Cores: those that are matrix products."""

import re

from callbacks.tensor_cores.rules import MATRIX_WORDS

# Types of TensorFlow ops, behind the colon of the profiler's `tf_op` stat. The list is XProf's
# (https://github.com/openxla/xprof), with Keras's depthwise and 3-D convolutions.
TENSORFLOW = r"""
    (Fused|Quantized|_Fused|Sparse)?(Batch)?MatMul(V\d)? | (Xla)?Einsum | XlaDot(General)?(V2)?
    | Conv[123]D(Transpose|BackpropFilter|BackpropInput)?(V2)? | Conv | XlaConv(V2)? | _FusedConv2D
    | DepthwiseConv2dNative(BackpropFilter|BackpropInput)? | CudnnRNN(Backprop)?(V\d)?
"""
# Primitives of JAX and HLO opcodes: https://openxla.org/xla/operation_semantics
XLA = r"(scaled_|ragged_)?dot(_general)?([.\d]+)? | conv_general_dilated | convolution([.\d]+)?"
# Operators of PyTorch: https://pytorch.org/docs/stable/torch.html
TORCH = r"""
    (aten|torch|quantized|onednn|te|vllm|_C|sglang)::_*(
      (cudnn_|mkldnn_|miopen_|slow_|thnn_|_)?conv(olution)?(_?(transpose)?[123]d|_depthwise[23]d)?
        (_overrideable|_transpose|_backward(_overrideable|_input|_weight)?|_relu|_add_relu)?
      | (sparse_)?(add)?(mm|bmm|mv)(_out|_activation)? | baddbmm | addbmm | matmul(_backward)?
      | linear(_backward)? | bilinear | trilinear | einsum | dot | inner | tensordot | chain_matmul
      | scaled_mm(_v2)? | grouped_mm | scaled_grouped_mm | int_mm | weight_int\dpack_mm
      | cudnn_rnn(_backward)? | lstm | gru | (thnn_fused_)?(lstm|gru)(_cell)? | addmm_activation
      | (scaled_dot_product|flash|efficient|cudnn)(_(flash|efficient|cudnn|fused))?_attention
        (_for_cpu|_math|_forward|_backward)*
      | (cutlass_)?scaled_(fp[48]_)?mm\w* | cutlass_\w*mm | \w*marlin_gemm | awq_gemm | gptq_gemm
      | unified_attention(_with_output)? | moe_forward\w* | fused_experts\w*
    )
"""

_ELIGIBLE = re.compile(f"(?:{TENSORFLOW}|{XLA}|{TORCH})", re.VERBOSE)
# Types by which XLA names a whole compiled program: they say nothing about one kernel.
_WHOLE_PROGRAMS = {"XlaModule", "XlaRun", "_XlaRun", "XlaLaunch", "_XlaCompile"}
_CALLS = {"StatefulPartitionedCall", "PartitionedCall", "While", "If", "CustomCall", "custom-call"}
_MATRIX_WORDS = re.compile(MATRIX_WORDS)
_KNOWN_TORCH = re.compile(r"(aten|prims)::")


def op_type(op: str) -> str:
    """Returns the type of a recorded op, or "" if the record does not tell.

    `sequential/conv2d/convolution:Conv2D` is a `Conv2D`; PyTorch's `aten::mm` is its own type; of
    JAX's `jit(step)/transpose/dot_general`, whose type is empty, the last part is the type.
    """
    if re.match(r"\w+::", op):
        return op
    name, colon, kind = op.partition("#")[0].rpartition(":")
    if not colon:
        name, kind = kind, ""
    if not kind and "/" in name:
        kind = re.sub(r"_\d+$", "", name.rpartition("/")[2].partition("[")[0])
    return "" if kind in _WHOLE_PROGRAMS or name in _WHOLE_PROGRAMS else kind


def is_eligible(kind: str | None) -> bool | None:
    """Returns whether an op of this type could run on Tensor Cores, None if that is not known.

    Other libraries' ops, calls of whole functions and names that speak of a matrix product without
    being on the lists are None, not False: any of them may hide one.

    >>> is_eligible("Conv2DBackpropFilter"), is_eligible("Relu"), is_eligible("my::op")
    (True, False, None)
    """
    if not kind or kind in _WHOLE_PROGRAMS or kind in _CALLS:
        return None
    if _ELIGIBLE.fullmatch(kind):
        return True
    if ("::" in kind and not _KNOWN_TORCH.match(kind)) or _MATRIX_WORDS.search(kind):
        return None
    return False
