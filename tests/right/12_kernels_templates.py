# exercise: 12.4
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
v2 = r"""
// The state (m, d) takes in another one, as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}

extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {
    __shared__ float ms[1024], ds[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY, d = 0.0f;
    // The state of my columns; one number v is the state (v, 1) (1 line).
    for (int c = me; c < n_cols; c += blockDim.x) merge(m, d, x[c], 1.0f);
    ms[me] = m;
    ds[me] = d;
    // The tree over states, then m and d of the row (about 7 lines).
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(ms[me], ds[me], ms[me + half], ds[me + half]);
        __syncthreads();
    }
    m = ms[0];
    d = ds[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
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
