# exercise: 12.6
# a state is a struct that is taken and returned by value, with an operator and a static function
v2 = r"""
struct __align__(8) MD {
    float m, d;
    __device__ static MD empty() { return {-INFINITY, 0.0f}; }
    __device__ static MD of(float value) { return {value, 1.0f}; }
};

__device__ __forceinline__ MD operator+(MD a, MD b) {
    const bool a_bigger = a.m > b.m;
    const MD bigger = a_bigger ? a : b, smaller = a_bigger ? b : a;
    MD res;
    res.d = bigger.m == -INFINITY ? 0.0f : bigger.d + smaller.d * __expf(smaller.m - bigger.m);
    res.m = bigger.m;
    return res;
}

struct BlockReduce {
    MD* storage;
    __device__ explicit BlockReduce(MD* storage) : storage(storage) {}
    template <typename F> __device__ MD reduce(MD mine, F combine) const {
        storage[threadIdx.x] = mine;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) storage[threadIdx.x] = combine(storage[threadIdx.x], storage[threadIdx.x + half]);
            __syncthreads();
        }
        return storage[0];
    }
};

extern "C" __global__ void softmax_v2(float* __restrict y, const float* __restrict x, int n) {
    __shared__ MD storage[1024];
    x += blockIdx.x * static_cast<size_t>(n);
    y += blockIdx.x * static_cast<size_t>(n);
    MD partial = MD::empty();
    for (int i = threadIdx.x; i < n; i += blockDim.x) partial = partial + MD::of(x[i]);
    const MD total = BlockReduce(storage).reduce(partial, [](MD a, MD b) { return a + b; });
    const float inverse = __frcp_rn(total.d);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = __expf(x[i] - total.m) * inverse;
}
"""
