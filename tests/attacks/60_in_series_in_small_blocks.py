# exercise: 12.5
# a tree in blocks of 256 threads or more; in smaller ones every thread adds up all numbers, one after another
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    __shared__ float s[1024];
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < n; i += threads) m = fmaxf(m, x[i]);
    s[me] = m;
    __syncthreads();
    if (threads < 256) {
        for (int i = 0; i < threads; i++) m = fmaxf(m, s[i]);
        __syncthreads();
    } else {
        for (int half = threads / 2; half > 0; half /= 2) {
            if (me < half) s[me] = fmaxf(s[me], s[me + half]);
            __syncthreads();
        }
        m = s[0];
        __syncthreads();
    }
    for (int i = me; i < n; i += threads) d += expf(x[i] - m);
    s[me] = d;
    __syncthreads();
    if (threads < 256) {
        d = 0.0f;
        for (int i = 0; i < threads; i++) d += s[i];
    } else {
        for (int half = threads / 2; half > 0; half /= 2) {
            if (me < half) s[me] += s[me + half];
            __syncthreads();
        }
        d = s[0];
    }
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
