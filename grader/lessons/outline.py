"""The outline of the course: its lessons in order, and their points."""

from ..sentence import said

# number -> (slug, points). The points of all lessons add up to 100; those of bonus exercises come on top.
OUTLINE: dict[str, tuple[str, int]] = {
    "00": ("check_your_bench", 1),
    "01": ("five_passes", 4),
    "02": ("bytes_not_flops", 5),
    "03": ("pointers_and_masks", 7),
    "04": ("one_row", 5),
    "05": ("every_row", 6),
    "06": ("green_tests_lie", 5),
    "07": ("dtypes_and_extremes", 7),
    "08": ("online_softmax", 7),
    "09": ("split_a_row", 7),
    "10": ("rows_and_residency", 9),
    "11": ("backward", 7),
    "12": ("down_to_cuda", 8),
    "13": ("flash_attention", 5),
    "14": ("measure_and_ship", 2),
    "15": ("tune", 5),
    "16": ("cross_entropy", 6),
    "17": ("read_a_profile", 4),
}
# What a list of lessons calls each of them.
TITLES = {
    "00": said("00  check_your_bench"),
    "01": said("01  five_passes"),
    "02": said("02  bytes_not_flops"),
    "03": said("03  pointers_and_masks"),
    "04": said("04  one_row"),
    "05": said("05  every_row"),
    "06": said("06  green_tests_lie"),
    "07": said("07  dtypes_and_extremes"),
    "08": said("08  online_softmax"),
    "09": said("09  split_a_row"),
    "10": said("10  rows_and_residency"),
    "11": said("11  backward"),
    "12": said("12  down_to_cuda"),
    "13": said("13  flash_attention"),
    "14": said("14  measure_and_ship"),
    "15": said("15  tune"),
    "16": said("16  cross_entropy"),
    "17": said("17  read_a_profile"),
}
