"""Which kernel names mean Tensor Cores: the table that `classifier.py` reads from top to bottom.

A rule is about a family of names. Its pattern is searched anywhere in the name, because libraries
put prefixes before their names (`cudnn_infer_volta_...`, `trt_ampere_...`). The first rule that
matches gives the verdict, so helpers stand before the kernels they help, and what says "CUDA core"
outright stands before what says "matrix product".

`scope` is where the pattern is searched: "own" is the function's qualified name alone, without
template arguments and parameters (the types there say nothing about the work of an elementwise
kernel); "whole" is the whole name. `needs` is the compute capability from which a family uses
Tensor Cores; below it the verdict is "no". The file is longer than its neighbours because it is one
table, and a table that is cut is no longer read from top to bottom.
"""

from typing import NamedTuple

XPROF = "https://github.com/openxla/xprof"
CUTLASS = "https://github.com/NVIDIA/cutlass"
PYTORCH = "https://github.com/pytorch/pytorch"
FLASH = "https://github.com/Dao-AILab/flash-attention"
FLASHINFER = "https://github.com/flashinfer-ai/flashinfer"
VLLM = "https://github.com/vllm-project/vllm"
SGLANG = "https://github.com/sgl-project/sglang"
TENSORRT_LLM = "https://github.com/NVIDIA/TensorRT-LLM"
GGML = "https://github.com/ggml-org/llama.cpp"
KINETO = "https://github.com/pytorch/kineto"
HTA = "https://github.com/facebookresearch/HolisticTraceAnalysis"
TRACELENS = "https://github.com/AMD-AGI/TraceLens"
NSYS_AI = "https://github.com/GindaChen/nsys-ai"
NVPROF_2080 = "https://github.com/ryujaehun/pytorch-gpu-benchmark/issues/6"
NVPROF_V100 = "https://github.com/apache/mxnet/issues/9774"


class Rule(NamedTuple):
    """One row: a family of names, its verdict, where it comes from, one real name."""

    pattern: str
    verdict: str
    scope: str
    family: str
    example: str
    source: str
    needs: tuple[int, int] = (7, 0)


