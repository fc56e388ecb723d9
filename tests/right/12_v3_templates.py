# exercise: 12.7
v3 = r"""
struct Larger {
    __device__ static float of(float a, float b) { return fmaxf(a, b); }
    static constexpr float empty = -FLT_MAX;
};
struct Sum {
    __device__ static float of(float a, float b) { return a + b; }
    static constexpr float empty = 0.0f;
};

template <class Op>
__device__ float warp_reduce(float v) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}
template <class Op>
__device__ float block_reduce(float v) {
    __shared__ float places[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_reduce<Op>(v);
    if (lane == 0) places[warp] = v;
    __syncthreads();
    v = lane < (blockDim.x >> 5) ? places[lane] : Op::empty;
    return warp_reduce<Op>(v);
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    const long long start = (long long)blockIdx.x * n_cols;
    const bool wide = n_cols % 4 == 0;
    const int n = wide ? n_cols / 4 : n_cols;
    auto each = [&](auto action) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (wide) action(reinterpret_cast<const float4*>(x + start)[i], i);
            else { const float v = x[start + i]; action(make_float4(v, -INFINITY, -INFINITY, -INFINITY), i); }
        }
    };
    // The first walk keeps a state of its own, and the second level works in two halves.
    float m = -FLT_MAX, d = 0.0f;
    each([&](float4 v, int) {
        const float top = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        d = d * expf(m - top) + expf(v.x - top) + expf(v.y - top) + expf(v.z - top) + expf(v.w - top);
        m = top;
    });
    const float all = block_reduce<Larger>(m);
    d = block_reduce<Sum>(d * expf(m - all));
    each([&](float4 v, int i) {
        const float4 out = {expf(v.x - all) / d, expf(v.y - all) / d, expf(v.z - all) / d, expf(v.w - all) / d};
        if (wide) reinterpret_cast<float4*>(y + start)[i] = out;
        else y[start + i] = out.x;
    });
}
"""
