"""Mistakes in the backward direction."""

from .mistake import Mistake

MISTAKES = [
    # ---- the formula
    Mistake(
        "gradient-zero",
        "Nothing but zeros: that is the gradient of y.sum(), and of no loss that anybody trains with.",
        "Which dy would tell zeros from a gradient?",
    ),
    Mistake(
        "dy-passed-on",
        "dy came back as it was, as if softmax handed its input on.",
        "What does the Jacobian of a row look like, and when would it be the identity?",
    ),
    Mistake(
        "dot-missing",
        "Only one half of the Jacobian is there: the outputs of a row share their sum, and that part was left out.",
        "When one x of a row grows, what happens to the other outputs of that row?",
    ),
    Mistake(
        "diagonal-only",
        "Each dx was computed from its own y and dy alone, which is the diagonal of the Jacobian.",
        "What do the other elements of the Jacobian hold, and which dy does each of them meet?",
    ),
    Mistake(
        "factor-missing",
        "The factor y in front is missing, on one side of the difference or on both.",
        "What do both parts of the Jacobian's column j have in common?",
    ),
    Mistake(
        "y-and-dy-swapped",
        "y and dy have changed places.",
        "In which order do the signature and your call name the two?",
    ),
    Mistake("dot-averaged", "A row's sum became an average.", "What does dy times the Jacobian do with its terms?"),
    Mistake(
        "dot-along-columns",
        "The products were summed down the columns.",
        "Along which dimension do the outputs lie that share one denominator?",
    ),
    Mistake(
        "dot-of-the-matrix",
        "The products of the whole matrix were summed into one number.",
        "How many such sums does a matrix with M rows have?",
    ),
    Mistake(
        "dot-incomplete",
        "In the row's sum, dy or y stands alone.",
        "Which two numbers does each term of dy times the outer product hold?",
    ),
    Mistake(
        "factor-twice",
        "y or dy is a factor once too often.",
        "How often does each of the two occur in one term of the row's sum, and in front?",
    ),
    Mistake(
        "dot-added",
        "The row's sum was added.",
        "Which sign does the outer product have in the Jacobian?",
    ),
    Mistake(
        "sign-flipped",
        "Every number is right but for its sign.",
        "If the loss grows with one output, should the x of that output get a positive or a negative gradient?",
    ),
    Mistake(
        "jacobian-made",
        "N×N numbers a row were computed, all at once or part by part, only to be summed up again.",
        "How many different numbers does a row of dx need besides y and dy?",
    ),
    Mistake(
        "left-to-autograd",
        "The derivative was left to autograd, and y was taken back to an x for it.",
        "What are the two halves of dy times the Jacobian, written with y and dy alone?",
    ),
    Mistake(
        "y-passed-on",
        "y came back as it was.",
        "Which name holds the result, and which one is handed over?",
    ),
    Mistake(
        "divided-by-y",
        "Where y is 0 the result is nan, and it is right everywhere else: something was divided by y.",
        "What is left of the formula when nothing is divided by y in the first place?",
    ),
    Mistake(
        "max-for-sum",
        "The largest product stands where the sum of all of them belongs.",
        "What does dy times the outer product do with its terms?",
    ),
    Mistake(
        "softmax-of-y",
        "y is the output of a softmax already, and here it went through another one.",
        "Which of your lines belong to forward?",
    ),
    Mistake(
        "row-for-matrix",
        "This was written for one row, and y holds many.",
        "What do torch.diag and torch.outer make of one row, and how much would that be for all of them?",
    ),
    Mistake(
        "matrix-product",
        "A matrix product pairs every row of one matrix with every column of the other.",
        "Which products of y and dy does the number of a row need, and which others does a matrix product make?",
    ),
    # ---- the kernel
    Mistake(
        "lanes-multiplied",
        "An offset was multiplied with the columns, so the address does not step by one element a lane.",
        "Which addresses do the first three lanes of programs 0 and 1 compute?",
    ),
    Mistake(
        "one-tensor-twice",
        "The numbers of one tensor stand in for both y and dy.",
        "Which pointer does each of your two loads begin at?",
    ),
    Mistake(
        "stride-of-another",
        "Each of the three tensors has a row stride of its own, and here one was used for another.",
        "Which stride belongs to the pointer in that line?",
    ),
    Mistake(
        "lanes-in-the-dot",
        "Masked lanes joined the sum: the product of what they were padded with is not 0.",
        "Which product should a lane outside the row add to the sum?",
    ),
    Mistake(
        "one-input-at-row-zero",
        "One of the two inputs is read at its first row by every program.",
        "Which of your addresses does not depend on the program?",
    ),
    # ---- the function
    Mistake(
        "one-direction-only",
        "In one of the two directions PyTorch did the work.",
        "Which kernel does each of your two methods launch?",
    ),
    Mistake(
        "tensors-in-another-order",
        "A launch names its tensors in another order than the kernel's signature does.",
        "Which parameter stands first in that signature, and which tensor comes first in your launch?",
    ),
    Mistake(
        "nothing-kept",
        "backward asks for a tensor, and forward kept none.",
        "Which line of forward hands a tensor to ctx?",
    ),
    Mistake(
        "context-misused",
        "save_for_backward is called with tensors, one argument each; saved_tensors is a tuple, which PyTorch fills.",
        "Which of the two is called, in which method, and with what?",
    ),
    Mistake(
        "not-an-autograd-function",
        "Softmax is no autograd function, so PyTorch has nothing to apply.",
        "Which class should yours be built on, and what do its two methods get as their first argument?",
    ),
    Mistake(
        "x-for-y",
        "The formula was given the input of the softmax where it wants the output.",
        "Which tensor did forward keep, and which one does the formula of 11.1 take?",
    ),
    Mistake(
        "x-kept",
        "The input is kept until backward, though the gradient does not need it.",
        "Which tensors does the formula of 11.1 take?",
    ),
    Mistake(
        "kept-beside-the-graph",
        "A tensor waits for backward where PyTorch does not know of it: nobody notices when it is changed or replaced.",
        "Which method of ctx keeps a tensor together with its version?",
    ),
    Mistake(
        "kept-too-much",
        "Something besides y waits for backward, and it is as large as a matrix.",
        "Which tensors does the formula of 11.1 take?",
    ),
    Mistake(
        "y-recomputed",
        "The softmax was computed once more for backward.",
        "What had forward at hand that backward could have used?",
    ),
    Mistake(
        "y-overwritten",
        "Backward changed the output of forward: it belongs to the caller, and a second backward needs it too.",
        "Which tensor do the stores of your launch in backward go to?",
    ),
    Mistake(
        "dy-assumed-adjacent",
        "The gradient that arrives may be a view, whose elements do not lie in memory row by row.",
        "What does dy.stride() say after y.sum(), and what does your kernel take the column stride to be?",
    ),
    Mistake(
        "float32-in-float64",
        "A float64 result has no more digits than float32: it went through float32 on the way.",
        "Which line of the kernel, or of the function, names a dtype?",
    ),
    Mistake(
        "float64-refused",
        "float64 was refused, though the exercise promises it.",
        "Which dtypes does the docstring name, and which of your lines looks at the dtype?",
    ),
    Mistake(
        "gradients-miscounted",
        "backward returned another number of gradients than forward has inputs.",
        "How many inputs does forward have besides ctx?",
    ),
    Mistake(
        "gradient-none",
        "backward gave None for x.",
        "What does your backward return, and for which input?",
    ),
    Mistake(
        "gradient-shape",
        "backward returned a gradient that does not have the shape of x.",
        "Which shape does the gradient of a matrix have?",
    ),
    Mistake("no-backward", "The function has no backward.", "Which two methods does an autograd function need?"),
    Mistake(
        "saved-tuple",
        "A tuple was used as if it were a tensor.",
        "What does ctx.saved_tensors hold when one tensor was saved?",
    ),
]
