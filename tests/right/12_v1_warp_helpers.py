# exercise: 12.5
# reductions of a block by templates, with an operator object and one shared array for both
v1 = r"""
template <typename T> struct MaxOp { __device__ __forceinline__ T operator()(T const& a, T const& b) const { return max(a, b); } };
template <typename T> struct SumOp { __device__ __forceinline__ T operator()(T const& a, T const& b) const { return a + b; } };

template <template <typename> class Op, typename T, int width = 32>
__inline__ __device__ T warpAllReduce(T val) {
#pragma unroll
    for (int mask = width / 2; mask > 0; mask /= 2) val = Op<T>()(val, __shfl_xor_sync(0xffffffff, val, mask));
    return val;
}

template <template <typename> class Op, typename T>
__inline__ __device__ T blockAllReduce(T val, T init) {
    static __shared__ T shared[32];
    __shared__ T result;
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    val = warpAllReduce<Op, T>(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = threadIdx.x < blockDim.x / 32 ? shared[lane] : init;
    if (wid == 0) {
        val = warpAllReduce<Op, T>(val);
        if (lane == 0) result = val;
    }
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    const int64_t offset = (int64_t)blockIdx.x * n;
    float thread_max = -INFINITY, thread_sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) thread_max = max(thread_max, x[offset + i]);
    const float row_max = blockAllReduce<MaxOp, float>(thread_max, -INFINITY);
    for (int i = threadIdx.x; i < n; i += blockDim.x) thread_sum += __expf(x[offset + i] - row_max);
    const float row_sum = blockAllReduce<SumOp, float>(thread_sum, 0.0f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[offset + i] = __expf(x[offset + i] - row_max) / row_sum;
}
"""
