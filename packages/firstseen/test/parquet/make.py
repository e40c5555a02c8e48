"""Writes the Parquet files of this folder, and beside each the lines that firstseen writes for its rows.

The lines are made here from what pyarrow reads back from the file, by the rules of docs/command/formats.md, so that they are a second
implementation of these rules. Tests need only the files. To make them again, in this folder:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyarrow==26.0.1 && /tmp/venv/bin/python make.py
"""

import base64
import decimal
import json
import math
import os
import re
import struct

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
DIGITS = {"s": 3, "ms": 3, "us": 6, "ns": 9}
decimal.getcontext().prec = 100


def shortest(value, is_single):
    """The fewest digits that are read back as the same number, in the notation of JavaScript."""
    if is_single:
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if struct.pack("f", float(text)) == struct.pack("f", value):
                break
        value = float(text)
    sign = "-" if math.copysign(1, value) < 0 else ""
    _, digits, exponent = decimal.Decimal(repr(abs(value))).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    point = len(text) + exponent
    if stripped == "":
        return "0"
    if 0 < point <= 21:
        whole = stripped[:point].ljust(point, "0")
        fraction = stripped[point:]
        if fraction == "" and abs(value) <= 2**53:
            return f"{sign}{whole}"
        return f"{sign}{whole}.{fraction or '0'}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{stripped}"
    tail = f".{stripped[1:]}" if len(stripped) > 1 else ""
    return f"{sign}{stripped[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def number(value, is_single=False):
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return shortest(value, is_single)


def clock(units, digits):
    seconds, fraction = divmod(units, 10**digits)
    while digits > 3 and fraction % 1000 == 0:
        digits, fraction = digits - 3, fraction // 1000
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:0{digits}}"


def date(day):
    import datetime

    return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=day))


def string(stored):
    """Bytes that are not UTF-8 are lone surrogates (PEP 383), and those are escapes."""
    decoded = json.dumps(stored.decode("utf8", "surrogateescape"), ensure_ascii=False)
    return re.sub("[\udc80-\udcff]", lambda byte: f"\\u{ord(byte[0]):04x}", decoded)


def text(scalar):
    """A scalar of pyarrow as JSON."""
    kind = scalar.type
    if not scalar.is_valid:
        return "null"
    if pa.types.is_struct(kind):
        return "{" + ",".join(f"{json.dumps(field.name)}:{text(scalar[field.name])}" for field in kind) + "}"
    if pa.types.is_map(kind):
        entries = [(entry["key"], entry["value"]) for entry in scalar.values]
        return "{" + ",".join(f"{json.dumps(key.as_py())}:{text(value)}" for key, value in entries) + "}"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "[" + ",".join(text(element) for element in scalar.values) + "]"
    if pa.types.is_dictionary(kind):
        return text(scalar.value)
    if pa.types.is_boolean(kind):
        return "true" if scalar.as_py() else "false"
    if pa.types.is_integer(kind):
        return str(scalar.as_py())
    if pa.types.is_floating(kind):
        return number(float(scalar.as_py()), is_single=pa.types.is_float32(kind))
    if pa.types.is_decimal(kind):
        return f"{scalar.as_py():f}"
    if pa.types.is_date(kind):
        return f'"{date(scalar.value)}"'
    if pa.types.is_time(kind):
        return f'"{clock(scalar.value, DIGITS[kind.unit])}"'
    if pa.types.is_timestamp(kind):
        digits = DIGITS[kind.unit]
        day, units = divmod(scalar.value, 86400 * 10**digits)
        return f'"{date(day)}T{clock(units, digits)}{"Z" if kind.tz else ""}"'
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return string(scalar.as_buffer().to_pybytes())
    return f'"{base64.b64encode(scalar.as_py()).decode()}"'


def write(name, table, **options):
    path = os.path.join(FOLDER, f"{name}.parquet")
    pq.write_table(table, path, **options)
    table = pq.read_table(path)
    save(f"{name}.ndjson", lines_of(table))


