# exercise: 12.6
# mistake: not-rescaled-unguarded
v2 = r"""
// The state (m, d) takes in another one, as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}
extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {
    __shared__ float ms[1024], ds[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY, d = 0.0f;
    // The state of my columns; one number v is the state (v, 1) (1 line).
    for (int c = me; c < n_cols; c += blockDim.x) {
        m = fmaxf(m, x[c]);
        d += __expf(x[c] - m);
    }
    ms[me] = m;
    ds[me] = d;
    // The tree over states, then m and d of the row (about 7 lines).
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(ms[me], ds[me], ms[me + half], ds[me + half]);
        __syncthreads();
    }
    m = ms[0];
    d = ds[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
