"""The outputs of all modules of a PyTorch network for an input, by module path."""

import re

import torch

#: What a module is given is the result of a computation that is no module: (module, the name of its input).
COMPUTED_INPUTS = [
    (r"(model\.\d+)\.cv2", r"\1.cat"),
    (r"(model\.\d+\.m\.\d+)\.cv3", r"\1.cat"),
    (r"(model\..*\.attn)\.pe", r"\1.v"),
    (r"(model\..*\.attn)\.proj", r"\1.add"),
    (r"(model\.\d+\.m\.\d+(?:\.1)?)\.ffn", r"\1.add"),
    (r"(model\.\d+\.proto)\.feat_fuse", r"\1.sum"),
    (r"pretrained\.blocks\.0", r"pretrained.embeddings"),
    (r"(pretrained\.blocks\.\d+\.attn)\.proj", r"\1.attention"),
    (r"(pretrained\.blocks\.\d+)\.norm2", r"\1.add"),
    (r"(pretrained\.blocks\.\d+\.mlp)\.fc2", r"\1.act"),
    (r"(depth_head\..*\.resConfUnit\d)\.conv([12])", r"\1.relu\2"),
    (r"(depth_head\..*\.refinenet[123])\.resConfUnit2", r"\1.add"),
    (r"(depth_head\..*\.refinenet\d)\.out_conv", r"\1.resize"),
    (r"(depth_head\..*\.resConfUnit_depth)\.0", r"\1.resize"),
    (r"(depth_head\.scratch)\.output_conv2\.0", r"\1.resize"),
]


def computed_input(name):
    """The name of what the module `name` is given; None where it is another module's output."""
    for pattern, replacement in COMPUTED_INPUTS:
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(replacement)
    return None


def record(network, call, names=None):
    """`(tensors, result)`: what every module of `network` makes while `call()` runs it, and what `call` returns.

    `names` maps module paths to the names to record them under; by default they are the names.
    """
    calls, computed, hooks = {}, {}, []
    paths = {}
    for path, module in network.named_modules(remove_duplicate=False):
        paths.setdefault(module, []).append(path)

    def attach(module, name):
        source = computed_input(name)

        def hook(_, inputs, output):
            if source and isinstance(inputs[0], torch.Tensor):
                computed[source] = inputs[0].detach().clone()
            if isinstance(output, torch.Tensor):
                calls.setdefault(name, []).append(output.detach().clone())

        hooks.append(module.register_forward_hook(hook))

    for module, found in paths.items():
        if len(found) > 1 or not found[0]:
            continue  # a module shared by many, such as an activation, has no path of its own
        name = found[0] if names is None else names.get(found[0])
        if name:
            attach(module, name)
    with torch.inference_mode():
        result = call()
    for hook in hooks:
        hook.remove()
    tensors = dict(computed)
    for name, values in calls.items():
        several = {f"{name}.{index}": value for index, value in enumerate(values)}
        tensors |= several if len(values) > 1 else {name: values[0]}
    return with_prompts(with_heads(tensors)), result


def with_prompts(tensors):
    """Adds the sums of refined maps and what is made of the prompt."""
    for name in [name for name in tensors if name.endswith(".resConfUnit_depth")]:
        owner = name.removesuffix(".resConfUnit_depth")
        tensors[f"{owner}.prompted"] = tensors[f"{owner}.resConfUnit2"] + tensors[name]
    return tensors


def with_heads(tensors):
    """Adds the result of YOLO11's attention heads: what is projected, less the positional encoding."""
    for name in [name for name in tensors if name.endswith(".attn.pe")]:
        owner = name.removesuffix(".pe")
        tensors[f"{owner}.attention"] = tensors[f"{owner}.add"] - tensors[name]
    return tensors


def with_taps(tensors, taps):
    """Renames the uses of the encoder's norm: the last ones follow the tapped blocks."""
    uses = sorted(name for name in tensors if re.fullmatch(r"pretrained\.norm\.\d+", name))
    values = [tensors.pop(name) for name in uses]
    return tensors | {f"pretrained.norm.{tap}": value for tap, value in zip(taps, values[-len(taps) :], strict=True)}
