"""Mistakes of a row-wise softmax: one row, tiles of rows, walks in tiles, half precision. Start reading: columns.py."""
