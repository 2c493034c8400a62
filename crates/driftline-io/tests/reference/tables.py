"""One small table in many formats, each written by the software people use: fills the folder tables/ beside this file.

The test repeats the recurrence below, so that every file can be compared with it.
Run with numpy, pandas, polars, pyarrow, scipy and liac-arff installed: python tables.py
"""

import decimal
import pathlib

import arff
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
import scipy.io

ROWS = 30
folder = pathlib.Path(__file__).parent / "tables"
folder.mkdir(exist_ok=True)

number = [i * 0.5 - 3 for i in range(ROWS)]
count = [i * i % 7 - 2 for i in range(ROWS)]
city = [["Oslo", "Rome", "Łódź"][i % 3] for i in range(ROWS)]
label = ["yes" if i * i % 5 > 1 else "no" for i in range(ROWS)]
when = pandas.date_range("2015-01-01", periods=ROWS, freq="6h")
# Missing values, where the format has them.
gappy = [None if i == 5 else value for i, value in enumerate(number)]
gappy_city = [None if i == 7 else value for i, value in enumerate(city)]

frame = pandas.DataFrame({"number": gappy, "count": count, "city": gappy_city, "when": when, "label": label})

frame.to_parquet(folder / "pandas.parquet")
frame.assign(city=frame["city"].astype("category")).to_parquet(folder / "gzip.parquet", compression="gzip", row_group_size=7)
frame.to_parquet(folder / "lz4.parquet", compression="lz4")
polars.from_pandas(frame).write_parquet(folder / "polars-zstd.parquet")
table = pyarrow.table(
    {
        "number": pyarrow.array([None if v is None else decimal.Decimal(str(v)) for v in gappy], pyarrow.decimal128(12, 2)),
        "count": pyarrow.array(count, pyarrow.int64()),
        "city": pyarrow.array(gappy_city),
        "when": pyarrow.array(when, pyarrow.timestamp("ms")),
        "label": pyarrow.array(label),
    }
)
pyarrow.parquet.write_table(
    table,
    folder / "pages-v2.parquet",
    data_page_version="2.0",
    use_dictionary=False,
    column_encoding={"count": "DELTA_BINARY_PACKED", "city": "DELTA_BYTE_ARRAY", "label": "DELTA_LENGTH_BYTE_ARRAY"},
)
split = table.set_column(0, "number", pyarrow.array(gappy, pyarrow.float32()))
pyarrow.parquet.write_table(
    split, folder / "byte-split.parquet", use_dictionary=False, compression="none", column_encoding={"number": "BYTE_STREAM_SPLIT"}
)

numpy.savez(folder / "numpy.npz", number=number, count=count, city=city, when=when.to_numpy(), label=label)
numpy.savez_compressed(folder / "packed.npz", number=numpy.float32(number), count=numpy.int16(count), city=city, when=when.to_numpy(), label=label)
numpy.save(folder / "columns-first.npy", numpy.asfortranarray(numpy.column_stack([number, count])))

cells = numpy.empty((ROWS, 1), dtype=object)
cells[:, 0] = city
scipy.io.savemat(folder / "plain.mat", {"number": numpy.reshape(number, (-1, 1)), "count": numpy.int8([count]), "city": cells, "label": label})
scipy.io.savemat(
    folder / "packed.mat",
    {"number": [number], "count": numpy.reshape(count, (-1, 1)), "city": cells, "label": label, "note": {"about": "a structure"}},
    do_compression=True,
)
# Pictures as SVHN stores them: height, width, channels, examples.
pictures = numpy.arange(ROWS * 2 * 3 * 3, dtype=numpy.uint8).reshape(ROWS, 2, 3, 3)
scipy.io.savemat(folder / "pictures.mat", {"X": pictures.transpose(1, 2, 3, 0), "y": numpy.reshape(count, (-1, 1))}, do_compression=True)

with open(folder / "liac.arff", "w", encoding="utf-8") as file:
    attributes = [("number", "REAL"), ("count", "INTEGER"), ("city", sorted(set(city))), ("when", "STRING"), ("label", ["no", "yes"])]
    rows = list(zip(gappy, count, gappy_city, [str(t) for t in when], label))
    arff.dump({"relation": "a table", "description": "", "attributes": attributes, "data": rows}, file)

frame.to_csv(folder / "pandas.csv", index=False)
frame.to_csv(folder / "with-index.csv.gz")
frame.to_csv(folder / "semicolons.csv", index=False, sep=";", encoding="utf-8-sig")
