# exercise: 12.5
# lines that end as in Windows, functions of the host that no kernel calls, and members, constants and bounds of a kernel
v1 = """
#include <cuda_runtime.h>
#include <cub/block/block_reduce.cuh>
#define LARGER(a, b) \\
    ((a) > (b) ? (a) : (b))
namespace limits {
constexpr int most(int warps) { return 32 * warps; }
constexpr int MOST = most(32);
}
using limits::MOST;
float on_the_host(float x) { return x; }
float also_on_the_host(float x) { return on_the_host(x); }
__device__ float later(float a, float b);
extern "C" __global__ void softmax_v1(float*, const float*, unsigned);
template <typename T, int N = 1> struct __align__(4) Largest {
    T m;
    __host__ __device__ explicit Largest(T first) : m{first} {}
    __device__ void take(T other) { if (other > m) m = other; }
    __device__ operator T() const { return m; }
};
struct Sum { float d = 0.0f; };
extern "C" __global__ void __launch_bounds__(MOST, 1) softmax_v1(float* __restrict__ y, const float* x, const unsigned n_cols) {
    __shared__ struct Places { float of[MOST]; } places;
    auto buffer = places.of;
    const int me = threadIdx.x;
    x += (size_t)blockIdx.x * n_cols;
    y += (size_t)blockIdx.x * n_cols;
    Largest<float> largest(-INFINITY);
    for (int c = me; c < n_cols; c += blockDim.x) largest.take(x[c]);
    buffer[me] = largest;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = LARGER(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    const float m = later(buffer[0], -INFINITY);
    __syncthreads();
    Sum sum;
    for (int c = me; c < n_cols; c += blockDim.x) sum.d += __expf(x[c] - m);
    buffer[me] = sum.d;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    float d;
    d = buffer[0];
    auto share = [&](int c) { return __expf(x[c] - m) / d; };
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = share(c);
}
float later(float a, float b) { return fmaxf(a, b); }
""".replace("\n", "\r\n")
