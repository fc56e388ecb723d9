# exercise: 12.5
# a float4 is loaded in the argument of a call; another one is the result of a call
v1 = r"""
__device__ float top(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ float sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ float4 exponentials(const float4 v, const float m) {
    return make_float4(expf(v.x - m), expf(v.y - m), expf(v.z - m), expf(v.w - m));
}
__device__ float4 fetch(const float* __restrict__ from, int i) { return __ldg(reinterpret_cast<const float4*>(from) + i); }

extern "C" __global__ void __launch_bounds__(1024) softmax_v1(float* __restrict__ y, const float* __restrict__ x, int n) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x, fours = n % 4 == 0 ? n / 4 : 0;
    x += blockIdx.x * (size_t)n;
    y += blockIdx.x * (size_t)n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < fours; i += blockDim.x) m = fmaxf(m, top(fetch(x, i)));
    for (int i = 4 * fours + me; i < n; i += blockDim.x) m = fmaxf(m, x[i]);
    buffer[me] = m;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    for (int i = me; i < fours; i += blockDim.x) d += sum(exponentials(fetch(x, i), m));
    for (int i = 4 * fours + me; i < n; i += blockDim.x) d += expf(x[i] - m);
    buffer[me] = d;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    const float scale = __fdividef(1.0f, buffer[0]);
    for (int i = me; i < fours; i += blockDim.x) {
        const float4 e = exponentials(fetch(x, i), m);
        reinterpret_cast<float4*>(y)[i] = make_float4(e.x * scale, e.y * scale, e.z * scale, e.w * scale);
    }
    for (int i = 4 * fours + me; i < n; i += blockDim.x) y[i] = expf(x[i] - m) * scale;
}
"""
