# exercise: 12.5
# mistake: maxima-not-reduced
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];  // a place for each thread
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    __syncthreads();  // all maxima are there
    for (int half = blockDim.x / 4; half > 0; half /= 2) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();  // this step is done
    }
    m = buffer[0];
    __syncthreads();  // all have read it, so buffer may be used again
    float d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) d += __expf(x[c] - m);
    buffer[me] = d;
    __syncthreads();  // all sums are there
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();  // this step is done
    }
    d = buffer[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""

merge_states = r"""
// The state (m, d) takes in another one, as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}
"""


warp_states = merge_states + r"""
// Every lane of a warp ends with the state of all 32.
__device__ void merge_warp(float& m, float& d) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other_m = __shfl_xor_sync(0xffffffff, m, offset);
        const float other_d = __shfl_xor_sync(0xffffffff, d, offset);
        merge(m, d, other_m, other_d);
    }
}
"""

