# exercise: 12.5
# names that come from <cstdint>, <cassert>, <cfloat> and math_constants.h, and numbers of 64 bits
v1 = r"""
#include <cstdint>
#include <cassert>
# include<cfloat>  // FLT_MAX
#include "cuda_runtime.h" /* as in a file of its own */
/*
#include <cmath>
*/
#include <math_constants.h>
static_assert(sizeof(uint32_t) == 4 && sizeof(int64_t) == 8, "as in C");

template <typename T> __device__ T maximum(T a, T b) { return a > b ? a : b; }

extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    __shared__ float buffer[1024];
    const uint32_t me = threadIdx.x, threads = blockDim.x;
    const int64_t row = (int64_t)blockIdx.x * max((int64_t)n, int64_t(0));
    assert(n > 0 && threads <= 1024);
    const long long began = clock64();
    const float* from = x + row;
    float* to = y + row;
    float m = -CUDART_INF_F, d = 0.0f;
    for (uint32_t i = me; i < (uint32_t)n; i += threads) m = maximum(m, from[i]);
    buffer[me] = m;
    __syncthreads();
    for (uint32_t half = threads / 2; half > 0; half >>= 1) {
        if (me < half) buffer[me] = maximum(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    for (uint32_t i = me; i < (uint32_t)n; i += threads) d += expf(from[i] - m);
    buffer[me] = d;
    __syncthreads();
    for (uint32_t half = threads / 2; half > 0; half >>= 1) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    d = buffer[0];
    if (__builtin_expect(signbit(d) || d < FLT_EPSILON || clock64() < began, 0)) d = CUDART_NAN_F;
    for (uint32_t i = me; i < (uint32_t)n; i += threads) to[i] = expf(from[i] - m) / d;
}
"""
