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

// The sums and the maxima that the threads of a warp have for the same column.
__device__ __forceinline__ float total(float x) {
#pragma unroll
  for (int far = LANES; far < 32; far <<= 1) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

// What the warps of all blocks know of the columns of a tile. a.join(b) makes a State of both parts of a column.
template <class State> struct Exchange {
  State* of_warps;  // WARPS × TILE
  State* of_block;  // TILE

  // mine: of this thread's columns, the same in all threads of its warp that have these columns. Becomes that of all.
  __device__ __forceinline__ void all(State* mine) const {
#if WARPS > 1 || BLOCKS > 1
    int lane = threadIdx.x % LANES;
    if (threadIdx.x % 32 < LANES) EVERY_COLUMN of_warps[threadIdx.x / 32 * TILE + lane * COLUMNS + c] = mine[c];
    __syncthreads();
    for (int c = threadIdx.x; c < TILE; c += THREADS) {
      State all = of_warps[c];
#pragma unroll
      for (int w = 1; w < WARPS; w++) all.join(of_warps[w * TILE + c]);
      of_block[c] = all;
    }
#if BLOCKS > 1
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    for (int c = threadIdx.x; c < TILE; c += THREADS) {
      State all = of_rank(0, c);
#pragma unroll
      for (int rank = 1; rank < BLOCKS; rank++) all.join(of_rank(rank, c));
      of_warps[c] = all;  // nobody reads those of the warps any more
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");  // see end()
    __syncthreads();
    EVERY_COLUMN mine[c] = of_warps[lane * COLUMNS + c];
#else
    __syncthreads();
    EVERY_COLUMN mine[c] = of_block[lane * COLUMNS + c];
#endif
#endif
  }

  // The state that another block of the cluster has of column c.
  __device__ __forceinline__ State of_rank(int rank, int c) const {
    u32 there, words[sizeof(State) / 4];
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((u32)__cvta_generic_to_shared(of_block + c)), "r"(rank));
#pragma unroll
    for (int i = 0; i < sizeof(State) / 4; i++)
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(words[i]) : "r"(there + 4 * i) : "memory");
    return *(State*)words;
  }

  // No block ends before all have read its states.
  __device__ __forceinline__ void end() const {
#if BLOCKS > 1
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }
};

struct Sum {
  float s;
  __device__ __forceinline__ void join(const Sum& other) { s += other.s; }
};

// A maximum, and the sum of exp(x - m).
struct MaxAndSum {
  float m, d;
  __device__ __forceinline__ void join(const MaxAndSum& other) {
    float top = fmaxf(m, other.m), shift = top == minus_inf() ? 0.f : top;
    d = d * exp2_((m - shift) * LOG2_E) + other.d * exp2_((other.m - shift) * LOG2_E);
    m = top;
  }
};

#if BLOCKS > 1
#define KERNEL extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS, RESIDENT)
#else
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
#endif

// y: softmax along n of x, which is outer × n × inner; tiles: of TILE columns in an outer part.
KERNEL forward(Element* __restrict__ y, const Element* __restrict__ x, int n, int tiles, long long inner, u32 sixteen) {
  __shared__ MaxAndSum of_warps[WARPS * TILE], of_block[TILE];
  Exchange<MaxAndSum> exchange{of_warps, of_block};
  Place place(n, inner, tiles, blockIdx.x % BLOCKS);
  Words v[STEPS];
  load(v, x, place, MINUS_INF);

  MaxAndSum mine[COLUMNS];
#if HALF
  WORDS {
    u32 pair = MINUS_INF;
    EACH pair = larger(pair, v[i].word[q]);
#pragma unroll
    for (int far = LANES; far < 32; far <<= 1) pair = larger(pair, __shfl_xor_sync(~0u, pair, far));
    mine[2 * q].m = low(pair), mine[2 * q + 1].m = high(pair);
  }
#else
  WORDS {
    float top = minus_inf();
    EACH top = fmaxf(top, low(v[i].word[q]));
#pragma unroll
    for (int far = LANES; far < 32; far <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, far));
    mine[q].m = top;
  }
#endif
  WORDS {
#if HALF
    float m = mine[2 * q].m, other = mine[2 * q + 1].m, d = 0.f, e = 0.f;
    if (m == minus_inf()) m = 0.f;
    if (other == minus_inf()) other = 0.f;
    EACH {
      d += exp2_((low(v[i].word[q]) - m) * LOG2_E);
      e += exp2_((high(v[i].word[q]) - other) * LOG2_E);
    }
    mine[2 * q].d = total(d), mine[2 * q + 1].d = total(e);
#else
    float m = mine[q].m == minus_inf() ? 0.f : mine[q].m, d = 0.f;
    EACH {
      float e = exp2_((low(v[i].word[q]) - m) * LOG2_E);
      d += e;
      if (!LOG) v[i].word[q] = __float_as_uint(e);
    }
    mine[q].d = total(d);
#endif
  }
  float before[COLUMNS];
  EVERY_COLUMN before[c] = mine[c].m;
  exchange.all(mine);

  Element* at = y + place.origin;
  float last[COLUMNS];  // log2 d, or what a number that is already exp(x - before) is multiplied with
  EVERY_COLUMN last[c] = HALF || LOG ? log2_(mine[c].d) : exp2_((before[c] - mine[c].m) * LOG2_E) / mine[c].d;
#if LOG
#define RESULT(x, c) (((x) - mine[c].m) - last[c] * LN_2)
#else
#define RESULT(x, c) exp2_(fmaf((x) - mine[c].m, LOG2_E, -last[c]))
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
  exchange.end();
}

// dx: y * (dy - sum of y * dy), or for log_softmax dy - exp(y) * sum of dy.
KERNEL backward(Element* __restrict__ dx, const Element* __restrict__ y, const Element* __restrict__ dy, int n, int tiles, long long inner, u32 sixteen) {
  __shared__ Sum of_warps[WARPS * TILE], of_block[TILE];
  Exchange<Sum> exchange{of_warps, of_block};
  Place place(n, inner, tiles, blockIdx.x % BLOCKS);
  Words v[STEPS], g[STEPS];
  load(v, y, place, 0);
  load(g, dy, place, 0);
#if LOG
#define TERM(y, dy) (dy)
#define GRADIENT(y, dy, c) fmaf(-exp2_((y) * LOG2_E), sum[c].s, dy)
#else
#define TERM(y, dy) ((y) * (dy))
#define GRADIENT(y, dy, c) ((y) * ((dy) - sum[c].s))
#endif
  Sum sum[COLUMNS];
  WORDS {
    float a = 0.f, b = 0.f;
    EACH {
      a += TERM(low(v[i].word[q]), low(g[i].word[q]));
      if (HALF) b += TERM(high(v[i].word[q]), high(g[i].word[q]));
    }
    sum[A_WORD * q].s = total(a);
    if (HALF) sum[A_WORD * q + A_WORD - 1].s = total(b);
  }
  exchange.all(sum);

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
  exchange.end();
}
