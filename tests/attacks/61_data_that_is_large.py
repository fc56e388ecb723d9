# exercise: 12.7
# a table of 400 MB
v3 = r"""
static const float table[100000000] = {1};
extern "C" __global__ void softmax_v3(float* y, const float* x, int n) {
    y[blockIdx.x * n + threadIdx.x] = table[n];
}
"""