RULES = (
    # --- Helpers: they move, reduce or prepare operands of a matrix product, and multiply nothing.
    Rule(
        r"(?i)split_?k(_kernel)?_?reduc|reduce_?split_?k|reduce_wgrad",
        *("no", "own", "all: cuBLAS, cuDNN, CUTLASS split-k sums"),
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true>(int)",
        HTA,
    ),
    Rule(
        r"(?i)compute\w*(offsets|pointers)|precompute\w*(indices|offset)|_(ptrs|pointers)(_|$)"
        r"|get_\w*(starts|_data|sizes)|problem_sizes",
        *("no", "own", "all: cuDNN and grouped GEMM address tables"),
        "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
        KINETO,
    ),
    Rule(
        r"(?i)(nchw|nhwc|ncdhw|ndhwc)_?(to|2)_?n(chw|hwc|cdhw|dhwc)_?(kernel|$|<)|nhwcAddPadding"
        r"|im2col|col2im|vol2col|flip_?filter|reformat|(re|pre)_?pack|permute_cols",
        *("no", "own", "all: layout changes"),
        "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)",
        HTA,
    ),
    Rule(
        r"(?i)dot_do_o|convert_?d[qkv]|clear_dk|combine|merge_?(attn_?)?states?|_?preprocess"
        r"|postprocess|metadata|prepare_varlen|fmhaReduction|attention\w*_reduce|_fixup|rng_state",
        *("no", "own", "all: before and after attention"),
        "void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(int)",
        FLASH,
    ),
    Rule(
        r"(?i)reshape_and_cache|(store|copy|append|concat|(?<!pre)fill|update|set|gather)\w*(kv|cache)",
        *("no", "own", "all: key and value caches"),
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(int)",
        TRACELENS,
    ),
    Rule(
        r"^deep_gemm::\w*(transpose|pack|clean|layout)|quantize_mmq|moe_align|dequant_mm_int32",
        *("no", "own", "all: scales, routing and padding for quantised GEMMs"),
        "void deep_gemm::transpose_and_pack_fp32_into_ue8m0<128u, 512u>(float const*)",
        "https://github.com/deepseek-ai/DeepGEMM",
    ),
    Rule(
        r"^(at::native::(?!\w*m16n)|at_cuda_detail::|cub::|thrust::|Eigen::|mshadow::|c10::"
        r"|transformer_engine::)",
        *(
            "no",
            "own",
            "all: libraries of elementwise, reduction, cast, sort and optimizer kernels",
        ),
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
        KINETO,
    ),
    Rule(
        r"triton_(poi|red|per|for|split_scan)_fused",
        *("no", "own", "all: TorchInductor pointwise and reduction kernels, named after fused ops"),
        "triton_poi_fused_convolution_relu_5",
        PYTORCH,
    ),
    Rule(
        r"^(loop|input|wrapped|concatenate|transpose|reduce|sort|scatter|copy|slice)_\w*fusion"
        r"|^wrapped_",
        *("no", "own", "all: XLA loop and reduction emitters"),
        "input_reduce_fusion_1",
        "https://github.com/openxla/xla",
    ),
    # --- CUDA cores, said by the name.
    Rule(
        r"(?i)(?<![a-z])[fdh]fma(?![a-z])|UniversalFMA",
        *("no", "whole", "Ampere and newer: cuBLAS, cuDNN xmma on CUDA cores"),
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4"
        "_alignc4_execute_kernel__5x_cublas",
        NSYS_AI,
    ),
    Rule(
        r"(?i)simt",
        *("no", "whole", "all: CUTLASS without Tensor Cores"),
        "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)",
        HTA,
    ),
    Rule(
        r"(?i)gemv|gemmSN_|gemmk1_|gemm_kernel\dx\d_core|(^|::)(dot|axpy|scal|nrm2|asum)_kernel|reduce_1Block",
        *("no", "whole", "all: cuBLAS level 1 and 2, thin matrices"),
        "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(int)",
        "https://github.com/kblomdahl/dream-go/issues/25",
    ),
    Rule(
        r"(?i)fmha_cutlass[FB]_\w*_sm5\d|fmha_cutlass[FB]_f32_\w*_sm7\d",
        *("no", "whole", "to Turing: memory-efficient attention in float32"),
        "fmha_cutlassF_f32_aligned_64x64_rf_sm75(PyTorchMemEffAttention::AttentionKernel)",
        PYTORCH,
    ),
    Rule(
        r"AttentionKernel<float, cutlass::arch::Sm[57]\d|AttentionKernel<[^,]*, cutlass::arch::Sm5",
        *("no", "whole", "to Turing: xFormers attention in float32"),
        "void attention_kernel_batched<AttentionKernel<float, cutlass::arch::Sm75, true, 64>>()",
        "https://github.com/facebookresearch/xformers",
    ),
    Rule(
        r"(?i)masked_multihead_attention|mmha_kernel|paged_attention_v\d|single_query_cached_kv"
        r"|(Batch|Single)Decode\w*KVCache|flash_attn_(ext_)?(tile|vec)|_fwd_kernel_stage[12]$",
        *("no", "whole", "all: one-query attention for decoding"),
        "void vllm::paged_attention_v1_kernel<__half, __half, 128, 16, 128>(__half*)",
        VLLM,
    ),
    Rule(
        r"(?i)kgemm_4bit_inference_naive|gemm_half_q_half|VecQuant\dMatMul|cuda_?core_?gemm"
        r"|mul_mat_vec|dequantize_mul_mat",
        *("no", "whole", "all: quantised weights times one vector"),
        "void kgemm_4bit_inference_naive<__half, 128, 16>(int, int, int, __half*)",
        "https://github.com/bitsandbytes-foundation/bitsandbytes",
    ),
    # --- Tensor Cores, said by the instruction or its shape.
    Rule(
        r"(?<![A-Za-z0-9])[shidcz]g?(884|1684|1688|16816|16832|16864|161616|32816|83216|8816|8832"
        r"|88128|168128|168256|\d+x\d+x\d+(?=gemm|spgemm|[fdw](prop|grad)))(?!\d)",
        *("yes", "whole", "Volta and newer: MMA shape in the name: cuBLAS, cuDNN, CUTLASS"),
        "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1",
        "https://github.com/pytorch/pytorch/issues/54324",
    ),
    Rule(
        r"(?i)(?<![a-z])([hibdqo]|w|[hibdq]g|wg|u|utc[a-z]?|tc)mma(?![a-z])|tcgen05|TmaGmma",
        *("yes", "whole", "Volta and newer: instruction in the name"),
        "Volta_hmma_implicit_gemm_fprop_fp32_nhwc_128x128x32_1",
        XPROF,
    ),
    Rule(
        r"(?<![A-Za-z])tensorop_|TensorOp(Multiplicand|Policy|I)|MmaTensorOp|VoltaTensorOp"
        r"|OpClass(Wmma)?TensorOp|OpClassBlockScaledTensorOp",
        *("yes", "whole", "Volta and newer: CUTLASS 2 and 3, cuBLAS, cuDNN"),
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(int)",
        HTA,
    ),
    Rule(
        r"tensor\d+x\d+x\d+|warpgroupsize\d",
        *("yes", "whole", "Volta and newer: xmma tile of the instruction"),
        "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5"
        "_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_infer",
        HTA,
    ),
    Rule(
        r"m(8|16|32|64)n\d+k\d+",
        *("yes", "whole", "Volta and newer: PTX shape in the name: tinygemm, AWQ"),
        "gemm_forward_4bit_cuda_m16n128k32(int, __half*, int*, __half*, int*, int, int, int)",
        VLLM,
    ),
    Rule(
        r"(?i)(?<![a-z])tf32|tfloat32_t",
        *("yes", "whole", "Ampere and newer: TF32"),
        "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS_10tfloat32_tE",
        HTA,
    ),
    Rule(
        r"SM(70|75|80|89|90|100|103|120)_\d+x\d+x\d+|SM1\d\d_MMA|CollectiveMma|TiledM[Mm][Aa]"
        r"|MMA_Atom|Gemm\w*Sm(90|1[0-2]\d)|MainloopSm(90|1\d\d)|KernelTma|TmaWarp[Ss]pecialized",
        *("yes", "whole", "Volta and newer: CuTe atoms, CUTLASS 3"),
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
        "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized"
        "<4>>>>(int)",
        CUTLASS,
    ),
    Rule(
        r"(?<![a-z])nvjet_",
        *("yes", "whole", "Hopper, Blackwell: cuBLAS"),
        "nvjet_tst_192x8_64x8_4x1_v_bz_TNT",
        TRACELENS,
    ),
    # --- CUDA cores: older libraries, once the instruction shapes above are ruled out.
    Rule(
        r"xmma_\w*_f32f32_f32f32_f32(?!\d)",
        *("no", "whole", "all: xmma computing in float32"),
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x16_stage3_warpsize2x2x1_ff_main_v1",
        NSYS_AI,
    ),
    Rule(
        r"(?i)(?<![a-z])(s|gc)gemm|fermi\w?gemm"
        r"|(kepler|maxwell|pascal|volta|turing|ampere)_\w*?(?<![a-z])[hdczi]gemm|magma\w*gemm",
        *("no", "whole", "all: cuBLAS on CUDA cores"),
        "volta_fp16_sgemm_fp16_128x64_tn",
        "https://github.com/NVIDIA/OpenSeq2Seq/issues/270",
    ),
    Rule(
        r"(?<![a-z])[shdci]cudnn",
        *("no", "whole", "all: cuDNN on CUDA cores"),
        "volta_fp16_scudnn_fp16_128x64_relu_interior_nn_v1",
        NVPROF_V100,
    ),
    Rule(
        r"(?i)winograd|convolve\w*_[shdi]gemm|convolve_common|convolveNd|[dw]grad\w*_engine"
        r"|[dw]grad2d_alg|calc_bias_diff|fft[123]d_|cudnn::(\w+::)*fft",
        *("no", "whole", "all: cuDNN Winograd, FFT and direct convolution"),
        "void cudnn::winograd::winograd3x3Kernel<__half, float, 1, 4, 8>(int)",
        NVPROF_2080,
    ),
    Rule(
        r"(?i)grouped_direct|depthwise|_c1_k1_|dwconv",
        *("no", "whole", "all: depthwise and grouped convolution: no channels to multiply over"),
        "void cudnn::cnn::wgrad2d_grouped_direct_kernel<__half, float, float, false>(int)",
        "https://github.com/argonne-lcf/CompPerfWorkshop-2021",
    ),
    Rule(
        r"(?i)RNN_blockPersist|persist\w*RNN|elemWiseRNN|(LSTM|GRU)_elementWise|causal_conv1d",
        *("no", "whole", "all: recurrent cells (Tensor Core ones say HMMA), short convolutions"),
        "void RNN_blockPersist_fp_LSTM<float, float, float, 128>(int)",
        PYTORCH,
    ),
    Rule(
        r"^cusparse::|(?i:csrmm|spmm|eigen\w*contraction)",
        *("no", "own", "all: unstructured sparse products, Eigen"),
        "void cusparse::csrmm_alg2_kernel<cusparse::CsrMMPolicy<256u>, false, false>(int)",
        "https://docs.nvidia.com/cuda/cusparse/",
    ),
    # --- Tensor Cores: families that use nothing else.
    Rule(
        r"xmma\w*[_:]+(sparse_)?(gemm|conv|fprop|dgrad|wgrad|implicit_gemm|warp_specialized)",
        *("yes", "whole", "Volta and newer: xmma, where float32 is named or says ffma"),
        "void xmma_cudnn::gemm::kernel<xmma_cudnn::implicit_gemm::wgrad_indexed::Wgrad_kernel>()",
        "https://github.com/argonne-lcf/CompPerfWorkshop-2021",
    ),
    Rule(
        r"first_layer_(fwd|wgrad)_kernel|dgrad_1x1_stride_2x2",
        *("yes", "whole", "Volta, Turing: cuDNN convolutions of few channels"),
        "void cudnn::detail::first_layer_wgrad_kernel<128, 3, 7, 7, 2, 2>(int)",
        XPROF,
    ),
    Rule(
        r"flash_(fwd|bwd)\w*kernel|FlashAttn(Fwd|Bwd)Sm\d|FlashAttention(Forward|Backward)Sm\d"
        r"|flash_attn_(ext|mma|wmma)",
        *("yes", "whole", "Volta and newer: flash attention 1 to 4"),
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, "
        "4, false, false, cutlass::bfloat16_t>>(int)",
        TRACELENS,
    ),
    Rule(
        r"(?i)fmha_?(v2|fprop|fwd|bwd|dgrad|kernel|Sm\d)|Sm\d+\w*fmha|gemm_mha_v2|_sdpa_sm\d+"
        r"|fmha_cutlass[FB]_",
        *("yes", "whole", "Volta and newer: fused attention of cuDNN, TensorRT-LLM, PyTorch"),
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
        TENSORRT_LLM,
    ),
    Rule(
        r"Attention(Backward)?Kernel<[^<>]*(half_t|bfloat16_t)|Attention(Backward)?Kernel<float"
        r"|Attention(Backward)?KernelIN7cutlass(6half_t|10bfloat16_t)",
        *("yes", "whole", "Volta and newer: xFormers, float32 as 3xTF32 from Ampere on"),
        "void attention_kernel_batched<AttentionKernel<cutlass::half_t, cutlass::arch::Sm80, true>>"
        "(int)",
        "https://github.com/facebookresearch/xformers",
    ),
    Rule(
        r"(Batch|Single)Prefill\w*KVCache|BatchMLAPagedAttention|sparse_attn_fwd|qk_int\w*_sv_"
        r"|xqa_kernel|kernel_mha|kernel_unified_attention|_fwd_grouped_kernel_stage1",
        *("yes", "whole", "Ampere and newer: FlashInfer, FlashMLA, SageAttention, XQA, Triton"),
        "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1>>(int)",
        FLASHINFER,
    ),
    Rule(
        r"(?<![a-z])(bmm|gemm)_\w*_sm1\d\d|(?<![a-z])(bmm|gemm)_(Mx)?(Bfloat16|Fp16|E4m3|E2m1)_",
        *("yes", "whole", "Blackwell: TensorRT-LLM generated products"),
        "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_"
        "TN_transOut_schedP2x1x2x3_biasM_bN_tmaOpt_clmp_dynBatch_sm100f",
        TRACELENS,
    ),
    Rule(
        r"(?i)(?<![a-z])marlin\w*(<|$|\()|machete::|fpA_intB|GemmFpAIntB|gemm_forward_4bit"
        r"|cutlass_[23]x_gemm|sm(90|1\d\d)_(fp8|fp4|bf16|m?grouped)\w*(gemm|mqa_logits)"
        r"|fp8_gemm_kernel|fp8_(paged_)?mqa_logits",
        *("yes", "whole", "Ampere and newer: quantised GEMMs: Marlin, AWQ, CUTLASS, DeepGEMM"),
        "void marlin::Marlin<__half, 2l, 256, 1, 8, 8, 4, false, 8>(int4 const*)",
        SGLANG,
    ),
    Rule(
        r"^fused_moe_kernel|_w8a8_(triton_)?block_(scaled_mm|fp8_matmul|int8_matmul)",
        *("yes", "own", "Volta and newer: Triton products of 16 bits or fewer, in LLM serving"),
        "fused_moe_kernel",
        VLLM,
    ),
    Rule(
        r"(?<![a-z])mul_mat_(q|f)(?![a-z])",
        *("yes", "whole", "Turing and newer: llama.cpp integer products"),
        "void mul_mat_q<(ggml_type)12, 128, false>(char const*, int const*)",
        GGML,
        (7, 5),
    ),
    # --- The name does not tell: generated code whose dtype it leaves out.
    Rule(
        r"gemm_fusion|triton_gemm|triton_tem_fused|triton_(mm|bmm|convolution)|direct_group",
        *("unknown", "whole", "all: generated products without a dtype in the name"),
        "triton_gemm_dot_1",
        "https://github.com/pytorch/xla/pull/6407",
    ),
    Rule(
        r"(?i)softmax|(layer|rms|group|batch)_?norm|elementwise|routing|_cast_|gather|scatter",
        *("no", "own", "all: work beside a product"),
        "void attn_softmax_v2<__half, 4>(__half*, __half*, float)",
        "https://github.com/deepspeedai/DeepSpeed",
    ),
)

