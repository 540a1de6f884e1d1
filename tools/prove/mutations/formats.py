"""Files damaged within their formats: headers, tensors, members, opcodes and chunks, checksums made right again."""

import io
import pickletools
import struct
import warnings
import zipfile
import zlib

from .values import NUMBERS, TEXTS, mutate_bytes, mutate_json, mutate_table

#: Not finite, at the ends of the range, negative and denormal: as float16 and float32.
HALVES = [0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0xFBFF, 0x0001, 0x8000, 0x0000, 0x3C00]
SINGLES = [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0xFF7FFFFF, 1, 0x80000000, 0, 0x3F800000, 0x7149F2CA]


def mutate_numbers(random, data, width):
    """Some of an array's numbers, or a run of them, replaced by odd ones."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 3, 20])):
        if len(data) < width:
            break
        place = random.randrange(len(data) // width) * width
        count = random.choice([1, 1, 1, 16, len(data) // width])
        value = random.choice(HALVES if width == 2 else SINGLES)
        written = value.to_bytes(4, "little")[:width] * min(count, (len(data) - place) // width)
        data[place : place + len(written)] = written
    return bytes(data)


def mutate_npy(random, data):
    if random.random() < 0.2 or len(data) < 10:
        return mutate_bytes(random, data)
    length = struct.unpack("<H", data[8:10])[0]
    header, body = data[10 : 10 + length].decode("latin1"), data[10 + length :]
    action = random.random()
    if action < 0.5:
        body = mutate_numbers(random, body, 4 if "f4" in header else 2 if "2'" in header else 1)
    elif action < 0.6:
        body = random.choice([b"", body[:-1], body + b"\0", body * 2])
    elif action < 0.75:
        types = ["<f8", ">f4", "<f2", "|u1", "<i8", "<u2", "|O", "|b1", "<c8", "|S4", "", "<f4" * 100]
        header = header.replace("<f4", random.choice(types)).replace("|u1", random.choice(types))
    elif action < 0.95:
        start, end = header.find("("), header.find(")")
        shape = ", ".join(random.choice([*NUMBERS, "8", "6", "48"]) for _ in range(random.choice([0, 1, 2, 3, 9])))
        header = header[: start + 1] + shape + header[end:]
    else:
        header = header.replace("False", "True")
    return data[:8] + struct.pack("<H", len(header) & 0xFFFF) + header.encode("latin1", "replace") + body


def mutate_safetensors(random, data):
    """The header as the document that it is, tensors' numbers, or anything."""
    length = struct.unpack("<Q", data[:8])[0]
    header, body = data[8 : 8 + length], data[8 + length :]
    action = random.random()
    if action < 0.6:
        header = mutate_json(random, header)
    elif action < 0.8:
        body = mutate_numbers(random, body, random.choice([2, 4]))
    elif action < 0.9:
        return struct.pack("<Q", random.choice([0, 1, length - 1, length + 8, 1 << 24, 1 << 40, 1 << 63])) + data[8:]
    else:
        return mutate_bytes(random, data)
    return struct.pack("<Q", len(header)) + header + body


def mutate_pickle(random, data):
    """Opcodes left out, doubled or put in, their arguments replaced."""
    try:
        starts = [place for _, _, place in pickletools.genops(data)]
    except ValueError:
        return mutate_bytes(random, data)
    parts = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    numbers = [b"K\xff", b"M\xff\xff", b"J\xff\xff\xff\x7f", b"J\xff\xff\xff\xff", b"\x8a\x08" + b"\xff" * 7 + b"\x7f",
               b"\x8a\x09" + b"\xff" * 8 + b"\x00", b"G\x7f\xf0" + bytes(6), b"N", b"\x88", b"K\x00",
               b"L99999999999L\n"]  # fmt: skip
    names = [b"cos\nsystem\n", b"cbuiltins\neval\n", b"ctorch\nFloatStorage\n", b"ccollections\nOrderedDict\n",
             b"ctorch._utils\n_rebuild_tensor_v2\n", b"c__main__\nx\n"]  # fmt: skip
    opcodes = [bytes([c]) for c in b"(.0123]}))\x81\x85\x86\x87absetuodRNQ\x8f\x90\x91\x93\x94I\x80\x95"]
    for _ in range(random.choice([1, 1, 2, 4])):
        place, action = random.randrange(len(parts)), random.randrange(7)
        if action == 0 and len(parts) > 1:
            del parts[place]
        elif action == 1:
            parts[place:place] = [parts[place]] * random.choice([1, 2, 1000])
        elif action == 2:
            parts[place] = random.choice(numbers)
        elif action == 3:
            text = random.choice(TEXTS).encode(errors="surrogatepass")
            parts[place] = b"X" + struct.pack("<I", len(text) + random.choice([0, 0, 0, 1 << 30])) + text
        elif action == 4:
            parts[place] = random.choice(names)
        elif action == 5:
            parts.insert(place, random.choice(opcodes))
        else:
            parts[place] = mutate_bytes(random, parts[place])
    return b"".join(parts)


