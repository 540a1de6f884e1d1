"""A pickled network with one module changed: its class, one of its numbers, a name, the order of its parts.

The pickle is read into stand-ins of its classes, changed, and written again. Only a change that computes the same, or
that the weight file tells, may be accepted.
"""

import copyreg
import io
import pickle
import sys
import zipfile

#: Numbers that decide what a module computes; what else a module keeps may be anything.
NUMBERS = {
    "Conv2d": ["kernel_size", "stride", "padding", "dilation", "groups", "in_channels", "out_channels",
               "padding_mode", "output_padding", "transposed"],
    "ConvTranspose2d": ["kernel_size", "stride", "padding", "dilation", "groups", "output_padding", "transposed"],
    "BatchNorm2d": ["eps", "num_features", "affine", "track_running_stats"],
    "MaxPool2d": ["kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices"],
    "Upsample": ["scale_factor", "mode", "size", "f", "i"],
    "Concat": ["d", "f", "i"],
    "Bottleneck": ["add"], "PSABlock": ["add"], "C3k2": ["c", "f", "i"], "C2PSA": ["c", "f", "i"],
    "Attention": ["num_heads", "key_dim", "head_dim", "scale"], "SPPF": ["f", "i"],
    "Segment": ["nc", "nl", "reg_max", "no", "nm", "f", "i"], "DFL": ["c1"],
}  # fmt: skip
#: What a number is exchanged for.
VALUES = [0, 1, 2, 3, 7, -1, 0.5, 1e-5, True, False, None, "nearest", "bilinear", "zeros", "reflect", "same", (2, 2), [1]]
ACTIVATIONS = ["SiLU", "ReLU", "GELU", "Sigmoid", "Hardswish", "Mish", "ReLU6", "Tanh", "ELU", "Softplus"]
CLASS_NAMES = ["thing", 7, True, 1.5, None, "ä", "a'b", 'a"b', b"bytes", (1, 2), ["x"], {}]


class Stand:
    """An object of a class that is not here."""

    made, state = None, None

    def __setstate__(self, state):
        if isinstance(state, dict):
            self.__dict__.update(state)
        else:
            self.state = state

    def __reduce_ex__(self, protocol):
        if self.made:
            return (*self.made, self.state) if self.state is not None else self.made
        return copyreg.__newobj__, (type(self),), self.state if self.state is not None else self.__dict__


class Stored:
    """A storage that the pickle names."""

    def __init__(self, identifier):
        self.identifier = identifier


class Reader(pickle._Unpickler):
    """Makes stand-ins of all classes, functions and what they give, but for dictionaries and sets."""

    known = {}

    def find_class(self, module, name):
        if (module, name) in {("collections", "OrderedDict"), ("builtins", "set"), ("__builtin__", "set")}:
            return super().find_class(module, name)
        if (module, name) not in self.known:
            self.known[module, name] = type(name, (Stand,), {"__module__": module})
        return self.known[module, name]

    def persistent_load(self, identifier):
        return Stored(identifier)

    def load_reduce(self):
        arguments = self.stack.pop()
        function = self.stack.pop()
        if issubclass(function, Stand):
            result = Stand()
            result.made = (function, arguments)
        else:
            result = function(*arguments)
        self.stack.append(result)

    dispatch = dict(pickle._Unpickler.dispatch)
    dispatch[pickle.REDUCE[0]] = load_reduce


class Writer(pickle._Pickler):
    """Writes stand-ins under the names that they stand for."""

    def persistent_id(self, value):
        return value.identifier if isinstance(value, Stored) else None

    def save_global(self, value, name=None):
        self.write(b"c" + f"{value.__module__}\n{value.__name__}\n".encode())
        self.memoize(value)

    dispatch = dict(pickle._Pickler.dispatch)
    dispatch[type] = save_global