# A name with none of these words is not a matrix product: it is "no". A name with one of them, and
# none of the clues above, is "unknown". `conv` must not be the beginning of "convert".
MATRIX_WORDS = (
    r"(?i)gemm|conv(?!er|ex)|(?<![a-z])dot(?![a-z])|(?<![a-z])mma|(?-i:Mma)|mat_?mul|mul_?mat|attention|attn"
    r"|sdpa|fmha|(?<![a-z])mha|(?<![a-z])mla(?![a-z])|(?<![a-z])(bmm|addmm|mm|baddbmm)(?![a-z])"
    r"|fprop|dgrad|wgrad|einsum|contraction|chunk_(fwd|bwd|scan|state|gated|delta|o|local)"
)
# Words that are part of a library's or a type's name, not of the work.
NOT_MATRIX_WORDS = r"fbgemm(_gpu)?|deep_gemm::|gemmlowp|cudnn::gemm::|cutlass::gemm::"

# Names that say nothing at all: Triton and TileLang defaults. The op that launched them may.
NAMELESS = r"^(_?(fwd|bwd|forward|backward)_kernel\w*|(main_)?kernel(_?\d*)?|main|triton_?|run)$"

# Names only the compilers of AMD's GPUs give.
AMD_NAMES = r"\.kd\b|^Cijk_|ck_tile::|__amd_rocclr|_ISA9\d\d_|^void ck::|MFMA"
