"""Depth Anything's weights under the names of the transformers package, release 5."""


def transformers_state(state, depth):
    """The same weights under the names of transformers."""
    renamed = {}
    embeddings = {
        "cls_token": "cls_token",
        "mask_token": "mask_token",
        "pos_embed": "position_embeddings",
        "patch_embed.proj.weight": "patch_embeddings.projection.weight",
        "patch_embed.proj.bias": "patch_embeddings.projection.bias",
    }
    for ours, theirs in embeddings.items():
        renamed[f"backbone.embeddings.{theirs}"] = state[f"pretrained.{ours}"]
    for leaf in ("weight", "bias"):
        renamed[f"backbone.layernorm.{leaf}"] = state[f"pretrained.norm.{leaf}"]
    for index in range(depth):
        ours, theirs = f"pretrained.blocks.{index}.", f"backbone.encoder.layer.{index}."
        for leaf in ("weight", "bias"):
            packed = state[f"{ours}attn.qkv.{leaf}"].chunk(3)
            for name, value in zip(("q_proj", "k_proj", "v_proj"), packed, strict=True):
                renamed[f"{theirs}attention.{name}.{leaf}"] = value
            renamed[f"{theirs}attention.o_proj.{leaf}"] = state[f"{ours}attn.proj.{leaf}"]
            for name in ("norm1", "norm2", "mlp.fc1", "mlp.fc2"):
                renamed[f"{theirs}{name}.{leaf}"] = state[f"{ours}{name}.{leaf}"]
        for number in (1, 2):
            renamed[f"{theirs}layer_scale{number}.lambda1"] = state[f"{ours}ls{number}.gamma"]
    for name, value in state.items():
        if name.startswith("depth_head."):
            renamed[_head_name(name.removeprefix("depth_head."))] = value
    return renamed


def _head_name(name):
    parts = name.split(".")
    if parts[0] == "projects":
        return f"neck.reassemble_stage.layers.{parts[1]}.projection.{parts[2]}"
    if parts[0] == "resize_layers":
        return f"neck.reassemble_stage.layers.{parts[1]}.resize.{parts[2]}"
    if parts[1].endswith("_rn"):
        return f"neck.convs.{int(parts[1][5]) - 1}.{parts[2]}"
    if parts[1] == "output_conv1":
        return f"head.conv1.{parts[2]}"
    if parts[1] == "output_conv2":
        return f"head.conv{2 + int(parts[2]) // 2}.{parts[3]}"
    layer = f"neck.fusion_stage.layers.{4 - int(parts[1][-1])}"
    if parts[2] == "resConfUnit_depth":
        return f"{layer}.prompt_depth_layer.convolution{1 + int(parts[3]) // 2}.{parts[4]}"
    if parts[2] == "out_conv":
        return f"{layer}.projection.{parts[3]}"
    return f"{layer}.residual_layer{parts[2][-1]}.convolution{parts[3][-1]}.{parts[4]}"
