# exercise: 14.2
# mistake: shipped-called
from grader.fast import softmax
