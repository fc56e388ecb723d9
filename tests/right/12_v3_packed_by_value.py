# exercise: 12.7
# rows are walked in packets of 16 bytes, a class of its own that functions take and return by value
v3 = r"""
template <class ElementType> struct alignas(16) Packed128 {
    static constexpr const size_t size = 16 / sizeof(ElementType);
    ElementType payload[size];
    __device__ static Packed128 constant(ElementType value) {
        Packed128 result;
        for (int k = 0; k < size; ++k) result.payload[k] = value;
        return result;
    }
    __device__ ElementType& operator[](int index) { return payload[index]; }
    __device__ const ElementType& operator[](int index) const { return payload[index]; }
};
typedef Packed128<float> f128;
template <class T> __device__ Packed128<T> load128(const T* address) { return *reinterpret_cast<const Packed128<T>*>(address); }
template <class T> __device__ void store128(T* target, Packed128<T> value) { *reinterpret_cast<Packed128<T>*>(target) = value; }

struct SoftmaxParams { float Scale, Offset; };

__device__ SoftmaxParams combine(SoftmaxParams a, SoftmaxParams b) {
    const float offset = max(a.Offset, b.Offset);
    if (offset == -INFINITY) return {0.0f, offset};
    return {a.Scale * expf(a.Offset - offset) + b.Scale * expf(b.Offset - offset), offset};
}
__device__ SoftmaxParams combine(SoftmaxParams a, f128 packet) {
    float top = a.Offset;
    for (int k = 0; k < f128::size; ++k) top = fmaxf(top, packet[k]);
    if (top == -INFINITY) return a;
    a.Scale *= expf(a.Offset - top);
    for (int k = 0; k < f128::size; ++k) a.Scale += expf(packet[k] - top);
    a.Offset = top;
    return a;
}
__device__ SoftmaxParams warp_reduce(SoftmaxParams mine) {
    for (int offset = 16; offset > 0; offset /= 2)
        {
        const float scale = __shfl_xor_sync(0xFFFFFFFF, mine.Scale, offset);
        mine = combine(mine, SoftmaxParams{scale, __shfl_xor_sync(0xFFFFFFFF, mine.Offset, offset)});
    }
    return mine;
}
__device__ f128 finished(f128 packet, SoftmaxParams sp) {
    f128 out = f128::constant(0.0f);
    for (int k = 0; k < f128::size; ++k) out[k] = expf(packet[k] - sp.Offset) / sp.Scale;
    return out;
}

extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    __shared__ SoftmaxParams of_warps[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
    const int packed = n % f128::size ? 0 : n;
    x += (ptrdiff_t)blockIdx.x * n;
    y += (ptrdiff_t)blockIdx.x * n;
    SoftmaxParams sp = {0.0f, -INFINITY};
    for (int i = threadIdx.x * f128::size; i < packed; i += blockDim.x * f128::size) sp = combine(sp, load128(x + i));
    for (int i = packed + threadIdx.x; i < n; i += blockDim.x) sp = combine(sp, SoftmaxParams{1.0f, x[i]});
    sp = warp_reduce(sp);
    if (lane == 0) of_warps[warp] = sp;
    __syncthreads();
    sp = warp_reduce(lane < warps ? of_warps[lane] : SoftmaxParams{0.0f, -INFINITY});
    for (int i = threadIdx.x * f128::size; i < packed; i += blockDim.x * f128::size) store128(y + i, finished(load128(x + i), sp));
    for (int i = packed + threadIdx.x; i < n; i += blockDim.x) y[i] = expf(x[i] - sp.Offset) / sp.Scale;
}
"""
