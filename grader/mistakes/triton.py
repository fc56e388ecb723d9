"""Mistakes that Triton, PyTorch or Python refuses: each error in other words. `errors.py` maps messages to ids."""

from .mistake import Mistake
from .mutant import Mutant, also

MISTAKES = [
    Mistake(
        "illegal-access",
        "On the GPU, the kernel touched memory outside of its tensors.",
        "Which offset is different on the GPU?",
    ),
    Mistake(
        "wrong-device",
        "A kernel or an operation was given a tensor in the memory of the CPU beside one of the GPU. A tensor made "
        "without `device=` is there. A notebook without a GPU shows no error, since it has one memory; on a GPU this "
        "fails.",
        "On which device does the caller's tensor live, and where was yours made?",
    ),
    Mistake(
        "no-jit",
        "To Triton this is a plain function of Python, so there is no kernel to launch.",
        "Which decorator makes a kernel of a function, and was it applied to the one that you launch?",
    ),
    Mistake(
        "block-not-power-of-two",
        "tl.arange takes only lengths that are a power of two.",
        "What is the smallest power of two that is at least the length you asked for?",
    ),
    Mistake(
        "block-not-constexpr",
        "tl.arange needs two whole numbers that are known when the kernel is compiled. At least one of its two ends "
        "is something else.",
        "From which number to which one does tl.arange count here, and which of the two does the compiler know?",
    ),
    Mistake(
        "block-too-large",
        "A block may hold 1048576 elements at most.",
        "How many elements does your block have, and could a program take them in several parts?",
    ),
    Mistake(
        "axis-out-of-range",
        "The block has no such axis. Lanes of a row have axis 0 alone. Only a block of rows and columns has an axis 1.",
        "How many axes does your block have: is it one number, the lanes of a row, or rows and columns?",
    ),
    Mistake(
        "max-for-maximum",
        "tl.max, tl.min and tl.sum reduce one block along an axis; the second argument is that axis.",
        "Should that line compare two numbers or blocks, or reduce one block along an axis?",
    ),
    Mistake(
        "torch-in-kernel",
        "A kernel is compiled by Triton: PyTorch, NumPy and math functions do not exist inside.",
        "What is this function or dtype called in triton.language?",
    ),
    Mistake(
        "indexing-pointer",
        "In a kernel, you add offsets to a pointer. Brackets pick no element: after a block, they only add an axis.",
        "Should that line load, store, or add an axis, and how does the lesson write this?",
    ),
    Mistake(
        "helper-no-jit",
        "A kernel calls a function that Triton does not compile.",
        "Which decorator is in the line above every function that a kernel calls?",
    ),
    Mistake(
        "notebook-global",
        "No line of the kernel gives this name a value. The notebook has a value of this name, which a kernel "
        "cannot use.",
        "Which line of the kernel should have given this name its value?",
    ),
    Mistake(
        "print-in-kernel",
        "In a kernel, `print` takes a constant text first, and the values after it.",
        "Which text would tell the printed numbers from others, and do you still need the line?",
    ),
    Mistake(
        "text-for-number",
        "A text was given where a number, None or a dtype is needed.",
        "What type does a value in quotation marks have, and how does the lesson write the value that you mean?",
    ),
    Mistake(
        "arange-backwards",
        "tl.arange counts up from its first argument to its second, and here the second is not the larger one.",
        "With which number do the lanes of a block begin, and where do they end?",
    ),
    Mistake(
        "arange-outside",
        "One end of this tl.arange is below 0, or too large for an integer of 32 bits.",
        "With which number does the first lane of a block begin?",
    ),
    Mistake(
        "pointer-knows-no-shape",
        "A pointer is one address: it knows neither the shape nor the strides of its tensor.",
        "Which parameters of the kernel tell it how many columns there are, and how far apart rows are?",
    ),
    Mistake(
        "no-such-grid-axis",
        "A grid has the axes 0, 1 and 2, and no other.",
        "How many numbers does the grid of the launch have, and which of them counts these programs?",
    ),
    Mistake(
        "no-such-function",
        "The module has nothing of this name.",
        "Which name does the lesson use for this, if it needs one?",
    ),
    Mistake(
        "values-and-places",
        "Along a dimension, PyTorch's max returns two tensors: the values, and their positions.",
        "Which of the two does the next line need?",
    ),
    Mistake(
        "function-not-called",
        "A function stands where a value is needed: it was named and not called.",
        "Which value did you mean: the result of that function, or another variable?",
    ),
    Mistake(
        "torch-keyword",
        "`dim` and `keepdim` are names of PyTorch. Triton has other names for these arguments.",
        "What does Triton call the number of an axis, and the option that keeps it?",
    ),
    Mistake(
        "number-not-block",
        "This is a single number and not a block, so [:, None] cannot add an axis to it.",
        "How many numbers should it be, and which call should have made them?",
    ),
    Mistake(
        "no-grid",
        "A kernel was called like a function.",
        "In a launch, what is between the kernel's name and its arguments?",
    ),
    Mistake(
        "launch-arguments",
        "The arguments of a launch and the parameters of its kernel do not match one to one.",
        "Which parameters does the kernel's signature name, and which did you pass?",
    ),
    Mistake(
        "signature-changed",
        "The parameters are not the ones that the exercise names.",
        "Which names and which order does the exercise give?",
    ),
    Mistake(
        "triton-outside-kernel",
        "A function of triton.language was called by plain Python code. These functions exist only inside a kernel.",
        "Which objects does that line work on: blocks of a kernel, or numbers of Python?",
    ),
    Mistake(
        "plain-global",
        "A kernel sees its parameters and its own variables. It sees a value of the notebook only as a tl.constexpr.",
        "Should this name be a parameter, a variable of the kernel, or a value that never changes?",
    ),
    Mistake(
        "interpret-too-late",
        "Triton was imported before it was told to interpret.",
        "Which cell has to run first after a restart?",
    ),
    Mistake(
        "asks-the-driver",
        "The line asks Triton's driver for the GPU that it uses, and here there is no GPU and no driver.",
        "Which of your tensors knows the device that the result belongs on?",
    ),
    Mistake(
        "block-pointers-removed",
        "Block pointers, tl.make_block_ptr, were removed in Triton 3.9. Tensor descriptors, tl.make_tensor_descriptor, "
        "took their place.",
        "Which offsets and which mask would make the same addresses from a plain pointer?",
    ),
    Mistake(
        "descriptor-misaligned",
        "A tensor descriptor needs a base, rows and blocks that begin at multiples of 16 bytes, and a last dimension "
        "without gaps.",
        "How many bytes lie between the beginnings of two rows of this tensor?",
    ),
    Mistake(
        "loop-type-changes",
        "A variable has one type before a loop and another one after its first step.",
        "Which type does the loop give it, and which one should it have before?",
    ),
    Mistake(
        "returns-from-kernel",
        "A kernel returns nothing to its caller: only what it stores is kept.",
        "Into which tensor should the result go, and which line stores it there?",
    ),
    Mistake(
        "missing-argument",
        "A function was called with too few arguments.",
        "Which arguments does the function take, under which names, and which of them does your line give?",
    ),
    Mistake(
        "arguments-misfit",
        "A function was called with arguments that do not fit its parameters.",
        "Which parameters does that function have, in which order, and which did you pass?",
    ),
    Mistake(
        "unstored-loaded",
        "A kernel loaded elements to which nothing had been stored. An atomic operation loads them, too.",
        "Which tensor does each of your loads read, and which line stores to it before?",
    ),
    Mistake(
        "range-for-a-block",
        "A `range` or a list has numbers one after the other, for a loop, and is no block or tensor to compute with.",
        "Do you need one number there or a block of numbers, and what makes such a block?",
    ),
    Mistake(
        "python-builtin",
        "Python's own max, min, sum and abs work with single numbers, and one of them got a block or a tensor.",
        "Which module has a function of that name for blocks or tensors, or which number did you mean?",
    ),
    Mistake(
        "one-number-given",
        "Python's sum, and its max or min of one argument, go through the items of a list. A single number is there.",
        "Which numbers should that function compare or add, and which ones does your line give it?",
    ),
    Mistake(
        "grid-not-a-tuple",
        "The grid of a launch is a tuple of numbers, even when it holds one.",
        "For which axes does the kernel call program_id, and how does Python write a tuple with one number for each?",
    ),
    Mistake(
        "grid-axis-too-long",
        "There are more programs along axis 1 or 2 of the grid than a GPU starts there. Axis 0 takes 2^31 - 1.",
        "Which of the axes of your grid grows with the number of rows, and how many rows may a matrix have?",
        *(
            Mutant("5.2", "program_id(0)", f"program_id({axis})", 2, also("[(n_rows,)]", grid), replayed=False)
            for axis, grid in ((1, "[(1, n_rows)]"), (2, "[(1, 1, n_rows)]"))
        ),
    ),
    Mistake(
        "nothing-stored",
        "Nothing was stored: every element still holds the NaN it began with.",
        "Which line stores the result, and which elements does it reach?",
    ),
    Mistake(
        "out-of-bounds",
        "No lane of this access is inside the tensor.",
        "Which addresses does this access compute, how many elements does the tensor have, and which lanes does the "
        "mask let through?",
    ),
    Mistake(
        "dot-of-no-matrix",
        "tl.dot multiplies two blocks with two axes each, and one of these has another number of axes.",
        "Which axes does each of the two blocks have?",
    ),
    Mistake(
        "combines-too-few",
        "The function that tl.reduce calls gives back fewer values than it gets from either side.",
        "How many values does each side hold, and which line of that function returns as many?",
    ),
    Mistake(
        "mask-for-a-number",
        "The access has a single address, but its mask has many lanes.",
        "How many addresses does this access have, and how many lanes has its mask?",
    ),
    Mistake(
        "other-without-mask",
        "A load has `other` and no mask, so it masks no lane.",
        "Which lanes of the block have no element, and which parameter of tl.load masks them?",
    ),
    Mistake(
        "block-to-one-address",
        "A whole block is stored to a single address.",
        "Should each lane have an address of its own, or should one number be stored, and which line makes that so?",
    ),
    Mistake(
        "not-an-address",
        "The first argument of a load or store is an address or a block of addresses. Here it is something else.",
        "Which argument of that call comes first, and what does it hold in your line?",
    ),
    Mistake(
        "address-for-value",
        "An address was used in an operation that needs values.",
        "Which name of your kernel holds the values, or which call loads them from an address?",
    ),
    Mistake(
        "cast-to-pointer",
        "A number was cast to the type of a pointer. The type of a pointer is that of an address, and it only contains "
        "the dtype of the elements.",
        "Which name of that line is an address, and which dtype do the elements there have?",
    ),
    Mistake(
        "address-and-fraction",
        "An address and a floating-point number meet in one operation. You can add only whole numbers to an address.",
        "Which part of that line is not a whole number, or is still an address where you mean a value?",
    ),
    Mistake(
        "address-computed-with",
        "An address was used in place of a number. An address can only be moved, by a whole number.",
        "Which part of that line is an address, and which number should stand there?",
    ),
    Mistake(
        "dtypes-differ",
        "A function got two tensors of different dtypes, and it needs the same dtype.",
        "Which dtype does each of the two have, and which of them should change?",
    ),
    Mistake(
        "truth-of-a-tensor",
        "A tensor with several values is neither true nor false.",
        "Which tensor does that line test, and did you mean all of its values or another name?",
    ),
    Mistake(
        "refused-by-compiler",
        "Triton's compiler does not take this Python, so the kernel would run on no GPU.",
        "What should that line compute, and how does the lesson write it for blocks?",
    ),
    Mistake(
        "compiler-endless",
        "Triton's compiler does not finish with this kernel in its time.",
        "Which of your loops does the compiler unroll, and how many steps does it have?",
    ),
    Mistake(
        "compiler-fails",
        "Triton's compiler takes other kernels on this machine and fails on this one, so the kernel would run on no "
        "GPU.",
        "Which line of your kernel is the most unusual, and does the compiler take the kernel without it?",
    ),
]
