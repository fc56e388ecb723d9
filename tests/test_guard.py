"""The checks in front of the accesses of a compiled kernel, for both processors: what gets one, and what is refused."""

import pytest

from grader.cuda import guard

HEAD = '\t.file 1 "kernel"\n\t.text\n\t.type\tk, @function\nk:\n\t.loc 1 7 1\n'
END = "\tret\n\t.size\tk, .-k\n"
CHECKED = {
    "x86_64": {
        "movss\t4(%rax,%rbx,4), %xmm0": ["cpu_load4"],
        "addl\t$1, (%rdi)": ["cpu_load4", "cpu_store4"],
        "movdqa\t%xmm0, (%rdi)": ["cpu_store16a"],
        "cmpq\t%rax, 8(%rdi)": ["cpu_load8"],
        "sete\t(%rdi)": ["cpu_store1"],
        "movss\t.LC0(%rip), %xmm0": [],
        "movss\ttable(%rip), %xmm0": ["cpu_load4"],
        "leaq\t8(%rdi), %rax": [],
        "movl\t%eax, 28(%rsp)": [],
        "movl\t%eax, 30(%rsp)": ["cpu_store4"],
        "movl\t%eax, (%rsp,%rbx)": ["cpu_store4"],
    },
    "aarch64": {
        "ldr\ts0, [x0, x1, lsl 2]": ["cpu_load4"],
        "stp\tx0, x1, [x2, 16]": ["cpu_store8", "cpu_store8"],
        "ldrb\tw0, [x1], 1": ["cpu_load1"],
        "str\tq0, [x0]": ["cpu_store16"],
        "ldr\ts0, [x0, #:lo12:.LC0]": [],
        "ldr\ts0, [x0, #:lo12:table]": ["cpu_load4"],
        "str\tw0, [sp, 28]": [],
        "str\tw0, [sp, 32]": ["cpu_store4"],
    },
}
REFUSED = {
    "x86_64": [
        "rep movsq",
        "movsq",
        "call\t*%rax",
        "jmp\t*%rax",
        "jmp\telsewhere",
        "movq\t%rax, %rsp",
        "subq\t%rax, %rsp",
    ]
    + ["leave", "syscall", "lock xaddl\t%eax, (%rdi)", "btsl\t%eax, (%rdi)", "movl\t%fs:0, %eax", "pushq\t(%rax)"]
    + ["flds\t(%rax)", "movl\t%r11d, %eax", "xlatb", ".byte\t0x90"],
    "aarch64": ["blr\tx1", "br\tx1", "b\telsewhere", "mov\tsp, x0", "sub\tsp, sp, x0", "ldaxr\tw0, [x1]", "svc\t0"]
    + ["dc\tzva, x0", "mov\tx15, x0", "ld1\t{v0.4s}, [x0]", "ldr\tx0, .L1", "str\tx0, [sp, 16]!", ".word\t0"],
}
FRAMES = {"x86_64": "\tsubq\t$32, %rsp\n", "aarch64": "\tstp\tx19, x30, [sp, -32]!\n"}


def guarded(body, processor):
    return guard.guarded(HEAD + FRAMES[processor] + "\t" + body + "\n" + END, processor)


@pytest.mark.parametrize("processor", CHECKED)
def test_each_access_is_checked_before_it_happens(processor):
    """A constant place within the frame of the function needs no check."""
    for body, wanted in CHECKED[processor].items():
        text, refused = guarded(body, processor)
        calls = [
            line.split("\t")[-1].removesuffix("@PLT") for line in text.split(body)[0].split("\n") if "cpu_" in line
        ]

        assert not refused, body
        assert ["cpu_entered", *wanted] == calls, body
        assert "cpu_leaving" in text and "cpu_off_the_end" in text.split("ret")[-1]


@pytest.mark.parametrize("processor", REFUSED)
def test_what_no_check_sees_is_refused(processor):
    """With the line of the kernel."""
    for body in REFUSED[processor]:
        text, refused = guarded(body, processor)

        assert not text, body
        assert refused.startswith("kernel:7:"), body


def test_a_frame_counts_only_where_the_function_begins():
    """Behind a jump or a label, nobody knows where the stack pointer is."""
    body = "\tje\t.L1\n\tsubq\t$32, %rsp\n\tmovl\t%eax, 4(%rsp)\n.L1:\n"

    assert "cpu_store4" in guard.guarded(HEAD + body + END, "x86_64")[0]


def test_nothing_runs_when_a_kernel_is_loaded():
    """But the sanitizer's own start is left out."""
    begin = '\t.section\t.init_array{},"aw"\n\t.quad\tk\n'

    assert "constructor" in guard.guarded(HEAD + END + begin.format(""), "x86_64")[1]
    assert "quad" not in guard.guarded(HEAD + END + begin.format(".00099"), "x86_64")[0]


def test_a_constant_that_is_a_part_of_another_stays():
    """Wherever g++ says so: also where the sanitizer's own start is left out."""
    part = "\t.set\t.LC0,.LC1+4\n"
    for before in ("", '\t.section\t.init_array.00099,"aw"\n\t.quad\tk\n'):
        text, refused = guard.guarded(HEAD + END + before + part, "x86_64")
        assert not refused and part.strip() in text
    assert guard.guarded(HEAD + END + "\t.set\tk,.LC1+4\n", "x86_64")[1]
