# exercise: 12.7
v3 = r"""
__device__ int ordered(float v) {
    const int i = __float_as_int(v);
    return i < 0 ? i ^ 0x7fffffff : i;
}
__device__ float number(int i) { return __int_as_float(i < 0 ? i ^ 0x7fffffff : i); }

extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    __shared__ int largest;
    __shared__ float sum;
    const int lane = threadIdx.x & 31, wide = n_cols % 4 ? 0 : n_cols / 4;
    x += (long long)blockIdx.x * n_cols, y += (long long)blockIdx.x * n_cols;
    if (threadIdx.x == 0) largest = ordered(-INFINITY), sum = 0.0f;
    __syncthreads();
    float m = -INFINITY, d = 0.0f;
    auto take = [&](float v) {
        const float top = fmaxf(m, v);
        if (top == -INFINITY) return;
        d = d * __expf(m - top) + __expf(v - top);
        m = top;
    };
    for (int i = threadIdx.x; i < wide; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        take(v.x), take(v.y), take(v.z), take(v.w);
    }
    for (int c = 4 * wide + threadIdx.x; c < n_cols; c += blockDim.x) take(x[c]);
    const int mine = __reduce_max_sync(0xffffffff, ordered(m));
    if (lane == __ffs(__ballot_sync(0xffffffff, ordered(m) == mine)) - 1) atomicMax(&largest, mine);
    __syncthreads();
    const float all = number(largest);
    d = d > 0 ? d * __expf(m - all) : 0.0f;
    for (int by = 16; by; by >>= 1) d += __shfl_down_sync(0xffffffff, d, by);
    if (__any_sync(0xffffffff, d > 0) && lane == 0) atomicAdd(&sum, d);
    __syncthreads();
    d = sum;
    for (int i = threadIdx.x; i < wide; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] = {
            __expf(v.x - all) / d, __expf(v.y - all) / d, __expf(v.z - all) / d, __expf(v.w - all) / d};
    }
    for (int c = 4 * wide + threadIdx.x; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - all) / d;
}
"""
