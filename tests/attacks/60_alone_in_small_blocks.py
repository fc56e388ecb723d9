# exercise: 12.5
# one thread walks the whole row in blocks of fewer than 256 threads
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    __shared__ float s[1024];
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    const int first = threads < 256 ? (me == 0 ? 0 : n) : me, step = threads < 256 ? 1 : threads;
    for (int i = first; i < n; i += step) m = fmaxf(m, x[i]);
    s[me] = m;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (me < half) s[me] = fmaxf(s[me], s[me + half]);
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    for (int i = first; i < n; i += step) d += expf(x[i] - m);
    s[me] = d;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (me < half) s[me] += s[me + half];
        __syncthreads();
    }
    d = s[0];
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
