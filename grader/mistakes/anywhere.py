"""Mistakes of any exercise, and those of lesson 00."""

from .mistake import Mistake

MISTAKES = [
    # ---- any exercise
    Mistake(
        "todo-left",
        "The steps judged so far are right, and their points are yours.",
        "What does this step do otherwise than those that are right already?",
    ),
    Mistake("earlier-todo", "An earlier exercise comes first.", "Which exercise does the line above name?"),
    Mistake(
        "value-left-out",
        "The name is there, but what it holds is None or a placeholder.",
        "What value should it have?",
    ),
    Mistake("name-undefined", "Your answer uses a name that no cell defines.", "Where does that name come from?"),
    Mistake(
        "assigned-later",
        "A line of this function gives the name its value, but not on every way to the line that uses it.",
        "Which line gives the name its first value, and what has to happen before that line runs?",
    ),
    Mistake(
        "module-not-read",
        "The check could not import this module: of your own work it reads the cells and nothing else.",
        "In which cell of the notebook could the text of that module stand?",
    ),
    Mistake(
        "name-taken",
        "The name of the answer was given to something else afterwards.",
        "Which other name could that line use, and which cell has to run again?",
    ),
    Mistake(
        "not-python",
        "Python cannot read your answer.",
        "Which sign is missing or one too many, in that line or in the one above it?",
    ),
    Mistake(
        "endless", "Your answer did not finish.", "Which loop of yours can go on for ever: does its variable change?"
    ),
    Mistake(
        "out-of-memory",
        "Your answer asked for more memory than the exercise gives.",
        "How many elements does your largest tensor have, for the input named above?",
    ),
    Mistake(
        "exits", "Your answer ends the Python process instead of returning.", "Who calls your function, and what for?"
    ),
    Mistake(
        "numbers-to-host",
        "The numbers went to the host: your Python took a whole row of a tensor off the device.",
        "Which line asks for the values themselves, and which operation could stay on the device instead?",
    ),
    Mistake(
        "returns-nothing",
        "Your function returns nothing.",
        "Which value should the caller get back, and which line hands it over?",
    ),
    Mistake(
        "no-tensor-returned",
        "Your function returned something else than a tensor.",
        "Which name holds the result, and which name stands behind your return?",
    ),
    Mistake(
        "input-overwritten",
        "The input tensor was changed on the way: its owner may still need it.",
        "Which operation of yours writes into the tensor it was given?",
    ),
    Mistake(
        "library-softmax",
        "The work was left to a library operation, so there is nothing of yours to measure.",
        "Which passes does that one call hide?",
    ),
    # ---- any error of Python or PyTorch
    Mistake(
        "no-such-attribute",
        "A thing was asked for a name that things of its kind do not have.",
        "Which kind does the message name, and which of your variables has that attribute?",
    ),
    Mistake(
        "argument-of-another-kind",
        "A function was given a thing of another kind than it takes.",
        "Which kind does the message ask for, and which of your variables is of that kind?",
    ),
    Mistake(
        "kinds-misfit",
        "Python does not know this operation for things of these kinds.",
        "Which kinds does the message name, and which of them did you not expect in that line?",
    ),
    Mistake(
        "whole-number-needed",
        "Whole numbers are needed here, and something else was given.",
        "What does that line hand over instead: a fraction, a tensor, a list, and which number of it did you mean?",
    ),
    Mistake(
        "tensor-for-number",
        "A single number is needed here, and the tensor does not hold exactly one.",
        "How many elements does the tensor have, and which number about it did you mean?",
    ),
    Mistake(
        "index-outside",
        "The place asked for does not exist: there are fewer elements or fewer axes.",
        "How many axes and elements are there in that line, and with which number does counting begin?",
    ),
    Mistake(
        "unpacked-into-others",
        "As many names as values are needed to take a tuple apart, and here the numbers differ.",
        "How many values does the right side of that line give?",
    ),
    Mistake(
        "elements-do-not-fill",
        "The elements do not fill the shape asked for.",
        "How many elements are there, and how many would that shape hold?",
    ),
    Mistake(
        "nothing-to-reduce",
        "There is nothing to reduce: the list, the tensor or the slice is empty.",
        "Which line should have put something there, and did it run?",
    ),
    Mistake(
        "outside-the-domain",
        "A mathematical function got a number for which it has no value.",
        "Which function stands in that line, and which numbers may it be asked about?",
    ),
    Mistake(
        "step-zero",
        "The step of a loop is 0, so its variable would stay where it is.",
        "By how much should the variable grow each time?",
    ),
    Mistake(
        "divides-by-zero",
        "A number was divided by 0.",
        "Which divisor can be 0, and for which input is it?",
    ),
    # ---- lesson 00
    Mistake("squared", "Every value was multiplied by itself.", "What is twice 3, and what is 3 times 3?"),
    Mistake("added-two", "Two was added to every value.", "What is 10 doubled, and what is 10 plus two?"),
    Mistake("unchanged", "The input came back as it was.", "Which operation changes every element?"),
]
