# exercise: 12.5
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {

    __shared__ float buffer[1024];
    __shared__ float result;
    const int me = threadIdx.x;
    x = x + blockIdx.x * n_cols;
    y = y + blockIdx.x * n_cols;
    float v = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) v = fmaxf(v, x[c]);
    buffer[me] = v;
    __syncthreads();
    // Two levels: a thread for each 32 places, then one for what they found.
    if (me % 32 == 0)
        for (int i = me; i < me + 32; i++) buffer[me] = fmaxf(buffer[me], buffer[i]);
    __syncthreads();
    if (me == 0) {
        for (int i = 0; i < blockDim.x; i += 32) v = fmaxf(v, buffer[i]);
        result = v;
    }
    __syncthreads();
    const float m = result;
    v = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) v += __expf(x[c] - m);
    __syncthreads();
    if (me == 0) result = 0.0f;
    if (me % 32 == 0) buffer[me] = 0.0f;
    __syncthreads();
    atomicAdd(&buffer[me / 32 * 32], v);
    __syncthreads();
    if (me % 32 == 0) atomicAdd(&result, buffer[me]);
    __syncthreads();
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / result;
}
"""
