"""Mistakes of any exercise, and those of lesson 00."""

from .mistake import Mistake, Mutant

MISTAKES = [
    # ---- any exercise
    Mistake(
        "todo-left",
        "The steps judged so far are right, and their points are yours.",
        "Which sentences and comments of the exercise describe the step that is judged next?",
    ),
    Mistake("earlier-todo", "An earlier exercise comes first.", "Which exercise does the line above name?"),
    Mistake(
        "value-left-out",
        "The name or the entry is there, but its value is still missing.",
        "What value should it have?",
    ),
    Mistake(
        "name-undefined",
        "Your answer uses a name that has no value there.",
        "Did you mean another name, or where should this one get its value: in your answer, or in a cell before it?",
    ),
    Mistake(
        "key-without-quotes",
        "A key of this dictionary stands there without quotation marks, so it is the name of a variable.",
        "How does Python tell a text from a name?",
    ),
    Mistake(
        "module-not-imported",
        "Your answer uses a module, and no cell before it imports this module.",
        "Which line imports it, and in which cell could this line stand?",
    ),
    Mistake(
        "number-of-a-module",
        "The kernel takes a number from a module of Python, and no cell imports this module.",
        "How do the kernels of the lesson write minus infinity?",
    ),
    Mistake(
        "module-left-out",
        "A function of a module is called without the name of its module.",
        "Is it a function of a module, and of which one, or did you mean another name?",
        Mutant("4.1", "tl.exp(x - row_max)", "exp(x - row_max)", replayed=False),
    ),
    Mistake(
        "text-for-names",
        "A list of names was expected, and a text was given. Its letters were taken for the names.",
        "How does Python write a list with one name in it?",
        Mutant("15.3", 'restore_value=["x_ptr"]', 'restore_value="x_ptr"', replayed=False),
    ),
    Mistake(
        "list-for-dictionary",
        "A list, a tuple or a tensor was asked for an entry by a name, and only a dictionary has names.",
        "Of which type is the object in front of the brackets, and which object has an entry of that name?",
    ),
    Mistake(
        "no-such-entry",
        "A dictionary was asked for an entry that it does not have.",
        "Which entries does that dictionary have, and which name does your line ask for?",
    ),
    Mistake(
        "file-not-there",
        "Your answer, or a cell that defines one of its names, reads a file, and the check has no such file.",
        "Which line reads the file, and did you mean a name of your own?",
    ),
    Mistake(
        "called-no-function",
        "A value was called like a function, and it is none.",
        "What stands in front of the parentheses in that line, or is given there as a function, and which value is it?",
    ),
    Mistake(
        "xor-for-power",
        "In Python, ^ is no power: it compares the bits of two whole numbers.",
        "What should this line compute from its two numbers, and which operator of Python does that?",
    ),
    Mistake(
        "device-by-name",
        "This line asks for a GPU, and this machine has none.",
        "Does this line need a GPU, or the device of the tensors that your function was given?",
    ),
    Mistake(
        "tool-in-answer",
        "The tools of the course, such as `traffic`, do not exist inside of an answer while it is checked.",
        "Which numbers should your answer compute by itself, and from which arguments?",
    ),
    Mistake(
        "infinity-undefined",
        "Your answer uses a word for infinity or NaN as a name that has no value.",
        'Python has float("inf") and float("nan"): is one of them the value that you mean?',
    ),
    Mistake(
        "assigned-later",
        "This name gets its value in the function, but not on every way to the line that uses it.",
        "Is this the name that you mean, and which line gives it its first value?",
    ),
    Mistake(
        "module-not-read",
        "The check could not import this module. It reads the cells of the notebook, and no other files of yours.",
        "Is the name of the module right, and if it is a file of yours: in which cell could its text stand?",
    ),
    Mistake(
        "changed-before-set",
        "A line changes the value of a name that has no value in this function yet. A function's own names are not "
        "those of the notebook.",
        "Which line inside the function should give this name its first value?",
    ),
    Mistake(
        "answer-is-no-function",
        "The name of the answer holds neither a function nor a kernel.",
        "Which line gives this name its value, and what should the line define?",
    ),
    Mistake(
        "name-taken",
        "A later line gave the name of the answer to another object.",
        "Which other name could that later line use, and which cell has to run again?",
    ),
    Mistake(
        "not-python",
        "Python cannot read your answer.",
        "There and in the line above: which word or sign is missing, too many or misspelled?",
    ),
    Mistake(
        "text-not-closed",
        "Python cannot read your answer: a text in quotation marks begins in this line and does not end.",
        "How many quotation marks does this text begin with, and where should the same ones end it?",
    ),
    Mistake(
        "line-of-cpp",
        "Python cannot read your answer: one line of it is C++, and no Python.",
        "How does Python write this line, or should it stand inside the quotation marks of a kernel's text?",
    ),
    Mistake(
        "indentation",
        "Python cannot read your answer: the indentation of a line does not fit the lines around it.",
        "How many spaces does that line begin with, how many does the line above it, and which lines belong together?",
    ),
    Mistake(
        "foreign-sign",
        "A line has a sign that the language does not know, though it may look like one that it knows.",
        "Which sign of that line is full-width, such as a bracket, a comma, a colon, a semicolon, a quotation mark, a "
        "digit or a space, or is a sign of mathematics that a keyboard does not have?",
    ),
    Mistake(
        "endless",
        "Your answer does not end, or not in time.",
        "Is there a loop whose condition never becomes false, or too much work for the time?",
    ),
    Mistake(
        "out-of-memory",
        "Your answer asked for more memory than the exercise gives.",
        "How many elements does your largest tensor or list have, for the input named above?",
    ),
    Mistake(
        "exits",
        "Your answer ends the Python process instead of returning.",
        "Which code calls your function, and what does that code do with the result?",
    ),
    Mistake(
        "numbers-to-host",
        "The numbers went to the host, the CPU with its Python: your code asked for the values of a tensor.",
        "Which line asks for the values themselves, and which operation could stay on the device instead?",
    ),
    Mistake(
        "returns-nothing",
        "Here your function returns nothing.",
        "Which value should the caller get, and which line returns it?",
    ),
    Mistake(
        "memory-unset",
        "The result comes from memory to which nothing was stored: torch.empty gives such memory.",
        "Which tensor begins without values, and which line gives it its first ones?",
    ),
    Mistake(
        "no-tensor-returned",
        "Your function returned an object that is not a tensor.",
        "Of which type is the value that your function returns, and which operation would give a tensor?",
    ),
    Mistake(
        "input-overwritten",
        "An input tensor was changed, and the caller may still need it.",
        "Which line of yours writes into that tensor?",
    ),
    Mistake(
        "kept-by-address",
        "The result of an earlier call came back: other numbers lay in the same memory.",
        "By what do you recognise a tensor that you have seen, and does it change when its numbers do?",
    ),
    Mistake(
        "library-softmax",
        "Your answer calls a library operation that this exercise leaves to you.",
        "Which steps does that one call hide, and which of them should you write?",
    ),
    # ---- any error of Python or PyTorch
    Mistake(
        "no-such-attribute",
        "An object was asked for an attribute that objects of its type do not have.",
        "Which type does the message name, and is the attribute spelled right, or has another variable of yours that "
        "attribute?",
    ),
    Mistake(
        "argument-of-another-kind",
        "A function was given an argument of a type that it does not take.",
        "Which argument does the message speak of, and which value does your line pass for it?",
    ),
    Mistake(
        "loop-over-a-number",
        "A `for` takes one item after the other from a list, a tuple or a range, and here it got a single number.",
        "Which values should the loop variable take, and which function of Python gives them one after the other?",
    ),
    Mistake(
        "kinds-misfit",
        "Python does not have this operation for values of these types.",
        "Which types does the message name, and which value or which operator of that line does not fit them?",
    ),
    Mistake(
        "argument-given-twice",
        "One argument was given twice.",
        "From which two places does it get a value (a position, a keyword, a configuration of an autotuned kernel)?",
    ),
    Mistake(
        "floor-division",
        "`//` is an operator for whole numbers, and a block of this line holds floating-point numbers.",
        "Which operator divides one floating-point number by another?",
    ),
    Mistake(
        "whole-number-needed",
        "Whole numbers of the type int are needed here, one or several, and a value has another type.",
        "Which value does that line pass on (a fraction, a tensor, a list), and which whole numbers did you mean?",
    ),
    Mistake(
        "tensor-for-number",
        "A single number is needed here, and the tensor does not hold exactly one.",
        "How many elements does the tensor have, and which number about it did you mean?",
    ),
    Mistake(
        "index-outside",
        "The index is outside: there are fewer elements, or fewer axes.",
        "How many items or axes has the object, which number does the first one have, and which one did you ask for?",
    ),
    Mistake(
        "unpacked-into-others",
        "To unpack a tuple you need one name for each value, and here the numbers differ.",
        "How many values does each tuple have that this line takes apart?",
    ),
    Mistake(
        "elements-do-not-fill",
        "The elements do not fill the shape asked for.",
        "How many elements are there, and how many would that shape hold?",
    ),
    Mistake(
        "placeholder-left",
        "A name still holds `...`, which stands for code that is missing.",
        "Which of your lines is still to be written?",
    ),
    Mistake(
        "calls-itself",
        "A function calls itself without end, or more often than Python allows.",
        "Which call is the last one, and which line ends the function then?",
    ),
    Mistake(
        "nothing-to-reduce",
        "There is nothing to reduce: the list, the tensor or the slice is empty.",
        "Which lines give it elements, or where does the slice begin and where does it end?",
    ),
    Mistake(
        "outside-the-domain",
        "A mathematical function got a number for which it is not defined.",
        "Which function is in that line, and for which numbers is it defined?",
    ),
    Mistake(
        "step-zero",
        "The step of a loop is 0, so its variable would never change.",
        "By how much should the variable grow each time?",
    ),
    Mistake(
        "step-counts-down",
        "The step of a loop in a kernel is negative and no constant. Triton compiles it as a loop that counts up.",
        "Which rows or tiles does the loop visit, and does their order change the result?",
    ),
    Mistake(
        "divides-by-zero",
        "A number was divided by 0.",
        "Which divisor can be 0, and for which input is it?",
    ),
    # ---- lesson 00
    Mistake("squared", "Every value was multiplied by itself.", "What is twice 3, and what is 3 times 3?"),
    Mistake("added-two", "Two was added to every value.", "What is 10 doubled, and what is 10 plus two?"),
    Mistake(
        "unchanged",
        "The result holds the numbers of the input.",
        "Which operation changes every element, and how does its result reach the caller?",
    ),
]
