# exercise: 12.7
# mistake: no-shuffle
# five shuffles whose values nobody uses; the lanes of a warp swap their states in shared memory
v3 = r"""
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float t = fmaxf(m, other_m);
    if (t != -INFINITY) d = d * expf(m - t) + other_d * expf(other_m - t), m = t;
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    __shared__ float ms[1024], ds[1024], wm[32], wd[32];
    const int me = threadIdx.x, threads = blockDim.x, lane = me % 32, fours = n % 4 ? 0 : n / 4;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        merge(m, d, v.x, 1.0f), merge(m, d, v.y, 1.0f), merge(m, d, v.z, 1.0f), merge(m, d, v.w, 1.0f);
    }
    for (int i = 4 * fours + me; i < n; i += threads) merge(m, d, x[i], 1.0f);
    for (int by = 16; by; by /= 2) {
        ms[me] = m, ds[me] = d;
        if (__shfl_xor_sync(0xffffffff, m, by) == 12345.0f) m = 0;
        __syncwarp();
        const float other_m = ms[me ^ by], other_d = ds[me ^ by];
        __syncwarp();
        merge(m, d, other_m, other_d);
    }
    if (lane == 0) wm[me / 32] = m, wd[me / 32] = d;
    __syncthreads();
    m = -INFINITY, d = 0.0f;
    for (int w = 0; w < threads / 32; w++) merge(m, d, wm[w], wd[w]);
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
