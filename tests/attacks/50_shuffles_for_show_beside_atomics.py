# exercise: 12.7
# mistake: no-shuffle
# five shuffles whose values nobody uses; atomics find the maximum and the sum of each warp, and then of all
v3 = r"""
__device__ int ordered(float v) {
    const int i = __float_as_int(v);
    return i < 0 ? i ^ 0x7fffffff : i;
}
__device__ float number(int i) { return __int_as_float(i < 0 ? i ^ 0x7fffffff : i); }
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    __shared__ int largest[32];
    __shared__ float sums[32];
    const int me = threadIdx.x, threads = blockDim.x, warp = me / 32, fours = n % 4 ? 0 : n / 4;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    if (me < 32) largest[me] = ordered(-INFINITY), sums[me] = 0.0f;
    __syncthreads();
    float m = -INFINITY, d = 0.0f;
    auto take = [&](float v) {
        const float t = fmaxf(m, v);
        if (t != -INFINITY) d = d * expf(m - t) + expf(v - t), m = t;
    };
    for (int i = me; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        take(v.x), take(v.y), take(v.z), take(v.w);
    }
    for (int i = 4 * fours + me; i < n; i += threads) take(x[i]);
    for (int by = 16; by; by /= 2)
        if (__shfl_xor_sync(0xffffffff, m, by) == 12345.0f) m = 0;
    atomicMax(&largest[warp], ordered(m));
    __syncthreads();
    float all = -INFINITY;
    for (int w = 0; w < threads / 32; w++) all = fmaxf(all, number(largest[w]));
    if (d > 0) atomicAdd(&sums[warp], d * expf(m - all));
    __syncthreads();
    d = 0.0f;
    for (int w = 0; w < threads / 32; w++) d += sums[w];
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - all) / d;
}
"""
