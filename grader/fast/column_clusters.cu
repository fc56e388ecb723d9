// Softmax along a dimension that is not the last in memory, forward and backward, for NVIDIA GPUs of compute capability 8.0
// and newer.
//
// In memory a tensor is outer × n × inner, and softmax goes along n. A block, or a cluster of BLOCKS of them, holds TILE
// adjacent columns of one outer part on the chip, so that every element is read once and written once: LANES threads move
// a step of all these columns, and others the next steps. column_clusters.py compiles this text with
//   HALF      as in elements.cuh, which stands before this text
//   LOG       1 for log_softmax, 0 for softmax
//   WIDE      words of 4 bytes that a thread moves at once: 1, 2 or 4
//   LANES     threads side by side, a power of two up to 32
//   THREADS   threads of a block, a multiple of 32
//   STEPS     steps of its columns that a thread holds
//   BLOCKS    thread blocks of a cluster, a power of two up to 16; above 1 for compute capability 9.0 and newer
//   RESIDENT  blocks that are to run on a multiprocessor at once, which bounds their registers
#define GROUPS (THREADS / LANES)
#define WARPS (THREADS / 32)
#define A_WORD (HALF ? 2 : 1)  // elements
#define COLUMNS (WIDE * A_WORD)  // of a thread
#define TILE (LANES * COLUMNS)
#define EACH _Pragma("unroll") for (int i = 0; i < STEPS; i++)
#define WORDS _Pragma("unroll") for (int q = 0; q < WIDE; q++)
#define EVERY_COLUMN _Pragma("unroll") for (int c = 0; c < COLUMNS; c++)

struct __align__(4 * WIDE) Words { u32 word[WIDE]; };

// The numbers of a word. `sixteen` is an argument of the kernel, so that the compiler cannot know that it has unpacked them
// before: it would keep two registers for a word, and not one.
#if HALF == 1
__device__ __forceinline__ float low_again(u32 w, u32 sixteen) { return __uint_as_float(w << sixteen); }
__device__ __forceinline__ float high_again(u32 w, u32 sixteen) { return __uint_as_float(w & 0xffffffffu << sixteen); }
#elif HALF == 2
__device__ __forceinline__ float low_again(u32 w, u32 sixteen) { return low(w ^ (sixteen - 16)); }
__device__ __forceinline__ float high_again(u32 w, u32 sixteen) { return high(w ^ (sixteen - 16)); }
#else
__device__ __forceinline__ float low(u32 w) { return __uint_as_float(w); }
__device__ __forceinline__ float high(u32 w) { return 0.f; }
#endif

// Where a thread is: its steps are first, first + GROUPS, ... of columns that begin at element `origin` of the tensor.
struct Place {
  int n, first;
  bool inside;
  long long origin, stride;

  __device__ __forceinline__ Place(int n, long long inner, int tiles, u32 rank) : n(n) {
    u32 tile = blockIdx.x / BLOCKS;
    long long column = (long long)(tile % tiles) * TILE + threadIdx.x % LANES * COLUMNS;
    first = rank * (GROUPS * STEPS) + threadIdx.x / LANES;
    inside = column < inner;
    origin = ((long long)(tile / tiles) * n + first) * inner + column;
    stride = GROUPS * inner;
  }
  __device__ __forceinline__ u32 there(int i) const { return inside && first + i * GROUPS < n; }
};

// Asm, so that there is no branch for each step.
__device__ __forceinline__ void load(Words* v, const Element* all, const Place& place, u32 nothing) {
  const Element* at = all + place.origin;
  EACH {
    u32* w = v[i].word;
    WORDS w[q] = nothing;
#if WIDE == 4
    asm volatile("{\n.reg .pred there;\nsetp.ne.u32 there, %5, 0;\n@there ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]) : "l"(at), "r"(place.there(i)));
#elif WIDE == 2
    asm volatile("{\n.reg .pred there;\nsetp.ne.u32 there, %3, 0;\n@there ld.global.v2.u32 {%0, %1}, [%2];\n}"
                 : "+r"(w[0]), "+r"(w[1]) : "l"(at), "r"(place.there(i)));
#else
    asm volatile("{\n.reg .pred there;\nsetp.ne.u32 there, %2, 0;\n@there ld.global.u32 %0, [%1];\n}"
                 : "+r"(w[0]) : "l"(at), "r"(place.there(i)));
#endif
    at += place.stride;
  }
}

__device__ __forceinline__ void store(Element* at, u32 there, const Words& v) {
  if (there) *(Words*)at = v;
}

// The larger of two words: of two floats, or of each of two pairs.
#if !HALF
__device__ __forceinline__ u32 larger(u32 a, u32 b) { return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b))); }
#endif

