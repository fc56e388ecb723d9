# exercise: 12.5
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {

    // Neighbours instead of halves, two arrays, one place for each result.
    __shared__ float maxima[1024], sums[1024];
    __shared__ float row_max, row_sum;
    int tid = threadIdx.x;
    float m = -INFINITY, d = 0.f;
    const float *from = &x[blockIdx.x * n_cols];
    for (int i = tid; i < n_cols; i += blockDim.x) if (from[i] > m) m = from[i];
    maxima[tid] = m;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) maxima[tid] = fmaxf(maxima[tid], maxima[tid + stride]);
        __syncthreads();
    }
    if (tid == 0) row_max = maxima[0];
    __syncthreads();
    for (int i = tid; i < n_cols; i += blockDim.x) d += expf(from[i] - row_max);
    sums[tid] = d;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int at = 2 * stride * tid;
        if (at < blockDim.x) sums[at] += sums[at + stride];
        __syncthreads();
    }
    if (tid == 0) row_sum = sums[0];
    __syncthreads();
    for (int i = tid; i < n_cols; i += blockDim.x) y[blockIdx.x * n_cols + i] = expf(from[i] - row_max) / row_sum;
}
"""
