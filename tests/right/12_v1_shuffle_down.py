# exercise: 12.5
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {

    // Broadcast within a warp by __shfl_sync; a tree of warps above.
    __shared__ float places[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    x += (long long)blockIdx.x * n_cols, y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) m = max(m, x[c]);
    for (int by = 1; by < 32; by *= 2) m = max(m, __shfl_down_sync(0xffffffff, m, by));
    m = __shfl_sync(0xffffffff, m, 0);
    places[warp] = m;
    __syncthreads();
    for (int w = 0; w < warps; w++) m = max(m, places[w]);
    __syncthreads();
    float d = 0;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) d += exp(x[c] - m);
    for (int by = 16; by; by /= 2) d += __shfl_down_sync(0xffffffff, d, by);
    if (!lane) places[warp] = d;
    __syncthreads();
    d = 0;
    for (int w = 0; w < warps; w++) d += places[w];
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) y[c] = exp(x[c] - m) / d;
}
"""
