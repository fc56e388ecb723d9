# exercise: 12.7
v3 = r"""
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    const float shift = top == -INFINITY ? 0.0f : top;
    d = d * __expf(m - shift) + other_d * __expf(other_m - shift);
    m = top;
}
__device__ void to_lane_zero(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2)
        merge(m, d, __shfl_down_sync(0xffffffff, m, offset), __shfl_down_sync(0xffffffff, d, offset));
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    __shared__ float ms[32], ds[32];
    __shared__ float row_m, row_d;
    const unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    const float* from = x + (long long)n_cols * blockIdx.x;
    float* to = y + (long long)n_cols * blockIdx.x;
    float m = -INFINITY, d = 0.0f;
    if (n_cols % 4 == 0) {
        for (int c = 4 * threadIdx.x; c < n_cols; c += 4 * blockDim.x) {
            float4 v = *reinterpret_cast<const float4*>(from + c);
            merge(m, d, v.x, 1.0f), merge(m, d, v.y, 1.0f), merge(m, d, v.z, 1.0f), merge(m, d, v.w, 1.0f);
        }
    } else {
        for (int c = threadIdx.x; c < n_cols; c += blockDim.x) merge(m, d, from[c], 1.0f);
    }
    to_lane_zero(m, d);
    if (lane == 0) ms[warp] = m, ds[warp] = d;
    __syncthreads();
    if (warp == 0) {
        m = lane < blockDim.x / 32 ? ms[lane] : -INFINITY;
        d = lane < blockDim.x / 32 ? ds[lane] : 0.0f;
        to_lane_zero(m, d);
        if (lane == 0) row_m = m, row_d = d;
    }
    __syncthreads();
    m = row_m, d = row_d;
    if (n_cols % 4 == 0) {
        for (int c = 4 * threadIdx.x; c < n_cols; c += 4 * blockDim.x) {
            float4 v = *(float4*)(from + c);
            v.x = __expf(v.x - m) / d, v.y = __expf(v.y - m) / d, v.z = __expf(v.z - m) / d, v.w = __expf(v.w - m) / d;
            *(float4*)(to + c) = v;
        }
    } else {
        for (int c = threadIdx.x; c < n_cols; c += blockDim.x) to[c] = __expf(from[c] - m) / d;
    }
}
"""