def lines_of(table):
    rows = ([(column, text(table[column][row])) for column in table.column_names] for row in range(table.num_rows))
    return "".join("{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in row) + "}\n" for row in rows)


def save(name, lines):
    with open(os.path.join(FOLDER, name), "w", encoding="utf8") as file:
        file.write(lines)


def values(kind, *items):
    return pa.array([*items, None], kind)


def types():
    times = [0, 1, -1, 1_700_000_000_123_456_789, 253_402_300_799_999_999_999 // 1000, -62_135_596_800_000_000]
    stamps = {}
    for unit, limit in (("ms", 10**12), ("us", 10**15), ("ns", 10**18)):
        moments = [0, 1, -1, limit * 17 // 10 + 123, -limit, limit]
        stamps[f"local_{unit}"] = values(pa.timestamp(unit), *moments)
        stamps[f"utc_{unit}"] = values(pa.timestamp(unit, "UTC"), *moments)
    long = decimal.Decimal("12345678901234567890123456.7890123456")
    columns = {
        "bool": values(pa.bool_(), True, False, True, False, True, True),
        "i8": values(pa.int8(), 1, -1, 127, -128, 0, 5),
        "i16": values(pa.int16(), 1, -1, 32767, -32768, 0, 5),
        "i32": values(pa.int32(), 1, -1, 2**31 - 1, -(2**31), 0, 5),
        "i64": values(pa.int64(), 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, 5),
        "u8": values(pa.uint8(), 1, 255, 128, 0, 7, 5),
        "u16": values(pa.uint16(), 1, 65535, 32768, 0, 7, 5),
        "u32": values(pa.uint32(), 1, 2**32 - 1, 2**31, 0, 7, 5),
        "u64": values(pa.uint64(), 1, 2**64 - 1, 2**63, 0, 2**53 + 1, 5),
        "f16": values(pa.float16(), 1.0, -0.5, 65504.0, 6e-8, float("nan"), float("-inf")),
        "f32": values(pa.float32(), 1.0, 0.1, 3.4028235e38, 1e-45, -0.0, 16777216.0),
        "f64": values(pa.float64(), 1.0, 0.1, 1e21, 5e-324, -0.0, 123456789012345680000.0),
        "odd": values(pa.float64(), float("nan"), float("inf"), float("-inf"), 1e-7, 1.5e300, 100.0),
        "text": values(pa.string(), "a", "", "ä\n\"\\\u2028", "\U0001f600", "\x00", "1"),
        "word": pa.array(["x", "y", "x", "x", "y", "x", None]).dictionary_encode(),
        "bytes": values(pa.binary(), b"", b"\x00", b"\xff\xfe", b"abc", b"abcd", b"\x80"),
        "four": values(pa.binary(4), b"abcd", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"wxyz", b"1234", b"4321"),
        "d9": values(pa.decimal128(9, 2), *map(decimal.Decimal, ("1.50", "-1.50", "0.01", "-0.01", "0.00", "9999999.99"))),
        "d18": values(pa.decimal128(18, 3), *map(decimal.Decimal, ("1.500", "-1.500", "0.001", "-0.001", "0", "12.345"))),
        "d36": values(pa.decimal128(36, 10), long, -long, *map(decimal.Decimal, ("0", "1", "-1", "0.0000000001"))),
        "d50": values(pa.decimal256(50, 0), 10**49, -(10**49), 0, 1, -1, 255),
        "day": values(pa.date32(), 0, 1, -1, 19_723, -719_162, 2_932_896),
        "time_ms": values(pa.time32("ms"), 0, 1, 86_399_999, 3_600_000, 60_000, 1000),
        "time_us": values(pa.time64("us"), 0, 1, 86_399_999_999, 3_600_000_000, 60_000_000, 1000),
        "time_ns": values(pa.time64("ns"), 0, 1, 86_399_999_999_999, 3_600_000_000_000, 60, 1000),
        **stamps,
    }
    return pa.table(columns)


def nested():
    user = pa.struct([("id", pa.int32()), ("name", pa.struct([("first", pa.string())]))])
    item = pa.struct([("sku", pa.int64()), ("note", pa.string())])
    return pa.table(
        {
            "user": pa.array(
                [
                    {"id": 1, "name": {"first": "q"}},
                    None,
                    {"id": None, "name": None},
                    {"id": 4, "name": {"first": None}},
                    {"id": 1, "name": {"first": "r"}},
                ],
                user,
            ),
            "list": pa.array([[1, 2], [], None, [None], [3]], pa.list_(pa.int64())),
            "items": pa.array(
                [[{"sku": 1, "note": "x"}, None], None, [], [{"sku": None, "note": "y"}], [{"sku": 1, "note": "x"}]],
                pa.list_(item),
            ),
            "map": pa.array([[("a", 1), ("b", None)], [], None, [("x", 5)], [("a", 1)]], pa.map_(pa.string(), pa.int32())),
            "maps": pa.array(
                [[[("a", 1)]], None, [], [[("a", 1)], None, []], [[("z", None)]]],
                pa.list_(pa.map_(pa.string(), pa.int32())),
            ),
            "matrix": pa.array([[[1], None, []], None, [], [[None]], [[1, 2], [3]]], pa.list_(pa.list_(pa.int32()))),
        }
    )


def events(rows):
    return pa.table(
        {
            "id": pa.array([row * 7919 % 97 for row in range(rows)], pa.int64()),
            "ts": pa.array([1_700_000_000_000 + row * 60_000 for row in range(rows)], pa.timestamp("ms")),
            "name": pa.array([None if row % 10 == 3 else f"name {row % 13}" for row in range(rows)]),
        }
    )


def bytes_as_text():
    """Texts that are not UTF-8, of which most decoders make the same text."""
    stored = [b"caf\xe9", b"caf\xe8", "caf\ufffd".encode(), b"\xed\xb3\xa9", b"\xf0\x9f\x98", b"\xf0\x9f\x98\x80\xff", b"ok", b"caf\xe9"]
    array = pa.array(stored)
    return pa.table({"name": pa.Array.from_buffers(pa.string(), len(array), array.buffers())})


def integers(*items):
    return pa.array(items, pa.int64())


def struct_of(names, *columns):
    return pa.StructArray.from_arrays(columns, fields=[pa.field(name, column.type) for name, column in zip(names, columns)])


def write_names(name, names, *columns):
    """A file whose columns cannot be told apart by their names has no lines."""
    table = pa.Table.from_arrays([*columns], names=names)
    pq.write_table(table, os.path.join(FOLDER, f"{name}.parquet"))


def names():
    (one, other) = (integers(1, 2, 3), integers(7, 7, 7))
    same = struct_of(["a", "a"], one, other)
    write_names("names-columns", ["id", "x", "id"], one, other, other)
    write_names("names-members", ["s"], same)
    write_names("names-list", ["list"], pa.ListArray.from_arrays([0, 1, 2, 3], same))
    write_names("names-deep", ["s"], struct_of(["t"], struct_of(["u", "v"], one, same)))
    write_names("names-dot", ["a"], struct_of(["b", "b.c"], struct_of(["c"], other), one))
    write_names("names-prototype", ["a"], struct_of(["__proto__", "x"], one, other))
    # Names that are only similar are read.
    write("names-apart", pa.Table.from_arrays([struct_of(["b"], one), other, one, one], names=["a", "a.b", "A", "__proto__"]))


os.makedirs(FOLDER, exist_ok=True)
write("types", types(), compression="none")
write("nested", nested())
write("groups", events(600), row_group_size=50, data_page_size=64, use_dictionary=False)
write("pages", events(600), data_page_version="2.0", data_page_size=64, write_batch_size=16, write_page_index=True)
write("empty", events(0))
write("bytes-as-text", bytes_as_text())
names()
write("int96", events(5), use_deprecated_int96_timestamps=True)
for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
    write(f"codec-{codec}", events(60), compression=codec)
