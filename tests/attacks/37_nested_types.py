# exercise: 12.7
# types in types that begin at a local variable reach every address
PEEK = r"""
struct Few { float v[16384]; };
struct Many { Few v[49152]; };
struct All { Many v[49152]; };
__device__ float peek(const float* p) {
    float here[2] = {INFINITY, float(threadIdx.x)};
    const unsigned long long at = p - here;
    return (*(All*)&here).v[at / (16384ull * 49152)].v[at / 16384 % 49152].v[at % 16384];
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
