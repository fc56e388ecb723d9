# An object that is called, with programs that take several rows each.
import dataclasses

import triton
import triton.language as tl


@triton.jit
def k(y, x, sy, sx, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        v = tl.load(x + row * sx + cols, mask=cols < N, other=-float("inf"))
        v = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * sy + cols, v / tl.sum(v, axis=0), mask=cols < N)


@dataclasses.dataclass
class Softmax:
    programs: int
    warps: int = 4

    def __call__(self, x, out=None):
        out = x.new_empty(x.size()) if out is None else out
        sizes = out.stride(0), x.stride(0), *x.shape
        k[(min(self.programs, len(x)),)](out, x, *sizes, BLOCK=triton.next_power_of_2(x.size(1)), num_warps=self.warps)
        return out


fused_softmax = Softmax(programs=132)
