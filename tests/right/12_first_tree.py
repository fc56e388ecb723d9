# exercise: 12.4
copy_rows = r"""
extern "C" __global__ void copy_rows(float* y, const float* x, int n_cols) {
    // Neighbouring columns for one thread: right, and slower on a GPU.
    const int share = (n_cols + blockDim.x - 1) / blockDim.x;
    const float* row = x + (long long)blockIdx.x * n_cols;
    for (int i = 0; i < share; i++) {
        const int c = threadIdx.x * share + i;
        if (c < n_cols) y[(long long)blockIdx.x * n_cols + c] = row[c];
    }
}
"""
sum_rows = r"""
extern "C" __global__ void sum_rows(float* y, const float* x, int n_cols) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    float mine = 0.0f;
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) mine += x[blockIdx.x * n_cols + c];
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
    __syncthreads();
    for (int c = threadIdx.x; c < n_cols; c += blockDim.x) y[blockIdx.x * n_cols + c] = total;
}
"""
