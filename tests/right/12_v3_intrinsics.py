# exercise: 12.7
v3 = r"""
template <typename T, int N>
struct Pack {
    union {
        float4 wide;
        T one[N];
    };
    __device__ T& operator[](int i) { return one[i]; }
};
enum class Step { Largest, Sum };
template <Step step>
__device__ float combine(float a, float b) {
    if constexpr (step == Step::Largest) return fmaxf(a, b);
    return a + b;
}
template <Step step>
__device__ float over_block(float v, float empty) {
    __shared__ alignas(float4) float warps[32];
    const unsigned everybody = __activemask();
    for (int by = warpSize >> 1; by; by >>= 1) v = combine<step>(v, __shfl_xor_sync(everybody, v, by));
    if (threadIdx.x % warpSize == 0) warps[threadIdx.x / warpSize] = v;
    __syncthreads();
    v = threadIdx.x % warpSize < blockDim.x / warpSize ? warps[threadIdx.x % warpSize] : empty;
    __syncwarp();
    for (int by = 1; by < warpSize; by <<= 1) v = combine<step>(v, __shfl_xor_sync(~0u, v, by, 32));
    return v;
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    x += (long long)blockIdx.x * n_cols, y += (long long)blockIdx.x * n_cols;
    const bool wide = !(n_cols & 3);
    const int n = wide ? n_cols >> 2 : n_cols;
    auto get = [=](int i) {
        Pack<float, 4> p;
        if (wide) p.wide = __ldg(reinterpret_cast<const float4*>(x) + i);
        else p.wide = make_float4(x[i], -INFINITY, -INFINITY, -INFINITY);
        return p;
    };
    float m = -INFINITY, d = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pack<float, 4> p = get(i);
        for (int k = 0; k < 4; ++k) {
            const float top = fmaxf(m, p[k]);
            if (top == -INFINITY) continue;
            d = d * __expf(m - top) + __expf(p[k] - top);
            m = top;
        }
    }
    const float all = over_block<Step::Largest>(m, -INFINITY);
    d = over_block<Step::Sum>(m == -INFINITY ? 0.0f : d * __expf(m - all), 0.0f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pack<float, 4> p = get(i);
#pragma unroll
        for (int k = 0; k < 4; ++k) p[k] = __fdividef(__powf(2.71828183f, p[k] - all), d);
        if (wide) reinterpret_cast<float4*>(y)[i] = p.wide;
        else y[i] = p[0];
    }
}
"""
