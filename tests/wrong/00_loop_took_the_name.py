# exercise: 0.1
# mistake: name-taken
def double(x):
    return 2 * x


for double in (1, 2, 3):
    print(double)
