# exercise: 12.6
v2 = r"""
extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {

    // Warp 0 takes in the others, then every thread looks at 32 states.
    __shared__ float ms[1024], ds[1024];
    const int me = threadIdx.x, first = blockIdx.x * n_cols;
    float m = -FLT_MAX, d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) {
        const float v = x[first + c];
        if (v > m) {
            d *= __expf(m - v);
            m = v;
        }
        d += __expf(v - m);
    }
    ms[me] = m, ds[me] = d;
    __syncthreads();
    if (me < 32) {
        for (int i = me + 32; i < blockDim.x; i += 32) {
            const float top = fmaxf(m, ms[i]);
            d = d * __expf(m - top) + ds[i] * __expf(ms[i] - top);
            m = top;
        }
        ms[me] = m, ds[me] = d;
    }
    __syncthreads();
    m = ms[0];
    for (int i = 1; i < 32; i++) m = fmaxf(m, ms[i]);
    d = 0.0f;
    for (int i = 0; i < 32; i++) d += ds[i] * __expf(ms[i] - m);
    for (int c = me; c < n_cols; c += blockDim.x) y[first + c] = __expf(x[first + c] - m) / d;
}
"""
