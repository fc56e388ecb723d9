# exercise: 12.7
# 16 bytes at once by their type, which a GPU moves in four parts, since the type does not say that they are aligned
v3 = r"""
struct Four { float v[4]; };
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
    const int me = threadIdx.x, threads = blockDim.x, lane = me % 32, fours = n % 4 ? 0 : n / 4;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < fours; i += threads) {
        const Four v = reinterpret_cast<const Four*>(x)[i];
        for (int k = 0; k < 4; k++) merge(m, d, v.v[k], 1.0f);
    }
    for (int i = 4 * fours + me; i < n; i += threads) merge(m, d, x[i], 1.0f);
    merge_warp(m, d);
    if (lane == 0) ms[me / 32] = m, ds[me / 32] = d;
    __syncthreads();
    m = lane < threads / 32 ? ms[lane] : -INFINITY;
    d = lane < threads / 32 ? ds[lane] : 0.0f;
    merge_warp(m, d);
    for (int i = me; i < fours; i += threads) {
        Four v = reinterpret_cast<const Four*>(x)[i];
        for (int k = 0; k < 4; k++) v.v[k] = expf(v.v[k] - m) / d;
        reinterpret_cast<Four*>(y)[i] = v;
    }
    for (int i = 4 * fours + me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
