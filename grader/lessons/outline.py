"""The outline of the course: its lessons in order, and their points."""

# number -> (slug, points). The points of all lessons add up to 100; those of bonus exercises come on top.
OUTLINE: dict[str, tuple[str, int]] = {
    "00": ("check_your_bench", 1),
    "01": ("five_passes", 6),
    "02": ("bytes_not_flops", 6),
    "03": ("pointers_and_masks", 8),
    "04": ("one_row", 7),
    "05": ("every_row", 8),
    "06": ("green_tests_lie", 6),
    "07": ("dtypes_and_extremes", 8),
    "08": ("online_softmax", 9),
    "09": ("split_a_row", 7),
    "10": ("rows_and_residency", 11),
    "11": ("backward", 7),
    "12": ("down_to_cuda", 8),
    "13": ("flash_attention", 5),
    "14": ("measure_and_ship", 3),
}
