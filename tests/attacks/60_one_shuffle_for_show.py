# exercise: 12.7
# one shuffle whose value nobody uses, in a block of few threads; the rest is taken from shared memory
v3 = r"""
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    __shared__ float4 maxima[256], sums[256];
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < (n % 4 ? 0 : n / 4); i += threads) {
        const float4 v = ((const float4*)x)[i];
        const float w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) {
            const float t = fmaxf(m, w[k]);
            if (t != -INFINITY) d = d * expf(m - t) + expf(w[k] - t), m = t;
        }
    }
    for (int i = me; n % 4 && i < n; i += threads) {
        const float v = x[i], t = fmaxf(m, v);
        if (t != -INFINITY) d = d * expf(m - t) + expf(v - t), m = t;
    }
    ((float*)maxima)[me] = m;
    ((float*)sums)[me] = d;
    __syncwarp();
    if (__shfl_xor_sync(0xffffffff, m, 1) == 12345.0f) m = 0;
    __syncthreads();
    m = -INFINITY, d = 0;
    for (int i = 0; i < threads / 4; i++) {
        const float4 v = maxima[i], w = sums[i];
        const float a[4] = {v.x, v.y, v.z, v.w}, b[4] = {w.x, w.y, w.z, w.w};
        for (int k = 0; k < 4; k++) {
            const float t = fmaxf(m, a[k]);
            if (t != -INFINITY) d = d * expf(m - t) + b[k] * expf(a[k] - t), m = t;
        }
    }
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
