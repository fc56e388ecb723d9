"""trace of a CUDA text: the requests of its warps to shared memory, and their ways of conflict."""

import pytest
import torch
from conftest import unwrapped

import grader
from grader import environment
from grader.cuda.banks import ways
from grader.interpreter import KernelMisuse
from grader.notebook import cuda_launch, trace_banks

pytestmark = pytest.mark.skipif(not environment.has_compiler(), reason="without g++ no CUDA kernel runs on the CPU")

HEAD = 'extern "C" __global__ void k(float* y, const float* x, int n) {\n    const int me = threadIdx.x;\n'
TAIL = "\n    if (me < n) y[blockIdx.x * n + me] = v;\n}"
X = torch.arange(128.0).reshape(2, 64)  # a column for each thread, so that g++ leaves no load out


def counted(body, threads=32):
    """{(operation, line below the head): entry} of a kernel with this body."""
    found = cuda_launch.run(HEAD + body + TAIL, X, threads, requests=True)[1].shared_requests
    return {(entry.op, entry.line - 2): entry for entry in found}


def kept(index, size=1024):
    """A body that stores in step and loads buffer[index]."""
    fill = f"for (int i = me; i < {size}; i += blockDim.x) buffer[i] = i;"
    return f"__shared__ float buffer[{size}]; {fill} __syncthreads();\n    float v = buffer[{index}];"


@pytest.mark.parametrize("index, expected", [
    ("me", 1), ("2 * me", 2), ("4 * me", 4), ("8 * me", 8), ("31 * me", 1), ("32 * me % 1024", 32), ("33 * me", 1),
    ("0", 1), ("me / 2", 1), ("me ^ 5", 1), ("me % 2 * 32", 2), ("me < 16 ? me : 0", 1),
])  # fmt: skip
def test_the_ways_of_a_load_follow_from_its_stride(index, expected):
    """32 banks of 4 bytes; threads that ask for the same word are served at once."""
    entry = counted(kept(index))["load", 2]

    assert (1, expected, expected) == (entry.requests, entry.ways, entry.most)
    assert {turn for _, _, turn in entry.shown} == set(range(expected)) and len(entry.shown) == 32


def test_padding_takes_a_conflict_away():
    """A column of a 32×32 tile, and of the same tile with rows of 33."""
    tile = "for (int i = 0; i < 32; i++) t[i][me] = 0;\n__syncthreads(); float v = t[me][0];"
    plain, padded = (counted(f"__shared__ float t[32][{n}]; {tile}") for n in (32, 33))

    assert (plain["load", 2].most, padded["load", 2].most) == (32, 1)
    assert 1 == plain["store", 1].most == padded["store", 1].most and plain["store", 1].requests == 32


def test_each_warp_and_each_step_is_a_request_of_its_own():
    """Two warps, three turns of a loop; threads that take no part ask for nothing."""
    entry = counted(
        "__shared__ float b[512]; for (int i = 0; i < 3; i++) { __syncthreads(); if (me >= 32 || me % 2) {\n"
        "b[2 * me] = i; } }\n __syncthreads();\n float v = b[2 * (me | 1)];", 64
    )["store", 2]  # fmt: skip

    # The first warp stores from 16 threads 4 words apart, the second from 32 threads 2 words apart.
    assert (6, 3 * 2 + 3 * 2, 2) == (entry.requests, entry.ways, entry.most)


def test_wide_accesses_are_served_in_parts():
    """16 bytes per thread take four turns, 8 bytes two, and neither is a conflict; 32 bytes apart is one."""
    body = (
        "__shared__ float4 b[128]; b[me] = make_float4(me, 0, 0, 0); b[me + 32] = b[me]; __syncthreads();\n float v = "
    )
    close, far = counted(body + "b[me].x + b[me].w;"), ways([(t, 32 * t) for t in range(32)], 16)

    assert close["store", 1].most == 1 and close["store", 1].size == 16
    assert 1 + max(turn for *_, turn in close["store", 1].shown) == 4
    assert far[0] == 2 and 1 + max(turn for *_, turn in ways([(t, 8 * t) for t in range(32)], 8)[1]) == 2


def test_one_byte_each_is_one_word_for_four():
    """Threads that ask for parts of one word are served at once."""
    assert ways([(t, t) for t in range(32)], 1)[0] == 1
    assert ways([(t, 64 * t) for t in range(32)], 2)[0] == 16


def test_only_the_first_block_is_kept_and_only_where_asked():
    """Two blocks run; the requests are those of one. A launch keeps none."""
    text = HEAD + kept("me") + TAIL
    once = cuda_launch.run(text, X, 32, requests=True)[1].shared_requests
    four = cuda_launch.run(text, torch.ones(4, 64), 32, requests=True)[1].shared_requests

    assert once == four and cuda_launch.run(text, X, 32)[1].shared_requests == []


def test_a_launch_after_a_trace_is_counted_anew():
    """The same text twice: the counts do not add up."""
    assert counted(kept("2 * me")) == counted(kept("2 * me"))


def test_the_text_names_lines_requests_and_ways(capsys):
    """And the picture's description says the same, with the banks of the worst request."""
    picture = grader.trace(HEAD + kept("8 * me % 1024") + TAIL, X, threads=64)
    lines = unwrapped(capsys.readouterr().out)
    bundle = picture._repr_mimebundle_()

    assert lines[0] == "k, 64 threads: requests of the first thread block to shared memory, 32 banks of 4 bytes"
    loads = "2 requests, 8.00 ways on average; the worst has 8"
    assert f"  line 4, `float v = buffer[8 * me % 1024];`, loads: {loads}" == lines[2]
    assert lines[1].endswith("stores: 32 requests without a conflict")
    assert all(" ".join(line.split()) in bundle["text/plain"] for line in lines) and bundle["image/png"]
    assert "a load of 8 ways, which uses 4 of 32 banks; bank 0 is asked by thread 0, 4, 8, 12" in bundle["text/plain"]


def test_the_picture_has_a_row_for_each_turn():
    """Eight turns at most; threads that share a word are marked."""
    for index, expected in (("4 * me", {"turn 4"}), ("32 * me % 1024", {"turn 8"}), ("0", {"0+"})):
        said = {t.get_text() for t in trace_banks.figure([counted(kept(index))["load", 2]], "").axes[0].texts}

        assert expected <= said and "turn 9" not in said and ("turn 5" in said) == (index == "32 * me % 1024")


def test_a_kernel_without_shared_memory_says_so(capsys):
    """And has no picture."""
    assert grader.trace(HEAD + "float v = me;" + TAIL, X) is None
    assert capsys.readouterr().out == "k does not touch shared memory\n"


@pytest.mark.parametrize("wrong", [
    lambda text: grader.trace(text, X, grid=(2,)), lambda text: grader.trace(text),
    lambda text: grader.trace(text, X, X), lambda text: grader.trace(text, X, BLOCK=8),
    lambda text: grader.trace(text, X, order="reversed"),
])  # fmt: skip
def test_misuse_is_a_sentence(wrong):
    """It says how a CUDA text is traced."""
    with pytest.raises(KernelMisuse, match=r"traced as it is launched: trace\(source, x, threads=64\)"):
        wrong(HEAD + "float v = me;" + TAIL)
