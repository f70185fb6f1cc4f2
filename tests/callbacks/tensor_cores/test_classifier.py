"""The classifier against kernel names seen in public profiles, issues and library sources."""

import pytest

from callbacks.tensor_cores.classifier import classify
from callbacks.tensor_cores.rules import RULES

# Template arguments and parameters that say nothing are shortened to `x`.
YES = """
ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_nn
turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_nn
sm86_xmma_fprop_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3_warpsize2x2x1_g1_tensor16x8x16_aligna4_alignc4_execute_kernel__5x_cudnn
sm75_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage1_warpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn
void cutlass_cudnn_infer::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_128x256_32x3_nhwc_align8>(x)
void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64>, true>(x)
void cutlass::device_kernel<flashinfer::gemm::DeviceGemmFp4GemmSm100<cutlass::half_t>>(x)
void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<cute::tuple<int>>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm100ArrayTmaUmmaWarpSpecialized<3>>>>(x)
_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEENS1_10collective13CollectiveMmaINS1_34MainloopSm90TmaGmmaWarpSpecializedILi4EEEEEEEEEvNT_6ParamsE
_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_16FlashAttnFwdSm90INS1_25CollectiveMainloopFwdSm90ILi2EEEEEEEEEvNT_6ParamsE
_ZN6marlin6MarlinI6__halfLl2ELi256EEEvPK4int4
ampere_first_layer_filter3x3_imma_fwd_swish_exec
_gemm_mha_v2_0xabcdef
cutlass_80_wmma_tensorop_i161616gemm_s8_forwardCompat_128x128_32x2_tn_align4
void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_128x64_sliced1x2_32x6_nn_align2>(x)
volta_h884gemm_256x64_ldg8_nn
volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn
void cutlass::Kernel<cutlass_70_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>(cutlass_70_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8::Params)
turing_h1688gemm_128x128_ldg8_nn
turing_h1688cudnn_256x64_sliced1x2_ldg8_relu_exp_small_nhwc_tn_v1
Volta_hmma_implicit_gemm_fprop_fp32_nhwc_128x128x32_1_wo_smem
turing_int8_i8816cudnn_int8_128x128_ldg16_relu_singleBuffer_medium_nt_v1
ampere_bf16_s16816gemm_bf16_128x64_ldg8_relu_f2f_stages_64x4_tn
ampere_s16816gemm_bf16_64x64_sliced1x2_ldg8_stages_64x6_nn
cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1
void cutlass::Kernel<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(x)
void cutlass::Kernel<cutlass_80_tensorop_z884gemm_64x64_16x4_nn_align1>(x)
void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x64_128x3_tn_align4>(x)
cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64_2x1x1_0_ttt_align8_warpspecialized_pingpong_epi_tma
cutlass3x_sm100_tensorop_gemm_e4m3_e4m3_f32_bf16_bf16_64x8x128_0x0x1_0_tnt_align16_1sm
sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_tilesize96x64x32_stage3_warpsize2x2x1_tensor16x8x16_kernel
sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4_warpsize1x1x4_g8_tensor16x8x16_execute_kernel__5x_cudnn
nvjet_sm90_tst_192x8_64x8_2x1_v_bz_TNT
nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT
void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1> > > > > >(x)
void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8>>(x)
void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(x)
fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)
fmha_cutlassB_f16_aligned_64x64_k64_dropout_sm80(x)
fmha_cutlassB_f16_aligned_64x64_k64_sm70
fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)
fmha_v2_flash_attention_bf16_64_64_S_q_paged_kv_256_causal_tma_ws_sm90_kernel
fmhaSm100fKernel_QkvE4m3OBfloat16H128PagedKvCausalP16VarSeqQ16Kv128
void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<cute::tuple<int>>>(x)
cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_6_128x64x64_4x1x1_cga1x1x1_kernel0_0
cudnn_generated_fort_native_sdpa_sm100_flash_bprop_f16_knob_1
void marlin::Marlin<__half, 256, 1, 8, 8, 4>(x)
void marlin_moe_wna16::Marlin<__nv_bfloat16, 1>(x)
void gptq_marlin::Marlin<__half, 1>(x)
Marlin_24<4, 256>(x)
gemm_forward_4bit_cuda_m16n128k32
void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<(at::native::KReductionType)0>>(x)
void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 1u, 5u>(x)
void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u>(x)
void deep_gemm::sm100_fp8_gemm_1d1d_impl<(cute::UMMA::Major)0>(x)
void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits>(x)
void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64>>(x)
kernel_mha
void sm90::xqa_kernel_dt_bf16(x)
fused_moe_kernel
void RNN_blockPersist_fp_LSTM_HMMA<__half>(x)
_ZN7cutlass7Kernel2I65cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_32x1_nn_align8XXXEEvNT_6ParamsE
_ZN13pytorch_flash16flash_fwd_kernelI23Flash_fwd_kernel_traitsILi64ELi128ELi128ELi4EEEEvv
void mul_mat_q<(ggml_type)12, 128, false>(x)
void flash_attn_ext_f16<128, 128, 64>(x)
trt_ampere_h16816gemm_128x64_ldg8_nn_v1
trt_volta_h884cudnn_256x64_ldg8_relu_exp_medium_nhwc_tn_v1
sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_tilesize96x64x64_stage3_warpsize2x2x1_g1_tensor16x8x32_t1r1s1_epifadd
void xmma_cudnn::gemm::kernel<xmma_cudnn::implicit_gemm::wgrad_indexed::Kernel_traits<xmma_cudnn::Ampere_hmma_fp32_traits>>(x)
void qk_int_sv_f8_attn_kernel<128u, 64u, 32u>(x)
kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__tensor
void cutlass::device_kernel<enable_sm90_or_later<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4>>>>>(x)
void cutlass::device_kernel<vllm::cutlass_3x_gemm_fp8_blockwise>(x)
void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaMultistage<x, cutlass::gemm::warp::MmaTensorOp<>>>>(x)
_w8a8_block_fp8_matmul
void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<96>>(x)
"""
NO = """
ampere_sgemm_128x64_nn
void cudnn::cnn::kern_precompute_indices<false>(int, int, int)
void cudnn::detail::explicit_convolve_sgemm<float, int, 1024, 6, 7>(x)
cudnn::ops::op_tensor_kernel_alpha2_zero<2, float>(x)
void op_generic_tensor_kernel<2, float, float, float, 256>(x)
void OffsetComputeKernel(x)
void cudnn::detail::pooling_fw_4d_kernel<float>(x)
void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::Flash_bwd_kernel_traits<64>>(x)
void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>(x)
void gemm_kernel1x1_core<float, 256>(x)
ncclKernel_ReduceScatter_RING_LL_Sum_bf16
void tensorflow::functor::ShuffleInTensor3Simple<Eigen::half, 2, 1, 0, true>(x)
void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 1024>(x)
void tensorflow::(anonymous namespace)::GenericKernel<x>(x)
void tensorflow::functor::ResourceApplyAdamKernel<float>(x)
input_fusion_reduce_17
loop_dot_fusion
Mul_GPU_DT_HALF_DT_HALF_kernel
Sub_GPU_DT_FLOAT_DT_FLOAT_kernel
Conj_kernel
void cub::DeviceSegmentedReduceKernel<x>(x)
void splitKreduce_kernel<32, 16, int, __half, __half, float, __half, true, true, false>(x)
void cudnn::winograd::generateWinogradTilesKernel<0, float, float>(x)
void tensorrt_llm::kernels::quantize_with_block_size<x>(x)
vllm::silu_and_mul_kernel
void vllm::act_and_mul_kernel<c10::BFloat16>(x)
void vllm::concat_and_cache_mla_kernel<x>(x)
_ZN7cutlass13device_kernelIN5flash19FlashAttnFwdCombineIN4cute5tupleIJNS2_1CILi16EEEEEELi5EEEEEvNT_6ParamsE
_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7MeanOpsIffffEEjfLi4EEEEEvT1_
void fastertransformer::softmax_kernel_v4<float>(x)
void transformer_engine::scaled_masked_softmax_warp_forward<__half>(x)
void multi_tensor_apply_kernel<TensorListMetadata<3>, ScaleFunctor<c10::Half, float>, float>(x)
cuApplyLayerNorm
void apply_grammar_bitmask_kernel(x)
void LSTM_elementWise_bp1<__half, __half, float>(x)
void GENERIC_elementWise_bp2<float>(x)
persistentRNN_fp
_layer_norm_fwd_1pass_kernel
void vllm::gptq::reconstruct_exllama_4bit_kernel(x)
_ZN4vllm25paged_attention_v1_kernelIttLi128EEEvPT_
convert_pred_kernel
void dot_product_scores_reduce_softmax(x)
void conversion_kernel(x)
digamma_kernel
void cuInt8::nchwTonhwc<float, 32>(x)
void dequantize_block_q4_K<__half>(x)
void convert_unary<float, __half>(x)
void rope_norm<true>(x)
void soft_max_f32<true>(x)
void quantize_q8_1(x)
void k_get_rows_float<x>(x)
triton_red_fused__log_softmax_nll_loss_mm_4
SplitKreduce
void sm90_moe_permute(x)
ampere_fp16_sgemm_fp16_128x64_nn
turing_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v0
cudnn_infer_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1
void regular_fft_pad<0u>(x)
void cask__5x_cudnn::computeOffsetsKernel<false, false>(x)
void wgrad2d_c1_k1_nhwc_kernel<__half>(x)
void wgrad2d_c1_k1_nhwc_reduce_kernel<__half>(x)
void dgrad2d_c1_k1_nhwc_kernel<__half>(x)
void DepthwiseConv2dBackpropFilterGPUKernelNHWC<float>(x)
memset_kernel
redzone_checker
cudaMemset
void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::MatrixShape<4, 128>>>(x)
sm90_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas
void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<16>, cute::C<128> >, 5, 256> >(x)
void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<cute::tuple<cute::C<16>>, cutlass::bfloat16_t, float, cute::TiledMMA<cute::MMA_Atom<cute::SM90_64x64x16_F32BF16BF16_SS>>> >(x)
void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdPreprocess<cute::tuple<cute::C<64>>, cutlass::half_t>>>(x)
void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128>>(x)
void flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<64, 128>>(x)
fmha_cutlassF_f16_notaligned_64x64_rf_sm50
fmha_cutlassF_f32_aligned_64x64_rf_sm75
void cudnn::fusion::compute_dot_do_o_specialized<false, __half, float, 128, 64, 128, 4>(x)
void cudnn::fusion::convert_dq_to_16bits<true, __half, float, 64>(x)
triton_poi_fused__to_copy_convolution_3
triton_per_fused_mm_native_layer_norm_1
triton_softmax_12
loop_convolution_multiply_fusion_2
input_transpose_fusion_4
fusion_12
void marlin::permute_cols_kernel(int4 const*)
void gptq_marlin_repack_kernel<256, 4, false>(unsigned int const*)
void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 4>(x)
vllm::awq::dequantize_weights(int*, __half*)
void gemv_kernel_g128(float4 const*)
void kgemm_4bit_inference_naive<__half, 128, 16>(x)
void kDequantizeBlockwise<__half, 512, 64, 8, 2>(float*, unsigned char*)
void kQuantizeBlockwise<__half, 4096, 4, 0, 0>(float*)
void kdequant_mm_int32_fp16<4, 512>(int*)
void deep_gemm::transpose_fp32<512u, 64u>(float const*)
void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u>(x)
void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u>(x)
void flash_fwd_mla_combine_kernel<float, cutlass::bfloat16_t>(x)
get_mla_metadata_kernel(Mla_metadata_params)
void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<unsigned short>(x)
fmhaReductionKernel_bf16
void vllm::paged_attention_v1_kernel<__half, __half, 128, 16, 128>(x)
void vllm::paged_attention_v2_reduce_kernel<__half>(x)
void vllm::merge_attn_states_kernel<float>(x)
void vllm::moe::moe_align_block_size_kernel<int>(int*)
void vllm::moe::topkGatingSoftmax<8, 128>(x)
ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)
void RNN_blockPersist_fp_LSTM<float, float, float, 1>(x)
void elemWiseRNNcell<__half, __half, __half, (cudnnRNNMode_t)2>(x)
void LSTM_elementWise_fp<__half, __half>(x)
void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, false, cublasGemvTensorStridedBatched<float const>>(x)
void gemv2T_kernel_val<int, int, __half>(x)
std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, float, float, float>(x)
void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>>>(x)
ampere_sgemm_64x32_sliced1x4_nn
maxwell_sgemm_128x64_nn
volta_dgemm_128x64_nn
volta_cgemm_32x64_tn
volta_gcgemm_32x32_nt
volta_hgemm_128x64_nn
void fermiCgemm_v3_kernel<true, false>(x)
void magma_sgemmEx_kernel<float, float, float, false>(x)
void conv2d_c1_k1_nhwc_kernel_specialized<__half, __half, __half, float, float, 5, 1, 8, 3, true>(x)
void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, false, false, 0, 0, int, __half>(x)
void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, c10::Half, int>(x)
void at::native::im2col_kernel<float>(x)
void tensorflow::DepthwiseConv2dGPUKernelNHWC<Eigen::half, 3, 3, 1>(x)
void fft2d_r2c_32x32<float, false, 0u, false>(x)
void cudnn::cnn::im2col4d_kernel<float, int>(x)
void explicit_convolve_sgemm<float, int, 128, 5, 5>(x)
void precomputed_convolve_sgemm<float, 512>(x)
compute_gemm_pointers(float2**, float2 const*, int)
void cub::DeviceReduceSingleTileKernel<x>(x)
void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<x>(x)
void fbgemm_gpu::split_embedding_codegen_forward_unweighted_kernel<float>(x)
void transformer_engine::normalization::ln_fwd_tuned_kernel<x>(x)
void transformer_engine::(anonymous namespace)::cast_transpose_kernel<x>(x)
void scaled_upper_triang_masked_softmax_warp_forward<__half>(x)
void attn_softmax_v2<__half, 4>(x)
_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_
_ZN7cutlass6KernelI41cutlass_80_simt_sgemm_128x32_8x5_nn_align1XEEvNT_6ParamsE
_ZN13pytorch_flash30flash_fwd_splitkv_combine_kernelI23Flash_fwd_kernel_traitsILi64EEEEvNS_16Flash_fwd_paramsE
void Eigen::internal::EigenFloatContractionKernelInternal16x16<x>(x)
void cusparse::csrmm_alg2_kernel<x>(x)
causal_conv1d_fwd_kernel
_causal_conv1d_update_kernel
void mul_mat_vec_q<(ggml_type)12, 1>(x)
void mul_mat_q_stream_k_fixup<(ggml_type)12>(x)
void flash_attn_tile_ext_f16<128>(x)
quantize_mmq_q8_1
trt_volta_scudnn_128x64_relu_small_nn_v1
trt_volta_int8x4_icudnn_int8x4_128x64_relu_medium_nn_v1
void genericReformat::copyPackedKernel<float>(x)
void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaPipelined<x, cutlass::gemm::warp::MmaSimt<>>>>(x)
void nhwcAddPaddingKernel<__half, __half, float, true, (cudnnKernelDataType_t)0>(x)
void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true>(x)
void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half2, 512>(x)
void cudnn::batchnorm_bwtr_nhwc_semiPersist<__half>(x)
void at::native::lgamma_kernel_cuda(x)
igamma_kernel
dropout_gemma_rmsnorm
void tensorflow::BiasNHWCKernel<Eigen::half>(x)
_Z10kernelNamePf
convert_fusion_3
wrapped_convert
void transformer_engine::fused_attn::populate_rng_state_kernel(long*)
bitsandbytes_kOptimizer32bit2State
void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>(x)
void tensorrt_llm::kernels::weight_only::kernel<x>(x)
void mshadow::cuda::MapPlanKernel<mshadow::sv::saveto, 8, mshadow::expr::dot>(x)
void dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(x)
void wgrad_alg1_engine_NHWC<__half, 128>(x)
void cudnn::cnn::dgrad2d_alg1_1<float, 0, 6>(x)
sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x16_stage3_warpsize2x2x1_ff_main_v1
reshape_and_cache_kernel_flash
void vllm::cutlass_mla_metadata
void group_norm_nhwc_fwd_sum_kernel<32>(x)
void flash::prepare_varlen_num_blocks_kernel<1>(x)
volta_igemm_int8_128x128_ldg4_nn
cask_cudnn_infer::computeOffsetsKernel(x)
"""
UNKNOWN = """
matmul_kernel
_bmm_chunk_fwd_kernel
void attention_forward<float>(x)
void cutlass::Kernel<MyGemm<float>>(x)
cudnn_generated_fort_native_sm80_convFwd_pointwise_pointwise_pointw
triton_gemm_dot_1
gemm_fusion_dot_3
triton_tem_fused_addmm_relu_2
triton_mm
_chunk_scan_fwd_kernel
_attn_fwd
_fwd_kernel
main_kernel
void my_custom_gemm<float>(x)
"""


