"""Odd numbers and texts, and JSON documents and tables with some of theirs replaced."""

import json
import struct
import zlib

#: As they stand in a document: beyond every type's range, at its ends, or no number at all.
NUMBERS = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-3",
    "255",
    "256",
    "1e4",
    "65535",
    "65536",
    "1e9",
    "-1e9",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "1e16",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e19",
    "-1e19",
    "1e38",
    "3.5e38",
    "-1e39",
    "1e154",
    "1e300",
    "1.7e308",
    "-1.7e308",
    "1.7976931348623157e308",
    "5e-324",
    "1e-310",
    "1e-45",
    "1e-30",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "1e",
    "0x10",
    "01",
    "+1",
    "1_0",
    "--1",
    ".",
    "1e1000000",
]

TEXTS = [
    "", " ", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\nb", "a\r\nb", "\u202egnp.exe", "\u2028", "\u0000",
    "\u009b2J",
    "../native/image.png", "/etc/passwd", "..", ".", "-", "--force", "-o", "$(id)", "`id`", "';id;'", '"', "\\",
    "</script><script>alert(1)</script>", "<!--<script>", "=1+1", "@SUM(A1)", "%s%n%x", "http:x", "file:x", "C:\\x",
    "NUL",
    "x" * 300, "x" * 70_000, "\u00e9", "e\u0301", "\U0001f600", "\ud800", "nan", "inf", "-1", "1e19", "0", "true",
    "null",
    "٣", "１", "a/b", "image.png", "depth.npy", "frame.json", "smoke", "debugCube", "class 0", "[]", "{}", "[" * 5000,
]  # fmt: skip


def number(random, old=None):
    """An odd number's text; of an old one also something near it, or much greater or smaller."""
    if old is not None and random.random() < 0.4:
        change = random.choice(
            [lambda x: -x, lambda x: x * 10.0 ** random.randint(-320, 308), lambda x: x + 1, lambda x: x - 1,
             lambda x: x * (1 + random.uniform(-1, 1)), lambda x: int(x)]
        )  # fmt: skip
        try:
            return json.dumps(change(old))
        except (OverflowError, ValueError):
            pass
    return random.choice(NUMBERS)


class Raw(str):
    """A text that goes into a document as it is."""


def dumps(value):
    """JSON, with raw parts, lists of pairs for objects that have a name twice, and lone surrogates escaped."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{json.dumps(name)}: {dumps(inner)}" for name, inner in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value)


class Pairs(list):
    """An object's members in their order."""


def loads(text):
    return json.loads(text, object_pairs_hook=Pairs)


def places(value):
    """Every place of a document: what holds it and where in it."""
    found, waiting = [], [value]
    while waiting:
        holder = waiting.pop()
        for index, inner in enumerate(holder):
            found.append((holder, index))
            content = inner[1] if isinstance(holder, Pairs) else inner
            if isinstance(content, list):
                waiting.append(content)
    return found


def odd(random, old):
    """Something in place of a document's value."""
    if isinstance(old, (int, float)) and not isinstance(old, bool) and random.random() < 0.8:
        return Raw(number(random, old))
    if isinstance(old, str) and random.random() < 0.7:
        return random.choice(TEXTS)
    if isinstance(old, list) and old and random.random() < 0.6:
        count = random.choice([0, 1, len(old) - 1, len(old) + 1, 2 * len(old), 1000])
        return type(old)((old * (count // len(old) + 1))[:count])
    return random.choice(
        [None, True, False, "", [], Pairs(), [[]], Pairs([("a", 1)]), Raw(number(random)), random.choice(TEXTS), [old],
         Raw("[" * 70 + "]" * 70)]
    )  # fmt: skip


def mutate_json(random, text):
    """A document with one to three of its values, names or members changed; a line each of JSON lines."""
    if text.count(b"\n{"):
        lines = text.split(b"\n")
        index = random.randrange(len(lines))
        lines[index] = mutate_json(random, lines[index]) if lines[index].strip() else b"{}"
        return b"\n".join(lines)
    try:
        document = [loads(text.decode())]
    except ValueError:
        return text
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        holder, index = random.choice(places(document))
        action = random.random()
        if isinstance(holder, Pairs):
            name, old = holder[index]
            if action < 0.7:
                holder[index] = (name, odd(random, old))
            elif action < 0.8:
                del holder[index]
            elif action < 0.9:
                holder.insert(index, (name, odd(random, old)))
            else:
                holder[index] = (random.choice([*TEXTS[:-1], name.upper(), name + " "]), old)
        elif action < 0.85 or holder is document:
            holder[index] = odd(random, holder[index])
        elif action < 0.92:
            del holder[index]
        else:
            holder.insert(index, holder[random.randrange(len(holder))])
        if not document:
            break
    return "".join(map(dumps, document)).encode()


def mutate_table(random, text, separators=b" ,\t"):
    """Lines of fields: odd numbers and texts in some, fields and lines more or fewer."""
    lines = text.split(b"\n")
    for _ in range(random.choice([1, 1, 2, 3])):
        index = random.randrange(len(lines))
        line = lines[index]
        separator = next((bytes([s]) for s in separators if bytes([s]) in line), b" ")
        fields = line.split(separator)
        place = random.randrange(len(fields))
        action = random.random()
        if action < 0.6:
            fields[place] = number(random).encode()
        elif action < 0.7:
            fields[place] = random.choice(TEXTS).encode(errors="surrogatepass")
        elif action < 0.8:
            fields = fields[:place] + fields[place + 1 :]
        elif action < 0.85:
            fields = fields * random.choice([2, 50])
        lines[index] = separator.join(fields)
        if action >= 0.85:
            lines[index:index] = random.choice([[], [line], [line] * 100, [b""], [b"#"], [b"\xff\xfe"]])
        if action >= 0.95:
            del lines[index]
        if not lines:
            break
    return b"\n".join(lines)


def mutate_bytes(random, data):
    """Bits turned, bytes and odd whole numbers written over, blocks taken out, doubled, moved or put in."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        place = random.randrange(len(data) + 1)
        length = random.choice([1, 2, 4, 8, 64, 1024])
        action = random.randrange(7)
        if action == 0 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        elif action == 1 and place < len(data):
            data[place] = random.choice([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
        elif action == 2:
            width = random.choice([2, 4, 8])
            value = random.choice([0, 1, -1, 1 << 31, (1 << 31) - 1, 1 << 15, 1 << 62, random.getrandbits(64)])
            written = (value & ((1 << 8 * width) - 1)).to_bytes(width, random.choice(["little", "big"]))
            data[place : place + width] = written
        elif action == 3:
            del data[place : place + length]
        elif action == 4:
            data[place:place] = data[place : place + length]
        elif action == 5:
            data[place:place] = random.choice([bytes(length), b"\xff" * length, random.randbytes(length)])
        elif random.random() < 0.5:
            del data[place:]
    return bytes(data)


def gray_ramp(width, height):
    """A PNG whose bytes run through all values: every size of it is another picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 7 + y * 3) % 256 for x in range(width * 3)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
