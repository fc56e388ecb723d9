"""The mistakes of a row-wise softmax, from one row to tiles and programs that walk. Start reading: columns.py."""