@pytest.mark.parametrize("name", YES.strip().splitlines())
def test_tensor_core_kernels(name):
    assert classify(name) == "yes"


@pytest.mark.parametrize("name", NO.strip().splitlines())
def test_cuda_core_kernels_and_helpers(name):
    assert classify(name) == "no"


@pytest.mark.parametrize("name", UNKNOWN.strip().splitlines())
def test_names_that_do_not_tell(name):
    assert classify(name) == "unknown"


@pytest.mark.parametrize("name", ["digamma_kernel", "convexHull", "Comma", "convert_pred_kernel"])
def test_words_that_only_sound_like_products(name):
    assert classify(name) == "no"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.family)
def test_every_rule_decides_its_own_example(rule):
    assert classify(rule.example) == rule.verdict
    assert rule.source.startswith("https://")


@pytest.mark.parametrize("capability", ["6.0", 6.1, (6, 0), "3.5"])
def test_gpus_before_volta_have_no_tensor_cores(capability):
    assert classify("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", capability) == "no"


@pytest.mark.parametrize("capability", ["7.0", 7.0, (7, 5), "10.0", "12.1", None])
def test_gpus_from_volta_on_have_them(capability):
    assert classify("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", capability) == "yes"


@pytest.mark.parametrize(
    ("device_name", "verdict"),
    [
        ("NVIDIA GeForce GTX 1660 Ti", "no"),
        ("GeForce GTX 1650", "no"),
        ("Tesla P100-PCIE-16GB", "no"),
        ("NVIDIA GeForce MX450", "no"),
        ("Tesla T4", "yes"),
        ("NVIDIA GeForce RTX 2060", "yes"),
        ("NVIDIA TITAN V", "yes"),
        ("NVIDIA RTX A6000", "yes"),
        ("AMD Instinct MI300X", "unknown"),
    ],
)
def test_the_device_name_settles_it_first(device_name, verdict):
    name = "turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1"
    assert classify(name, device_name=device_name) == verdict


@pytest.mark.parametrize(("vendor", "verdict"), [("Nvidia", "no"), ("AMD", "unknown")])
def test_another_vendor_is_unknown_even_for_a_plain_copy(vendor, verdict):
    assert classify("copy_kernel", vendor=vendor) == verdict


def test_integer_products_of_llama_cpp_need_turing():
    name = "void mul_mat_q<(ggml_type)12, 128, false>(char const*)"
    assert [classify(name, capability) for capability in ("7.0", "7.5")] == ["no", "yes"]


@pytest.mark.parametrize(
    ("op_type", "verdict"), [("aten::relu", "no"), ("aten::mm", "unknown"), (None, "unknown")]
)
def test_a_nameless_kernel_is_decided_by_its_op(op_type, verdict):
    assert classify("_fwd_kernel", op_type=op_type) == verdict


@pytest.mark.parametrize("capability", ["seven", "7.x", (7,), ""])
def test_a_wrong_compute_capability_is_named(capability):
    with pytest.raises(ValueError, match=r"compute_capability is .*'8.6'"):
        classify("kernel", compute_capability=capability)