// What the warps of a block have for the same column is put together in two steps: by shuffles in a warp, and in shared
// memory, where every thread reads what the warps have of its own columns. Always in the same order.
__device__ __forceinline__ void largest_of_block(u32* top, u32* of_warps) {
  WORDS {
#pragma unroll
    for (int far = LANES; far < 32; far <<= 1) top[q] = larger(top[q], __shfl_xor_sync(~0u, top[q], far));
  }
#if WARPS > 1
  int lane = threadIdx.x % LANES;
  if (threadIdx.x % 32 < LANES) WORDS of_warps[(threadIdx.x / 32 * LANES + lane) * WIDE + q] = top[q];
  __syncthreads();
#pragma unroll
  for (int w = 0; w < WARPS; w++) WORDS top[q] = larger(top[q], of_warps[(w * LANES + lane) * WIDE + q]);
#endif
}

__device__ __forceinline__ void total_of_block(float* sum, float* of_warps) {
  EVERY_COLUMN {
#pragma unroll
    for (int far = LANES; far < 32; far <<= 1) sum[c] += __shfl_xor_sync(~0u, sum[c], far);
  }
#if WARPS > 1
  int lane = threadIdx.x % LANES;
  if (threadIdx.x % 32 < LANES) EVERY_COLUMN of_warps[threadIdx.x / 32 * TILE + lane * COLUMNS + c] = sum[c];
  __syncthreads();
  EVERY_COLUMN sum[c] = 0.f;
#pragma unroll
  for (int w = 0; w < WARPS; w++) EVERY_COLUMN sum[c] += of_warps[w * TILE + lane * COLUMNS + c];
#endif
}

#if BLOCKS > 1
// What the blocks of a cluster know of the columns of a tile. One thread a column hears all blocks, and tells its own:
// if every thread heard them, they would wait for shared memory of other multiprocessors.
template <class State> struct Cluster {
  State *of_block, *of_all;  // TILE of each, in shared memory

  // mine: of this thread's columns, the same in all threads that have these columns. Becomes that of all blocks.
  template <class Join> __device__ __forceinline__ void all(State* mine, Join join) const {
    if (threadIdx.x < LANES) EVERY_COLUMN of_block[threadIdx.x * COLUMNS + c] = mine[c];
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    for (int c = threadIdx.x; c < TILE; c += THREADS) {
      State all[BLOCKS];
#pragma unroll
      for (int rank = 0; rank < BLOCKS; rank++) all[rank] = of(rank, c);
      of_all[c] = join(all);
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");  // see end()
    __syncthreads();
    EVERY_COLUMN mine[c] = of_all[threadIdx.x % LANES * COLUMNS + c];
  }

  // What block `rank` has of column c of the tile.
  __device__ __forceinline__ State of(int rank, int c) const {
    u32 there, words[sizeof(State) / 4];
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((u32)__cvta_generic_to_shared(of_block + c)), "r"(rank));
#pragma unroll
    for (int i = 0; i < sizeof(State) / 4; i++)
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(words[i]) : "r"(there + 4 * i) : "memory");
    return *(State*)words;
  }

  // No block ends before all have read its states.
  __device__ __forceinline__ void end() const { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
};

struct Add {
  __device__ __forceinline__ float operator()(const float* s) const {
    float sum = s[0];
#pragma unroll
    for (int rank = 1; rank < BLOCKS; rank++) sum += s[rank];
    return sum;
  }
};

// Of (maximum, sum of exp(x - maximum)).
struct Merge {
  __device__ __forceinline__ float2 operator()(const float2* s) const {
    float m = s[0].x, d = 0.f;
#pragma unroll
    for (int rank = 1; rank < BLOCKS; rank++) m = fmaxf(m, s[rank].x);
    float start = m == minus_inf() ? 0.f : m;
#pragma unroll
    for (int rank = 0; rank < BLOCKS; rank++) d += s[rank].y * exp2_((s[rank].x - start) * LOG2_E);
    return make_float2(m, d);
  }
};
#endif

#if BLOCKS > 1
#define KERNEL extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS, RESIDENT)
#else
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
#endif

