# exercise: 14.3
# mistake: shipped-called
from grader.fast import softmax
