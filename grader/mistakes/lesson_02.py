"""Mistakes in counting bytes and seconds."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "five-passes-counted",
        "This is what the five passes move, and not what a single pass does.",
        "Which of the five steps still touch memory when a row stays on the chip from the first to the last?",
    ),
    Mistake(
        "vectors-on-chip",
        "The row maximum and the row sum are counted as if they went out to memory.",
        "Where are they while their row is on the chip?",
    ),
    Mistake("one-row-counted", "This is the traffic of one row.", "How many rows does the matrix have?"),
    Mistake(
        "one-direction",
        "Only one direction is counted.",
        "What else does a softmax do with memory, besides what you counted?",
    ),
    Mistake(
        "two-ratios",
        "Reads and writes were compared each on their own.",
        "How many elements does each version move in all, whatever the direction?",
    ),
    Mistake(
        "earlier-wrong",
        "Your fused_traffic is used here, and it does not give the right numbers yet: 2.1 comes first.",
        'What does check("2.1") say?',
    ),
    Mistake(
        "pair-for-number",
        "fused_traffic and naive_traffic give two numbers each, and a pair is no number to calculate with.",
        "Which one number do you need of the two, and which function of Python makes it?",
    ),
    Mistake(
        "counted-twice",
        "The time is twice as long as it need be: a factor of 2 too many.",
        "How often does an element travel, and how often does your line count it?",
    ),
    Mistake("ratio-upside-down", "The ratio is the wrong way round.", "Which of the two versions moves more?"),
    Mistake(
        "one-less",
        "This is the ratio less 1. It is also what the writes alone would give.",
        "How many times does the smaller number of elements fit into the larger one?",
    ),
    Mistake(
        "saving-not-ratio",
        "This says how much is saved, and not how many times as much is moved.",
        "What would you get for two versions that move the same, and what should it be?",
    ),
    Mistake(
        "rounded",
        "A number lost digits on the way.",
        "Which operator or function of yours gives only some of the digits?",
    ),
    Mistake(
        "itemsize-forgotten",
        "These are elements divided by bytes per second.",
        "Which unit is left when elements are divided by bytes per second?",
    ),
    Mistake(
        "float32-assumed",
        "Every element was taken to have four bytes.",
        "Which parameter says how large an element is?",
    ),
    Mistake(
        "bits-not-bytes",
        "The time is off by a factor of 8.",
        "Does the bandwidth count bits or bytes?",
    ),
    Mistake(
        "not-in-seconds",
        "The time is right, but for its unit.",
        "In which unit does the bandwidth come, and in which should the time go?",
    ),
    Mistake(
        "not-a-time",
        "This number is no time.",
        "Bytes on one side, bytes per second on the other: which operation leaves seconds?",
    ),
    Mistake(
        "other-words",
        'One of two words was expected: "memory" or "compute".',
        "What exactly does each return of yours hand back?",
    ),
    Mistake(
        "always-one-answer",
        "Whatever the kernel and the card, the answer is the same.",
        "Which of the three numbers does your function look at?",
    ),
    Mistake(
        "card-left-out",
        "The same kernel gets the same word on every card.",
        "Which two numbers describe the card, and where do they enter?",
    ),
    Mistake(
        "units-do-not-match",
        "Two numbers with different units were compared.",
        "Which unit does each side of your comparison have?",
    ),
    Mistake(
        "faster-side-named",
        "The word names the side that is done first, and not the one that everybody waits for.",
        "For one byte of this kernel, which takes longer: moving it, or the arithmetic that goes with it?",
    ),
    Mistake(
        "claim-missing",
        'A dictionary with the keys "a" to "f" was expected.',
        "Which claim has no entry yet?",
    ),
    Mistake("not-true-or-false", "An entry is neither True nor False.", "Does the claim hold, or does it not?"),
    Mistake(
        "myth-believed",
        "You say that it holds. Many texts say so too.",
        "Which number of your own can you put beside it?",
    ),
    Mistake(
        "truth-doubted",
        "You say that it does not hold. This one is no myth.",
        "Which number of your own supports it?",
    ),
]
