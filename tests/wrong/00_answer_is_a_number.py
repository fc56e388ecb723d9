# exercise: 0.1
# mistake: answer-is-no-function
double = 2
