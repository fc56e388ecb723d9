"""Mistakes in measuring a kernel, and in choosing one."""

from .mistake import Mistake

MISTAKES = [
    # ---- a clock and a queue
    Mistake(
        "clock-not-used",
        "No call lies between two looks at `clock`, so nothing was measured that the check could know of.",
        "Which object of the lesson asks the device at hand, and none that was made up?",
    ),
    Mistake(
        "not-synchronised",
        "The clock was read while the device still had work to do: what was timed is how long it takes to ask for it.",
        "What has the device done by the time that the call returns?",
    ),
    Mistake(
        "other-work-timed",
        "Other work was timed with the call: it was still waiting when the clock was started, or was asked for after "
        "it.",
        "What is in the queue between your two looks at the clock, besides the call?",
    ),
    Mistake(
        "cache-warm",
        "The timed calls found their data in the cache, where the call before had left it.",
        "Where does x lie after one run, and where would it lie in a program that has done other things since?",
    ),
    Mistake(
        "warm-up-too-short",
        "Calls were timed that are slow for a reason of their own: the first one compiles, and a card at rest needs a "
        "while to reach its speed.",
        "How many calls came before the first one that you timed?",
    ),
    Mistake(
        "timed-together",
        "Several calls were timed together, which gives their mean: one disturbed call spoils it.",
        "Which calls lie between your two looks at the clock?",
    ),
    Mistake(
        "too-few-runs",
        "A few runs say little: if some of them were disturbed, nobody can tell.",
        "How many runs does it take until a single odd one no longer matters?",
    ),
    Mistake(
        "mean-not-median",
        "This is the mean of the runs: a single run that was disturbed moves it.",
        "Which number of a sorted list stays the same when its largest entry grows?",
    ),
    Mistake(
        "one-run-of-many",
        "The result is that of one particular run: the fastest, the slowest, the first, or the middle of an unsorted "
        "list.",
        "Which of your runs stands for what a caller usually gets?",
    ),
    # ---- bytes and seconds
    Mistake(
        "elements-counted",
        "These are elements in a second, not bytes.",
        "How many bytes does one element of x have, and who knows?",
    ),
    Mistake(
        "bits-counted",
        "The rate is off by a factor of 8.",
        "Does GB/s count bits or bytes?",
    ),
    Mistake(
        "gibibytes",
        "A GB was taken to be 2^30 bytes, which is a GiB.",
        "How many bytes is a GB on a data sheet?",
    ),
    Mistake(
        "rate-in-other-units",
        "The rate is right but for a power of ten: it is not in GB/s.",
        "In which unit does the clock count, and how many bytes is a GB?",
    ),
    Mistake(
        "time-returned",
        "This is how long a call takes, not how much it moves in that time.",
        "Which unit does the docstring name?",
    ),
    Mistake(
        "rate-upside-down",
        "Time was divided by bytes.",
        "What is left of seconds over bytes when a call moves twice as much?",
    ),
    # ---- a result that cannot be
    Mistake(
        "impossible-accepted",
        "More than the memory of the device can deliver was reported as a result.",
        "What does `peak(x)` say, in which unit, and what is left to believe of a measurement above it?",
    ),
    Mistake(
        "capped-at-peak",
        "An impossible result was replaced by the peak, which nobody measured.",
        "What should somebody learn whose benchmark cannot be right?",
    ),
    Mistake(
        "wrong-refusal",
        "An impossible result is refused, but not with a ValueError that says what was wrong.",
        "Which exception does Python have for a bad value, and what would help its reader?",
    ),
    Mistake(
        "possible-refused",
        "A result below the peak was refused.",
        "Which is larger where all is well, your result or `peak(x)`, and in which unit is each?",
    ),
    # ---- which kernel
    Mistake(
        "shipped-called",
        "The course's own softmax was called, or its choice: that one is made already.",
        "Which of the launchers would you call for this matrix, and why?",
    ),
    Mistake(
        "needs-nvidia",
        "A launcher was chosen that cannot run on this device.",
        "Which two functions say what this device can do?",
    ),
    Mistake(
        "beyond-the-registers",
        "A program holds more elements at once than leave its multiprocessor room to compute.",
        "Where does the compiler keep a block that fits into no registers, and how often does it move then?",
    ),
    Mistake(
        "too-few-programs",
        "A matrix of very few rows got a program or so for each: the rest of the device has nothing to do.",
        "How many programs does a GPU with 132 multiprocessors need before all of them work?",
    ),
    Mistake(
        "not-a-launcher",
        "What was called in place of a launcher is nothing that can be called.",
        "For the matrix named above: which line of your choice returns, and what?",
    ),
    Mistake(
        "row-not-held",
        "A short row goes to several programs, or is walked along twice, though one program can hold it.",
        "Which launchers keep a whole row of this length in the registers of one program?",
    ),
    Mistake(
        "vectors-unused",
        "16-bit rows that begin anywhere are loaded element by element.",
        "Which launcher cuts its rows at the boundaries, and what does `pick.aligned` say of this matrix?",
    ),
    Mistake(
        "pairs-unused",
        "In a long row of 16-bit numbers, each takes a register of its own, or is read twice.",
        "Which launchers keep two such numbers in a register, and which function says whether they may?",
    ),
    Mistake(
        "sharing-unused",
        "Long rows of a large matrix are read twice on a device whose programs could share a row.",
        "Which launcher reads rows of any length once, and which function says whether it may?",
    ),
    Mistake(
        "half-refused",
        "A 16-bit matrix was refused, though the exercise promises it.",
        "Which dtypes does the docstring name, and which of your lines looks at the dtype?",
    ),
    Mistake(
        "view-refused",
        "A matrix was refused because of how it lies in memory.",
        "What could your function do first, so that its kernels find the columns next to each other?",
    ),
    Mistake(
        "unfit-accepted",
        "Something that the docstring does not promise to take went through without an error.",
        "What do you know about x before you launch anything?",
    ),
    Mistake(
        "noticed-only",
        "Your function says that it cannot take x, and then goes on.",
        "What does Python have to stop a function and tell its caller why?",
    ),
    Mistake(
        "unfit-without-a-word",
        "What cannot be taken is refused, but not by a ValueError or TypeError with a sentence.",
        "What would help a caller who passed this by mistake?",
    ),
    Mistake(
        "unfit-accident",
        "What cannot be taken ends in an accident, and not in a ValueError or TypeError that says what was wrong.",
        "Which line of yours is the first to look at what x is?",
    ),
]