def load(path):
    """`(members, name of the pickle)` of a checkpoint."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return members, next(name for name in members if name.endswith("/data.pkl"))


def walk(module, path=""):
    """All modules with their names."""
    yield path, module
    for name, part in module.__dict__.get("_modules", {}).items():
        if isinstance(part, Stand):
            yield from walk(part, f"{path}.{name}".lstrip("."))


def mutate_modules(random, members, name):
    """The checkpoint's bytes with one change, what it is, and what may come of it: `same`, `refused` or any."""
    reader = Reader(io.BytesIO(members[name]), encoding="utf-8")
    root = reader.load()
    network = root.get("ema") or root["model"]
    # Shared records would change all modules that they are.
    modules = [(path, part) for path, part in walk(network) if path]
    action = random.random()
    if action < 0.55:
        kinds = [(path, part) for path, part in modules if type(part).__name__ in NUMBERS]
        path, part = random.choice(kinds)
        key = random.choice([key for key in NUMBERS[type(part).__name__] if key in part.__dict__])
        old, value = part.__dict__[key], random.choice(VALUES)
        part.__dict__[key] = value
        change, expected = f"{path}.{key} = {value!r}", "refused" if differs(old, value) else "same"
        if key == "eps":
            expected = "refused"
    elif action < 0.7:
        path, part = random.choice(modules)
        made = type(random.choice(["Other", "Conv2d", "Identity", "C2f", "Sequential", "AvgPool2d"]), (Stand,), {})
        made.__module__ = random.choice(["torch.nn", "ultralytics.nn.modules.block", "other"])
        same = made.__name__ == type(part).__name__ or type(part).__name__ in ("ModuleList", "Sequential")
        isolate(network, path).__class__ = made
        change, expected = f"{path} is {made.__module__}.{made.__name__}", "any" if same else "refused"
        if "act" in path.split(".")[-1:] or type(part).__name__ in ("SiLU", "Identity"):
            expected = "any"
    elif action < 0.85:
        path, _ = random.choice([(path, part) for path, part in modules if path.endswith(".act")])
        made = type(random.choice(ACTIVATIONS), (Stand,), {})
        made.__module__ = "torch.nn.modules.activation"
        isolate(network, path).__class__ = made
        change, expected = f"{path} is {made.__name__}", "told" if made.__name__ != "SiLU" else "same"
    else:
        index, value = random.randrange(80), random.choice(CLASS_NAMES)
        network.__dict__["names"][index] = value
        plain = isinstance(value, str | int | float | None)
        change, expected = f"names[{index}] = {value!r}", "any" if plain else "refused"
    content = io.BytesIO()
    Writer(content, protocol=2).dump(root)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for member, data in members.items():
            archive.writestr(member, content.getvalue() if member == name else data)
    return out.getvalue(), change, expected


def differs(old, value):
    """Whether a number stands for something else than it did; one number stands for all axes."""
    if isinstance(old, bool) or isinstance(value, bool) or old is None or value is None:
        return old is not value
    if isinstance(old, str) or isinstance(value, str):
        return old != value
    old, value = ([part] if isinstance(part, int | float) else list(part) for part in (old, value))
    return set(old) != set(value)


def isolate(network, path):
    """A module of its own in the place of one that may be shared."""
    *parts, last = path.split(".")
    holder = network
    for part in parts:
        holder = holder.__dict__["_modules"][part]
    shared = holder.__dict__["_modules"][last]
    own = Stand.__new__(type(shared))
    own.__dict__.update(shared.__dict__)
    holder.__dict__["_modules"][last] = own
    return own


def judge_modules(run, expected, output):
    """The fault of a run on changed modules, as text; None without one."""
    if run.status != 0:
        return None if expected in ("refused", "any", "told") else f"refused although nothing changed ({run.status})"
    if expected == "refused":
        return "another network was accepted"
    if expected == "told" and b"activations" not in output.read_bytes()[:200_000]:
        return "another activation was accepted and not told"
    return None


if __name__ == "__main__":
    sys.exit("used by mutate.py")
