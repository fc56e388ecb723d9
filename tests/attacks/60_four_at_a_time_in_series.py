# exercise: 12.5
# every thread takes all numbers from shared memory, one after another, in a quarter as many loads
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    __shared__ float4 s4[256];
    float* s = (float*)s4;
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < n; i += threads) m = fmaxf(m, x[i]);
    s[me] = m;
    __syncthreads();
    if (me == 0)
        for (int i = 0; i < threads / 4; i++) {
            const float4 v = s4[i];
            m = fmaxf(fmaxf(fmaxf(m, v.x), fmaxf(v.y, v.z)), v.w);
        }
    __syncthreads();
    if (me == 0) s[0] = m;
    __syncthreads();
    m = s[0];
    __syncthreads();
    for (int i = me; i < n; i += threads) d += expf(x[i] - m);
    s[me] = d;
    __syncthreads();
    if (me == 0) {
        d = 0.0f;
        for (int i = 0; i < threads / 4; i++) {
            const float4 v = s4[i];
            d += v.x + v.y + v.z + v.w;
        }
    }
    __syncthreads();
    if (me == 0) s[0] = d;
    __syncthreads();
    d = s[0];
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
