# exercise: 12.5
# a text that asks for which GPU and by which compiler it is compiled, and is right for each of them
v1 = r"""
#ifdef __CUDACC__
#define KERNEL extern "C" __global__
#else
#error "this is CUDA"
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#if defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 11
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif
#define JOINED(one, other) one##other

#if __CUDA_ARCH__ >= 800
__device__ float JOINED(expo, nential)(float x) { return __expf(x); }
#else
__device__ float JOINED(expo, nential)(float x) { return exp2f(x * 1.44269504f); }
#endif

KERNEL void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    const size_t row = size_t(blockIdx.x) * n_cols;
    const long long began = clock64();
    if (n_cols < 1) printf("%s:%d, compiled on %s: no columns\n", __FILE__, __LINE__, __DATE__);
    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[row + c]);
    buffer[me] = m;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    float d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) d += exponential(x[row + c] - m);
    buffer[me] = d;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    d = buffer[0];
    if (clock64() - began < 0) d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) y[row + c] = exponential(x[row + c] - m) / d;
}
"""
