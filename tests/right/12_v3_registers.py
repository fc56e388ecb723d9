# exercise: 12.7
v3 = r"""
// The state (m, d) takes in another one, as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}

// Every lane of a warp ends with the state of all 32.
__device__ void merge_warp(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2) {
        // Fetch the partner's state, then merge it (3 lines).
        const float other_m = __shfl_xor_sync(0xffffffff, m, offset);
        const float other_d = __shfl_xor_sync(0xffffffff, d, offset);
        merge(m, d, other_m, other_d);
    }
}

extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    // What fits stays in registers: up to eight float4 a thread are read once.
    constexpr int KEPT = 8;
    __shared__ float2 places[33];
    const int me = threadIdx.x, lane = me & 31, warp = me >> 5;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY, d = 0.0f;
    if (n_cols % 4 == 0 && n_cols <= 4 * KEPT * blockDim.x) {
        float4 kept[KEPT];
        const int fours = n_cols / 4;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int i = me + k * blockDim.x;
            if (i < fours) kept[k] = __ldg(reinterpret_cast<const float4*>(x) + i);
            else kept[k] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
            m = fmaxf(m, fmaxf(fmaxf(kept[k].x, kept[k].y), fmaxf(kept[k].z, kept[k].w)));
        }
        const float shift = m == -INFINITY ? 0.0f : m;
        for (int k = 0; k < KEPT; k++)
            d += __expf(kept[k].x - shift) + __expf(kept[k].y - shift) + __expf(kept[k].z - shift) + __expf(kept[k].w - shift);
        merge_warp(m, d);
        if (lane == 31) places[warp] = {m, d};
        __syncthreads();
        const int warps = blockDim.x / 32;
        m = -INFINITY, d = 0.0f;
        for (int w = 0; w < warps; w++) merge(m, d, places[w].x, places[w].y);
        for (int k = 0; k < KEPT; k++) {
            const int i = me + k * blockDim.x;
            const float4 v = kept[k];
            if (i < fours) reinterpret_cast<float4*>(y)[i] = {__expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d};
        }
        return;
    }
    for (int c = me; c < n_cols; c += blockDim.x) merge(m, d, x[c], 1.0f);
    merge_warp(m, d);
    places[warp] = {m, d};  // every lane stores the same
    __syncthreads();
    if (warp == 0) {
        m = lane < blockDim.x / 32 ? places[lane].x : -INFINITY;
        d = lane < blockDim.x / 32 ? places[lane].y : 0.0f;
        merge_warp(m, d);
        places[32] = make_float2(m, d);
    }
    __syncthreads();
    m = places[32].x, d = places[32].y;
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
