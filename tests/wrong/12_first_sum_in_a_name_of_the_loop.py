# exercise: 12.4
# mistake: sum-of-nothing
copy_rows = 'static_assert(false, "TODO 12.4");'
sum_rows = r"""
extern "C" __global__ void sum_rows(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];  // a place for each thread; a block has at most 1024
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float mine = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) {
        float mine = 0.0f;
        mine += x[c];
    }
    buffer[me] = mine;
    __syncthreads();
    float total = 0.0f;
    for (int t = 0; t < blockDim.x; t++) total += buffer[t];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = total;
}
"""
