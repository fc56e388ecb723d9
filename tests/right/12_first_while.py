# exercise: 12.4
copy_rows = r"""
extern "C" __global__ void copy_rows(float* y, const float* x, int n_cols) {
    int c = threadIdx.x;
    while (c < n_cols) {
        y[blockIdx.x * n_cols + c] = x[blockIdx.x * n_cols + c];
        c = c + blockDim.x;
    }
}
"""
sum_rows = r"""
extern "C" __global__ void sum_rows(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    int c = threadIdx.x;
    buffer[c] = 0;
    while (c < n_cols) {
        buffer[threadIdx.x] += x[blockIdx.x * n_cols + c];
        c = c + blockDim.x;
    }
    __syncthreads();
    double total = 0;
    for (unsigned t = 0; t < blockDim.x; ++t) total += buffer[t];
    for (c = threadIdx.x; c < n_cols; c += blockDim.x) y[blockIdx.x * n_cols + c] = total;
}
"""
