"""Mistakes in finding the first integer whose exponential is infinite in a dtype."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "fifty-overflows",
        "exp(50) is about 5e21: float32 holds that easily.",
        "What is the largest float32, and which exponent reaches it?",
    ),
    Mistake(
        "last-finite",
        "At this integer exp is still finite: you have the last one that fits.",
        "What does exp give one step further?",
    ),
    Mistake(
        "still-finite",
        "At this integer exp is still finite, and at the next one as well.",
        "How large is exp of this integer in this dtype, and how large may a number be?",
    ),
    Mistake(
        "not-first",
        "exp is infinite here, but it is already infinite for a smaller integer.",
        "What does exp give one step before?",
    ),
    Mistake("dtypes-swapped", "The two dtypes have changed places.", "Which of the two dtypes reaches larger numbers?"),
    Mistake(
        "not-a-number",
        "A plain Python number was expected: an int or a float.",
        "What type does yours have?",
    ),
    Mistake(
        "not-an-integer",
        "The first integer at which exp overflows was expected, and this is no integer.",
        "At the first integer above your number, is exp infinite, and is it still finite one step before?",
    ),
    Mistake(
        "wrong-keys",
        'A dictionary with the keys "float32" and "float16" was expected.',
        "What does the check look up in your dictionary?",
    ),
]
