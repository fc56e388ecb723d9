# exercise: 12.6
# mistake: array-not-shared
merge_states = r"""
// Merges another state into the state (m, d), as in lesson 08.
__device__ void merge(float& m, float& d, float other_m, float other_d) {
    const float top = fmaxf(m, other_m);
    if (top == -INFINITY) return;  // both are empty
    d = d * __expf(m - top) + other_d * __expf(other_m - top);
    m = top;
}
"""


