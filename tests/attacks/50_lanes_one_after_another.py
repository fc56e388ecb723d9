# exercise: 12.6
# mistake: reduced-in-series
# a thread of each warp takes the columns of its 32 lanes one after another, by shuffles
v2 = r"""
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float t = fmaxf(m, other_m);
    if (t != -INFINITY) d = d * expf(m - t) + other_d * expf(other_m - t), m = t;
}
extern "C" __global__ void softmax_v2(float* y, const float* x, int n) {
    __shared__ float ms[32], ds[32];
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int start = me / 32 * 32; start < n; start += threads) {
        const float v = start + me % 32 < n ? x[start + me % 32] : -INFINITY;
        for (int lane = 0; lane < 32; lane++) {
            const float one = __shfl_sync(0xffffffff, v, lane);
            if (me % 32 == 0) merge(m, d, one, 1.0f);
        }
    }
    if (me % 32 == 0) ms[me / 32] = m, ds[me / 32] = d;
    __syncthreads();
    m = -INFINITY, d = 0.0f;
    for (int w = 0; w < threads / 32; w++) merge(m, d, ms[w], ds[w]);
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
