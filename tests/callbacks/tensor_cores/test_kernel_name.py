import pytest

from callbacks.tensor_cores.kernel_name import own_name


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"),
        ("void cub::Kernel9<int, 1>(int)", "cub::Kernel9"),
        ("void (anonymous namespace)::softmax<float>(float*)", "softmax"),
        ("void at::native::<unnamed>::cat<(int)4>(char *)", "at::native::cat"),
        (
            "std::enable_if<(8 > 0)&&_t<c10::BFloat16>::e, void>::type vllm::fused_norm<int>(int)",
            "vllm::fused_norm",
        ),
        (
            "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<x>>>()",
            "flash::FlashAttnFwdSm90",
        ),
        ("_ZN7cutlass6KernelI9tensorop_EEvNT_6ParamsE", "tensorop_"),
        ("_ZN5Eigen8internal15EigenMetaKernelIiEEvT_", "Eigen::internal::EigenMetaKernel"),
        ("_Z9mul_mat_qIL9ggml_type12ELi128EEvPKc", "mul_mat_q"),
        ("_Z", "_Z"),
        ("", ""),
    ],
)
def test_own_name(name, own):
    assert own_name(name) == own
