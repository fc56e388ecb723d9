# exercise: 0.1
# mistake: module-not-read
from my_answers import double
