# exercise: 12.5
v1 = r"""
// Floats in the order of integers, so that the largest of them can be found by atomicMax.
__device__ int ordered(float v) {
    const int i = __float_as_int(v);
    return i < 0 ? i ^ 0x7fffffff : i;
}
__device__ float number(int i) { return __int_as_float(i < 0 ? i ^ 0x7fffffff : i); }

extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    // Two levels: a number for each warp, then one for all of them.
    __shared__ int largest[33];
    __shared__ float sum[33];
    const int warp = threadIdx.x / 32;
    const float* row = x + blockIdx.x * n_cols;
    if (threadIdx.x < 33) largest[threadIdx.x] = ordered(-INFINITY), sum[threadIdx.x] = 0.0f;
    if (threadIdx.x == 0) largest[32] = ordered(-INFINITY), sum[32] = 0.0f;
    __syncthreads();
    float m = -INFINITY, d = 0.0f;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) m = fmaxf(m, row[c]);
    atomicMax(&largest[warp], ordered(m));
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicMax(&largest[32], largest[warp]);
    __syncthreads();
    m = number(largest[32]);
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) d += __expf(row[c] - m);
    atomicAdd(&sum[warp], d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&sum[32], sum[warp]);
    __syncthreads();
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) y[blockIdx.x * n_cols + c] = __expf(row[c] - m) / sum[32];
}
"""
