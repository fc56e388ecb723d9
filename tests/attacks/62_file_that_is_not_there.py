# exercise: 12.5
# A header of its own, which no compiler finds.
v1 = r"""
#include "mine.h"
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    float d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) d += __expf(x[c] - m);
    buffer[me] = d;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    d = buffer[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
