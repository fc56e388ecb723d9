# exercise: 12.7
# each type is made of two others
v3 = r"""
template <int N, int M> struct F { static constexpr long v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };
template <int M> struct F<0, M> { static constexpr long v = M; };
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    y[blockIdx.x * n + threadIdx.x] = F<24, 0>::v;
}
"""
