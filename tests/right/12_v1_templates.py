# exercise: 12.5
v1 = r"""
struct Larger {
    __device__ static float of(float a, float b) { return fmaxf(a, b); }
    static constexpr float empty = -FLT_MAX;
};
struct Sum {
    __device__ static float of(float a, float b) { return a + b; }
    static constexpr float empty = 0.0f;
};

template <class Op>
__device__ __forceinline__ float block_reduce(float v) {
    __shared__ float places[1024];
    places[threadIdx.x] = v;
    __syncthreads();
    for (unsigned half = blockDim.x >> 1; half; half >>= 1) {
        if (threadIdx.x < half) places[threadIdx.x] = Op::of(places[threadIdx.x], places[threadIdx.x + half]);
        __syncthreads();
    }
    const float all = places[0];
    __syncthreads();
    return all;
}
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {

    const float* __restrict__ row = x + (unsigned long long)blockIdx.x * n_cols;
    float* __restrict__ out = y + (unsigned long long)blockIdx.x * n_cols;
    float m = Larger::empty, d = Sum::empty;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) m = Larger::of(m, row[c]);
    m = block_reduce<Larger>(m);
#pragma unroll 4
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) d += expf(row[c] - m);
    d = block_reduce<Sum>(d);
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) out[c] = __fdividef(expf(row[c] - m), d);
}
"""
