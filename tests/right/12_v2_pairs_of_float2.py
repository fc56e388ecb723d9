# exercise: 12.6
# states are float2, and the walk takes four columns of a thread at a time
v2 = r"""
__device__ float2 merge(float2 a, float2 b) {
    const float m = fmaxf(a.x, b.x);
    if (m == -INFINITY) return make_float2(m, 0.0f);
    return make_float2(m, fmaf(a.y, expf(a.x - m), b.y * expf(b.x - m)));
}

extern "C" __global__ void softmax_v2(float* y, const float* x, int n) {
    constexpr int unrolled = 4;
    __shared__ float2 states[1024];
    const unsigned me = threadIdx.x, step = blockDim.x;
    x += size_t(blockIdx.x) * n, y += size_t(blockIdx.x) * n;
    float2 state{-INFINITY, 0.0f};
    for (int begin = me; begin < n; begin += unrolled * step) {
        float values[unrolled];
#pragma unroll
        for (int k = 0; k < unrolled; ++k) values[k] = begin + k * step < n ? x[begin + k * step] : -INFINITY;
#pragma unroll
        for (int k = 0; k < unrolled; ++k) state = merge(state, {values[k], 1.0f});
    }
    states[me] = state;
    __syncthreads();
    for (unsigned half = step / 2; half; half /= 2) {
        if (me < half) states[me] = merge(states[me], states[me + half]);
        __syncthreads();
    }
    const auto [m, d] = states[0];
    for (int i = me; i < n; i += step) y[i] = expf(x[i] - m) / d;
}
"""
