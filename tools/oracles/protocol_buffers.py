"""Messages of protocol buffers, as ONNX files hold them, without a library that writes them."""


def varint(value):
    """A number as protocol buffers have it."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field, value):
    """A field that holds a number."""
    return varint(field << 3) + varint(value)


def message(field, content):
    """A field that holds a message, a text or bytes."""
    content = content if isinstance(content, bytes) else content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content
