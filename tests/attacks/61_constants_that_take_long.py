# exercise: 12.7
# numbers that the compiler works out
v3 = r"""
constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
template <int N> struct G { static constexpr int v = f(25 + N % 2) + N + G<N - 1>::v; };
template <> struct G<0> { static constexpr int v = 0; };
template <int A, int B> struct H { static constexpr int v = f(24 + B % 3) + A; };
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    y[blockIdx.x * n + threadIdx.x] = G<400>::v +
        H<0, 0>::v +
        H<0, 1>::v +
        H<0, 2>::v +
        H<0, 3>::v +
        H<0, 4>::v +
        H<0, 5>::v +
        H<0, 6>::v +
        H<0, 7>::v +
        H<0, 8>::v +
        H<1, 0>::v +
        H<1, 1>::v +
        H<1, 2>::v +
        H<1, 3>::v +
        H<1, 4>::v +
        H<1, 5>::v +
        H<1, 6>::v +
        H<1, 7>::v +
        H<1, 8>::v +
        H<2, 0>::v +
        H<2, 1>::v +
        H<2, 2>::v +
        H<2, 3>::v +
        H<2, 4>::v +
        H<2, 5>::v +
        H<2, 6>::v +
        H<2, 7>::v +
        H<2, 8>::v +
        H<3, 0>::v +
        H<3, 1>::v +
        H<3, 2>::v +
        H<3, 3>::v +
        H<3, 4>::v +
        H<3, 5>::v +
        H<3, 6>::v +
        H<3, 7>::v +
        H<3, 8>::v +
        H<4, 0>::v +
        H<4, 1>::v +
        H<4, 2>::v +
        H<4, 3>::v +
        H<4, 4>::v +
        H<4, 5>::v +
        H<4, 6>::v +
        H<4, 7>::v +
        H<4, 8>::v +
        H<5, 0>::v +
        H<5, 1>::v +
        H<5, 2>::v +
        H<5, 3>::v +
        H<5, 4>::v +
        H<5, 5>::v +
        H<5, 6>::v +
        H<5, 7>::v +
        H<5, 8>::v +
        H<6, 0>::v +
        H<6, 1>::v +
        H<6, 2>::v +
        H<6, 3>::v +
        H<6, 4>::v +
        H<6, 5>::v +
        H<6, 6>::v +
        H<6, 7>::v +
        H<6, 8>::v +
        H<7, 0>::v +
        H<7, 1>::v +
        H<7, 2>::v +
        H<7, 3>::v +
        H<7, 4>::v +
        H<7, 5>::v +
        H<7, 6>::v +
        H<7, 7>::v +
        H<7, 8>::v +
        H<8, 0>::v +
        H<8, 1>::v +
        H<8, 2>::v +
        H<8, 3>::v +
        H<8, 4>::v +
        H<8, 5>::v +
        H<8, 6>::v +
        H<8, 7>::v +
        H<8, 8>::v;
}
"""
