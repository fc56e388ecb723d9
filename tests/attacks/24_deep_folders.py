# exercise: 1.1
# Folders deeper than Python's recursion and than the longest path, and one that nobody may look into.
import os


def naive_softmax(x):
    os.mkdir("closed", 0o300)
    open("closed/file", "w").close()
    for _ in range(1500):
        os.mkdir("deep")
        os.chdir("deep")
    return x
