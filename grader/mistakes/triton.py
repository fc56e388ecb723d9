"""Mistakes that Triton, PyTorch or Python refuses: each error in other words. `errors.py` maps messages to ids."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "illegal-access",
        "On the GPU the kernel touched memory that is not its own.",
        "Which offset differs between the CPU's run and the GPU's?",
    ),
    Mistake(
        "wrong-device",
        "A kernel on the GPU was given a tensor that lives on the CPU.",
        "On which device does the caller's tensor live, and where was yours made?",
    ),
    Mistake(
        "no-jit",
        "To Triton this is a plain function of Python, so there is no kernel to launch.",
        "What stands in the line above every kernel?",
    ),
    Mistake(
        "block-not-power-of-two",
        "tl.arange takes only lengths that are a power of two.",
        "What is the smallest power of two that is at least the length you asked for?",
    ),
    Mistake(
        "block-not-constexpr",
        "tl.arange needs two whole numbers that are known when the kernel is compiled, and one of its ends is none.",
        "Where does each of the two come from, and does it belong inside the arange or added to it?",
    ),
    Mistake(
        "block-too-large",
        "A block may hold 1048576 elements at most.",
        "How could a program walk along a longer row?",
    ),
    Mistake(
        "axis-out-of-range",
        "A block of one row has only one axis.",
        "Which number does the first axis have?",
    ),
    Mistake(
        "max-for-maximum",
        "tl.max reduces one block along an axis; its second argument is that axis.",
        "Which function compares two blocks element by element?",
    ),
    Mistake(
        "torch-in-kernel",
        "A kernel is compiled by Triton: PyTorch, NumPy and math functions do not exist inside.",
        "What is this function or dtype called in triton.language?",
    ),
    Mistake(
        "indexing-pointer",
        "Pointers are added to, and blocks are not indexed.",
        "Which expression gives the address of one element more?",
    ),
    Mistake(
        "helper-no-jit",
        "A kernel calls a function that Triton does not compile.",
        "What stands in the line above every function that a kernel calls?",
    ),
    Mistake(
        "notebook-global",
        "This name is not the kernel's own: what was found under it belongs to the notebook.",
        "Which line of the kernel should have given this name its value?",
    ),
    Mistake(
        "print-in-kernel",
        "In a kernel, `print` takes a constant text first, and the values after it.",
        "Which text would tell the printed numbers from others, and do you still need the line?",
    ),
    Mistake(
        "text-for-number",
        "A text stands where a number is needed.",
        "What do the quotation marks make of it?",
    ),
    Mistake(
        "arange-backwards",
        "tl.arange counts up from its first argument to its second, and here the second is not the larger one.",
        "With which number do the lanes of a block begin, and where do they end?",
    ),
    Mistake(
        "arange-outside",
        "An end of this tl.arange is below 0, or too large for a number of 32 bits.",
        "With which number does the first lane of a block begin?",
    ),
    Mistake(
        "no-such-grid-axis",
        "A grid has the axes 0, 1 and 2, and no other.",
        "How many numbers does the grid of the launch have, and which of them counts these programs?",
    ),
    Mistake(
        "no-such-function",
        "The module has nothing of this name.",
        "How does the lesson spell this operation, and does it need a function at all?",
    ),
    Mistake(
        "values-and-places",
        "Along a dimension, PyTorch's max returns two tensors: the values, and the places where they stand.",
        "Which of the two does the next line need?",
    ),
    Mistake(
        "function-not-called",
        "A function stands where a number is needed: it was named, and not called.",
        "What does Python need behind a function's name to call it, and what do you ask the function about?",
    ),
    Mistake(
        "torch-keyword",
        "`dim` and `keepdim` are PyTorch's words; Triton's functions have others for the same.",
        "What does Triton call the number of an axis, and the option that keeps it?",
    ),
    Mistake(
        "number-not-block",
        "This is a single number and not a block, so it has no axis to stand up.",
        "How many numbers should there be, and which call should have made that many?",
    ),
    Mistake(
        "no-grid",
        "A kernel was called like a function.",
        "What stands between the kernel's name and its arguments in a launch?",
    ),
    Mistake(
        "launch-arguments",
        "The launch does not fit the kernel's parameters.",
        "Which parameters does the kernel's signature name, and which did you pass?",
    ),
    Mistake(
        "signature-changed",
        "The parameters are not the ones that the exercise names.",
        "Which names and which order does the exercise give?",
    ),
    Mistake(
        "imported-by-name",
        "A function of triton.language was imported by its bare name; an interpreted kernel does not find it so.",
        "How does the rest of the lesson write that function?",
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
        "loop-type-changes",
        "A variable has one type before a loop and another one after its first step.",
        "Which type does the loop give it, and which one should it have before?",
    ),
    Mistake(
        "returns-from-kernel",
        "A kernel returns nothing to its caller: only what it stores is kept.",
        "Which pointer should the result be written to?",
    ),
    Mistake(
        "missing-argument",
        "A function was called with too few arguments.",
        "Which arguments does that function take?",
    ),
    Mistake(
        "arguments-misfit",
        "A function was called with arguments that it has no place for.",
        "Which parameters does that function have, in which order, and which did you pass?",
    ),
    Mistake(
        "unstored-loaded",
        "A kernel loaded elements to which nothing had been stored.",
        "Which line should have stored them before, and for which rows and programs does it run?",
    ),
    Mistake(
        "python-builtin",
        "Python's own max, sum and the like go through several things one by one, and this is no collection of things.",
        "What does the function get in that line, and does its namesake in triton.language fit better?",
    ),
    Mistake(
        "grid-not-a-tuple",
        "The grid of a launch is a tuple of numbers, even when it holds one.",
        "How does Python write a tuple with one element?",
    ),
    Mistake(
        "nothing-stored",
        "Nothing was stored: every element still holds the NaN it began with.",
        "Which line hands the result back to memory, and for which lanes?",
    ),
    Mistake(
        "out-of-bounds",
        "No lane of this access is where it should be: the kernel leaves its tensor altogether.",
        "Which lanes of which program compute that address?",
    ),
    Mistake(
        "mask-for-a-number",
        "A single number goes to a single address, under a mask with many lanes.",
        "How many addresses does this access have, and how many does its mask?",
    ),
    Mistake(
        "other-without-mask",
        "A load says what masked lanes should hold, and masks none.",
        "Which lanes of the block have no element, and which parameter of tl.load switches them off?",
    ),
    Mistake(
        "block-to-one-address",
        "A whole block goes to a single address.",
        "How many numbers should arrive there, and which function makes one of many?",
    ),
    Mistake(
        "not-an-address",
        "The first argument of a load or store is an address or a block of addresses, and this one is none.",
        "In which order does the call take its arguments?",
    ),
    Mistake(
        "address-for-value",
        "An address was used where the value is needed that it points at.",
        "Which call fetches what lies at an address?",
    ),
    Mistake(
        "address-and-fraction",
        "An address met a floating-point number. Only whole numbers of elements can be added to one.",
        "Which part of that line is no whole number, or which part is still an address where a value was meant?",
    ),
    Mistake(
        "address-computed-with",
        "An address stands where a number was expected: whole numbers can be added to it, and nothing else.",
        "Which part of that line is an address, and which number should stand there?",
    ),
    Mistake(
        "dtypes-differ",
        "Two tensors of different dtypes met in a function that wants one.",
        "Which dtype does each of the two have, and which of them should change?",
    ),
    Mistake(
        "truth-of-a-tensor",
        "A tensor with several values is neither true nor false.",
        "Is it enough if one of the values is true, or must all of them be?",
    ),
    Mistake(
        "refused-by-compiler",
        "This is Python that Triton's compiler does not take, so it would run on no GPU.",
        "How does Triton's language say the same, and does the kernel need that line?",
    ),
]
