"""Reference values for the rotation test: writes rotation.json beside this file.

Pictures are made by an integer recurrence that the test repeats, so that the file holds only scipy's answers.
Run with scipy and numpy installed: python rotation.py
"""

import json
import pathlib

import numpy
import scipy
from scipy import ndimage


def picture(height, width, seed):
    """Bytes from a linear congruential generator, brightest in a soft disc, as a digit is."""
    state, rows = seed, []
    for i in range(height):
        row = []
        for j in range(width):
            state = (state * 1103515245 + 12345) % 2**31
            inside = 4 * ((2 * i - height + 1) ** 2 + (2 * j - width + 1) ** 2) < (height + width) ** 2
            row.append((state >> 16) % 256 if inside else (state >> 16) % 16)
        rows.append(row)
    return numpy.array(rows, dtype=numpy.uint8)


cases = []
for height, width, seed, angle in [
    (5, 5, 1, 30.0),
    (28, 28, 2, 3.7),
    (28, 28, 3, 32.5),
    (28, 28, 4, 59.99),
    (28, 28, 5, 57.0),
    (32, 32, 6, -17.25),
    (9, 14, 7, 45.0),
    (14, 9, 8, 90.0),
    (7, 7, 9, 180.0),
    (8, 8, 10, 270.0),
    (6, 6, 11, 0.0),
    (2, 3, 12, 12.0),
    (1, 6, 13, 5.0),
    (11, 11, 14, 1234.5),
]:
    pixels = picture(height, width, seed).astype(numpy.float64) / 255.0
    turned = ndimage.rotate(pixels, angle, reshape=False)
    cases.append(
        {
            "height": height,
            "width": width,
            "seed": seed,
            "angle": angle,
            "turned": [round(float(value), 9) for value in turned.ravel()],
        }
    )

out = pathlib.Path(__file__).with_suffix(".json")
lines = ",\n".join(json.dumps(case) for case in cases)
out.write_text(
    f'{{"scipy": "{scipy.__version__}", "numpy": "{numpy.__version__}", "cases": [\n{lines}\n]}}\n'
)