// y: softmax along n of x, which is outer × n × inner; tiles: of TILE columns in an outer part.
KERNEL forward(Element* __restrict__ y, const Element* __restrict__ x, int n, int tiles, long long inner, u32 sixteen) {
  __shared__ u32 tops[WARPS * LANES * WIDE];
  __shared__ float sums[WARPS * TILE];
#if BLOCKS > 1
  __shared__ float2 of_block[TILE], of_all[TILE];
#endif
  Place place(n, inner, tiles, blockIdx.x % BLOCKS);
  Words v[STEPS];
  load(v, x, place, MINUS_INF);

  u32 top[WIDE];
  WORDS {
    top[q] = MINUS_INF;
    EACH top[q] = larger(top[q], v[i].word[q]);
  }
  largest_of_block(top, tops);
  float m[COLUMNS], d[COLUMNS];
  WORDS {
    float a = m[A_WORD * q] = low(top[q]), sum = 0.f;
    if (a == minus_inf()) a = 0.f;
#if HALF
    float b = m[2 * q + 1] = high(top[q]), other = 0.f;
    if (b == minus_inf()) b = 0.f;
    EACH {
      sum += exp2_((low(v[i].word[q]) - a) * LOG2_E);
      other += exp2_((high(v[i].word[q]) - b) * LOG2_E);
    }
    d[2 * q + 1] = other;
#else
    EACH {
      float e = exp2_((low(v[i].word[q]) - a) * LOG2_E);
      sum += e;
      if (!LOG) v[i].word[q] = __float_as_uint(e);
    }
#endif
    d[A_WORD * q] = sum;
  }
  total_of_block(d, sums);
  float scale[COLUMNS];  // of a number that is already exp(x - m), with the m of the block
  EVERY_COLUMN scale[c] = 1.f;
#if BLOCKS > 1
  Cluster<float2> cluster{of_block, of_all};
  float2 states[COLUMNS];
  EVERY_COLUMN states[c] = make_float2(m[c], d[c]);
  cluster.all(states, Merge());
  EVERY_COLUMN {
    scale[c] = exp2_((m[c] - states[c].x) * LOG2_E);
    m[c] = states[c].x, d[c] = states[c].y;
  }
#endif

  Element* at = y + place.origin;
  float last[COLUMNS];  // log2 d, or what a number that is already exp(x - m) is multiplied with
  EVERY_COLUMN last[c] = HALF || LOG ? log2_(d[c]) : scale[c] / d[c];
#if LOG
#define RESULT(x, c) (((x) - m[c]) - last[c] * LN_2)
#else
#define RESULT(x, c) exp2_(fmaf((x) - m[c], LOG2_E, -last[c]))
#endif
  EACH {
    Words out;
    WORDS {
#if HALF
      out.word[q] = pack(RESULT(low_again(v[i].word[q], sixteen), 2 * q), RESULT(high_again(v[i].word[q], sixteen), 2 * q + 1));
#elif LOG
      out.word[q] = __float_as_uint(RESULT(low(v[i].word[q]), q));
#else
      out.word[q] = __float_as_uint(low(v[i].word[q]) * last[q]);
#endif
    }
    store(at, place.there(i), out);
    at += place.stride;
  }
#if BLOCKS > 1
  cluster.end();
#endif
}

// dx: y * (dy - sum of y * dy), or for log_softmax dy - exp(y) * sum of dy.
KERNEL backward(Element* __restrict__ dx, const Element* __restrict__ y, const Element* __restrict__ dy, int n, int tiles, long long inner, u32 sixteen) {
  __shared__ float sums[WARPS * TILE];
#if BLOCKS > 1
  __shared__ float of_block[TILE], of_all[TILE];
#endif
  Place place(n, inner, tiles, blockIdx.x % BLOCKS);
  Words v[STEPS], g[STEPS];
  load(v, y, place, 0);
  load(g, dy, place, 0);
#if LOG
#define TERM(y, dy) (dy)
#define GRADIENT(y, dy, c) fmaf(-exp2_((y) * LOG2_E), sum[c], dy)
#else
#define TERM(y, dy) ((y) * (dy))
#define GRADIENT(y, dy, c) ((y) * ((dy) - sum[c]))
#endif
  float sum[COLUMNS];
  WORDS {
    float a = 0.f, b = 0.f;
    EACH {
      a += TERM(low(v[i].word[q]), low(g[i].word[q]));
      if (HALF) b += TERM(high(v[i].word[q]), high(g[i].word[q]));
    }
    sum[A_WORD * q] = a;
    if (HALF) sum[A_WORD * q + A_WORD - 1] = b;
  }
  total_of_block(sum, sums);
#if BLOCKS > 1
  Cluster<float> cluster{of_block, of_all};
  cluster.all(sum, Add());
#endif

  Element* at = dx + place.origin;
  EACH {
    Words out;
    WORDS {
      u32 a = v[i].word[q], b = g[i].word[q];
#if HALF
      out.word[q] = pack(GRADIENT(low_again(a, sixteen), low_again(b, sixteen), 2 * q),
                         GRADIENT(high_again(a, sixteen), high_again(b, sixteen), 2 * q + 1));
#else
      out.word[q] = __float_as_uint(GRADIENT(low(a), low(b), q));
#endif
    }
    store(at, place.there(i), out);
    at += place.stride;
  }
#if BLOCKS > 1
  cluster.end();
#endif
}
