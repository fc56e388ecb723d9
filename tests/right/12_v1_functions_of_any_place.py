# exercise: 12.5
# functions, members, operators and lambdas without __device__: CuPy compiles with -default-device; long double is double
v1 = r"""
float larger(float a, float b) { return a > b ? a : b; }
template <class T> struct Sum {
    T d;
    Sum(T first) : d(first) {}
    void take(T share) { d += share; }
};
struct Share { float of, all; };
float operator~(Share share) { return share.of / share.all; }
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = larger(m, x[c]);
    buffer[me] = m;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = larger(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    auto part = [m](float value) { return __expf(value - m); };
    Sum<long double> sum(0.0);
    for (int c = me; c < n_cols; c += blockDim.x) sum.take(part(x[c]));
    buffer[me] = sum.d;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();
    }
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = ~Share{part(x[c]), buffer[0]};
}
"""
