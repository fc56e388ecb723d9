# exercise: 12.7
# mistake: no-float4
# 32 bytes at once by a struct whose type does not say that it is aligned; a GPU moves it in eight parts
v3 = r"""
struct Eight { float v[8]; };
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float t = fmaxf(m, other_m);
    if (t != -INFINITY) d = d * expf(m - t) + other_d * expf(other_m - t), m = t;
}
__device__ void merge_warp(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other_m = __shfl_xor_sync(0xffffffff, m, offset), other_d = __shfl_xor_sync(0xffffffff, d, offset);
        merge(m, d, other_m, other_d);
    }
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    __shared__ float ms[32], ds[32];
    const int me = threadIdx.x, threads = blockDim.x, lane = me % 32, eights = n % 4 ? 0 : n / 8;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < eights; i += threads) {
        const Eight v = reinterpret_cast<const Eight*>(x)[i];
        const float* w = (const float*)&v;
        for (int k = 0; k < 8; k++) merge(m, d, w[k], 1.0f);
    }
    if (n % 4 == 0 && n % 8 && me == 0) {
        const float4 v = reinterpret_cast<const float4*>(x)[n / 4 - 1];
        merge(m, d, v.x, 1.0f), merge(m, d, v.y, 1.0f), merge(m, d, v.z, 1.0f), merge(m, d, v.w, 1.0f);
    }
    for (int i = (n % 4 ? 0 : n) + me; i < n; i += threads) merge(m, d, x[i], 1.0f);
    merge_warp(m, d);
    if (lane == 0) ms[me / 32] = m, ds[me / 32] = d;
    __syncthreads();
    m = lane < threads / 32 ? ms[lane] : -INFINITY;
    d = lane < threads / 32 ? ds[lane] : 0.0f;
    merge_warp(m, d);
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
