# exercise: 12.5
# mistake: reduced-in-series
# every thread of a block adds to one number by an atomic, which serves them one after another
v1 = r"""
// Floats in the order of integers, so that the largest of them can be found by atomicMax.
__device__ int ordered(float v) {
    const int i = __float_as_int(v);
    return i < 0 ? i ^ 0x7fffffff : i;
}
__device__ float number(int i) { return __int_as_float(i < 0 ? i ^ 0x7fffffff : i); }

extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ int largest;
    __shared__ float sum;
    const float* row = x + blockIdx.x * n_cols;
    if (threadIdx.x == 0) largest = ordered(-INFINITY), sum = 0.0f;
    __syncthreads();
    float m = -INFINITY, d = 0.0f;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) m = fmaxf(m, row[c]);
    atomicMax(&largest, ordered(m));
    __syncthreads();
    m = number(largest);
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) d += __expf(row[c] - m);
    atomicAdd(&sum, d);
    __syncthreads();
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) y[blockIdx.x * n_cols + c] = __expf(row[c] - m) / sum;
}
"""
