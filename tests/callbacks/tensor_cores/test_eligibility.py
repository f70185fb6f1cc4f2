import pytest

from callbacks.tensor_cores.eligibility import is_eligible, op_type

ELIGIBLE = """Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilterV2
    DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput MatMul BatchMatMul BatchMatMulV2
    _FusedMatMul FusedMatMul Einsum CudnnRNN CudnnRNNBackpropV3 CudnnRNNV3 XlaDot XlaDotV2
    dot_general conv_general_dilated dot.12 convolution aten::conv2d aten::cudnn_convolution
    aten::convolution_backward aten::cudnn_convolution_backward_weight aten::_convolution aten::mm
    aten::addmm aten::bmm aten::baddbmm aten::linear aten::matmul aten::einsum aten::_scaled_mm
    aten::scaled_dot_product_attention aten::_scaled_dot_product_flash_attention
    aten::_scaled_dot_product_efficient_attention_backward aten::_flash_attention_forward
    aten::_efficient_attention_backward aten::_cudnn_rnn aten::_cudnn_rnn_backward"""
OTHERS = "Relu BiasAdd Cast FusedBatchNormV3 aten::add_ aten::gelu convert_element_type"


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("sequential/conv2d/convolution:Conv2D", "Conv2D"),
        (
            "replica_4/layer_5/random_uniform/RandomUniform:RandomUniform#shape=(int32[3])#",
            "RandomUniform",
        ),
        ("aten::addmm", "aten::addmm"),
        ("jit(loss)/jvp()/dot_general", "dot_general"),
        ("jit(step)/dot_general:", "dot_general"),
        ("XlaModule:", ""),
        ("", ""),
    ],
)
def test_op_type(op, kind):
    assert op_type(op) == kind


@pytest.mark.parametrize("kind", ELIGIBLE.split())
def test_matrix_products_are_eligible(kind):
    assert is_eligible(kind) is True


@pytest.mark.parametrize("kind", OTHERS.split())
def test_other_ops_are_not(kind):
    assert is_eligible(kind) is False


@pytest.mark.parametrize(
    "kind", ["", None, "my::op", "XlaModule", "PartitionedCall", "te_fused_attn_forward_ffi"]
)
def test_ops_that_may_hide_a_product_are_not_known(kind):
    assert is_eligible(kind) is None