def mutate_zip(random, data):
    """Members damaged within their own formats, doubled, renamed or left out; or the archive's own bytes."""
    if random.random() < 0.3:
        return mutate_bytes(random, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    for _ in range(random.choice([1, 1, 2])):
        place, action = random.randrange(len(members)), random.random()
        name, content = members[place]
        if action < 0.7:
            members[place] = (name, mutate_file(random, name, content))
        elif action < 0.8:
            odd = random.choice(TEXTS).replace("\0", "\\").encode(errors="replace").decode()[:60_000]
            members[place] = (odd or "x", content)
        elif action < 0.9:
            members.append((random.choice([name, "../" + name, name + "/", "__MACOSX/" + name]), content))
        elif len(members) > 1:
            del members[place]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of names that are there already.
        for name, content in members:
            how = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=how)
    return packed.getvalue()


def mutate_png(random, data):
    """A chunk's content, or chunks' order and number; checksums right, so that the content is read."""
    if random.random() < 0.2:
        return mutate_bytes(random, data)
    chunks, place = [], 8
    while place + 8 <= len(data):
        length = struct.unpack(">I", data[place : place + 4])[0]
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + length]))
        place += 12 + length
    if not chunks:
        return mutate_bytes(random, data)
    index, action = random.randrange(len(chunks)), random.random()
    kind, content = chunks[index]
    if kind == b"IDAT" and action < 0.6:
        try:
            content = zlib.compress(mutate_bytes(random, zlib.decompress(content)))
        except zlib.error:
            content = mutate_bytes(random, content)
        chunks[index] = (kind, content)
    elif action < 0.75:
        chunks[index] = (kind, mutate_bytes(random, content))
    elif action < 0.85:
        chunks.insert(index, chunks[index])
    elif action < 0.9:
        odd = [(b"tRNS", b"\0\1"), (b"acTL", bytes(8)), (b"gAMA", bytes(4)), (b"eXIf", b"MM\0*")]
        chunks.insert(random.randrange(len(chunks)), random.choice(odd))
    else:
        del chunks[index]
    packed = (struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in chunks)
    return data[:8] + b"".join(packed)


def fields(data):
    """The fields of a protocol-buffer message: key and payload, each as its bytes; None where it is not one."""
    found, place = [], 0
    while place < len(data):
        key, start = varint(data, place)
        kind = (key or 0) & 7
        if key is None or kind not in (0, 1, 2, 5):
            return None
        if kind == 0:
            end = varint(data, start)[1]
        elif kind == 2:
            length, start = varint(data, start)
            end = None if length is None else start + length
        else:
            end = start + (8 if kind == 1 else 4)
        if end is None or end > len(data):
            return None
        found.append((key, data[start:end]))
        place = end
    return found


def varint(data, place):
    """A number and where it ends; None and None where it is cut off."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value, place
    return None, None


def encoded(value):
    """A number as it is written."""
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(result) + bytes([value])


def mutate_message(random, data, depth=0):
    """One field of a message, or of one within it, changed, doubled or left out; lengths made right again."""
    parts = fields(data)
    if not parts:
        return mutate_bytes(random, data)
    index = random.randrange(len(parts))
    key, payload = parts[index]
    action = random.random()
    if key & 7 == 2 and action < 0.8 and depth < 8:
        parts[index] = (key, mutate_message(random, payload, depth + 1) if fields(payload) else mutate_bytes(random, payload or b"\0"))
    elif key & 7 == 0 and action < 0.8:
        number = random.choice([0, 1, 2, 7, 63, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
        parts[index] = (key, encoded(number))
    elif action < 0.9:
        parts.insert(random.randrange(len(parts) + 1), parts[index])
    else:
        del parts[index]
    return b"".join(
        encoded(key) + (encoded(len(payload)) if key & 7 == 2 else b"") + payload for key, payload in parts
    )


def mutate_onnx(random, data):
    """A model's messages, mostly; else its bytes."""
    if random.random() < 0.2:
        return mutate_bytes(random, data)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        data = mutate_message(random, data)
    return data


FORMATS = {
    "json": mutate_json, "jsonl": mutate_json, "npy": mutate_npy, "npz": mutate_zip, "zip": mutate_zip,
    "pt": mutate_zip,
    "pkl": mutate_pickle, "safetensors": mutate_safetensors, "png": mutate_png, "jpg": mutate_bytes,
    "bin": mutate_bytes, "csv": mutate_table, "txt": mutate_table, "traj": mutate_table, "pincam": mutate_table,
    "match": mutate_table, "log": mutate_table, "onnx": mutate_onnx,
}  # fmt: skip


def mutate_file(random, name, data):
    """A file's content damaged as its name's ending says, now and then as mere bytes."""
    if not data:
        return random.randbytes(16)
    ending = name.rsplit(".", 1)[-1].lower()
    if random.random() < 0.1:
        return mutate_bytes(random, data)
    return FORMATS.get(ending, mutate_bytes)(random, data)
