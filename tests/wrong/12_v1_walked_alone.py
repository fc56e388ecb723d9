# exercise: 12.4
# mistake: walked-alone
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    if (threadIdx.x) return;
    x += (long long)blockIdx.x * n_cols; y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY, d = 0.f;
    for (int c = 0; c < n_cols; ++c) m = fmaxf(m, x[c]);
    for (int c = 0; c < n_cols; ++c) d += expf(x[c] - m);
    for (int c = 0; c < n_cols; ++c) y[c] = expf(x[c] - m) / d;
}
"""

v2 = r"""
struct __align__(8) MD { float m; float d; };
__device__ __forceinline__ MD combine(MD a, MD b) {
    const bool bigger = a.m > b.m;
    const MD hi = bigger ? a : b, lo = bigger ? b : a;
    MD r;
    r.m = hi.m;
    r.d = hi.m == -INFINITY ? 0.f : hi.d + lo.d * __expf(lo.m - hi.m);
    return r;
}
template <int kMax = 1024>
__device__ MD reduce(MD v) {
    __shared__ MD all[kMax];
    all[threadIdx.x] = v;
    __syncthreads();
    #pragma unroll
    for (int half = kMax / 2; half > 0; half /= 2) {
        if (half < (int)blockDim.x && (int)threadIdx.x < half && (int)threadIdx.x + half < (int)blockDim.x)
            all[threadIdx.x] = combine(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}
extern "C" __global__ void softmax_v2(float* __restrict__ y, float const* __restrict__ x, int n_cols) {
    auto const* row = x + (size_t)blockIdx.x * n_cols;
    auto* out = y + (size_t)blockIdx.x * n_cols;
    MD s{-INFINITY, 0.f};
    for (int i = threadIdx.x; i < n_cols; i += blockDim.x) s = combine(s, MD{__ldg(row + i), 1.f});
    s = reduce<>(s);
    for (int i = threadIdx.x; i < n_cols; i += blockDim.x) out[i] = __fdividef(__expf(__ldg(&row[i]) - s.m), s.d);
}
"""

v3 = r"""
__device__ float wmax(float v) { for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, o)); return __shfl_sync(~0u, v, 0); }
__device__ float wsum(float v) { for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o); return __shfl_sync(~0u, v, 0); }
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {
    __shared__ float s[33];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
    const float* row = &x[(long)blockIdx.x * n_cols];
    float* out = &y[(long)blockIdx.x * n_cols];
    float m = -INFINITY, d = 0;
    if (n_cols % 4 == 0) {
        for (int i = 4 * t; i < n_cols; i += 4 * blockDim.x) {
            const float4 v = *(const float4*)(row + i);
            const float n = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
            const float sh = n == -INFINITY ? 0 : n;
            d = d * expf(m - sh) + expf(v.x - sh) + expf(v.y - sh) + expf(v.z - sh) + expf(v.w - sh);
            m = n;
        }
    } else {
        for (int i = t; i < n_cols; i += blockDim.x) {
            const float n = fmaxf(m, row[i]), sh = isinf(n) ? 0 : n, v = row[i];
            d = d * expf(m - sh) + expf(v - sh);
            m = n;
        }
    }
    float g = wmax(m);
    if (lane == 0) s[warp] = g;
    __syncthreads();
    if (warp == 0) { g = wmax(lane < warps ? s[lane] : -INFINITY); if (lane == 0) s[32] = g; }
    __syncthreads();
    g = s[32];
    d *= m == -INFINITY ? 0.f : expf(m - g);
    d = wsum(d);
    if (lane == 0) s[warp] = d;
    __syncthreads();
    if (warp == 0) { d = wsum(lane < warps ? s[lane] : 0.f); if (lane == 0) s[32] = d; }
    __syncthreads();
    d = s[32];
    if (n_cols % 4 == 0) {
        for (int i = 4 * t; i < n_cols; i += 4 * blockDim.x) {
            float4 v = *(const float4*)(row + i);
            v.x = expf(v.x - g) / d; v.y = expf(v.y - g) / d; v.z = expf(v.z - g) / d; v.w = expf(v.w - g) / d;
            *(float4*)(out + i) = v;
        }
    } else for (int i = t; i < n_cols; i += blockDim.x) out[i] = expf(row[i] - g) / d;
}
"""
