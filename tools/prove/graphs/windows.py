"""Windows of convolutions and pools: strides, dilations and pads that fit a map."""


def window(d, sides, edges, dilated=True):
    """Strides, dilations and pads of a window that fits."""
    stride = d.pick([1, 1, 1, 2, 2, 3])
    strides = [stride, stride] if d.chance(0.9) else [d.whole(1, 3), d.whole(1, 3)]
    dilation = d.pick([2, 2, 3]) if dilated and d.chance(0.15) else 1
    dilations = [dilation, dilation] if d.chance(0.8) else [dilation, 1]
    form = d.pick(["same", "same", "same", "none", "uneven", "auto"])
    reach = [dilations[axis] * (edges[axis] - 1) for axis in range(2)]
    attributes = {"strides": strides, "dilations": dilations}
    # ONNX Runtime refuses to keep sides where windows leave gaps.
    if form == "auto" and dilation == 1 and all(edges[axis] >= strides[axis] for axis in range(2)):
        attributes["auto_pad"] = d.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
        if attributes["auto_pad"] == "VALID" and any(sides[axis] <= reach[axis] for axis in range(2)):
            attributes["auto_pad"] = "SAME_UPPER"
        return attributes
    pads = [0, 0, 0, 0]
    if form == "same":
        pads = [reach[0] // 2, reach[1] // 2] * 2
    if form == "uneven":
        pads = [d.whole(0, reach[axis % 2]) for axis in range(4)]
    for axis in range(2):
        missing = reach[axis] + 1 - sides[axis] - pads[axis] - pads[axis + 2]
        if missing > 0:
            pads[axis] += missing
    attributes["pads"] = pads
    return attributes


def ends_after(attributes, sides, edges):
    """Whether the last window of an axis, their number rounded up, would begin after the map."""
    for axis in range(2):
        stride, before, after = attributes["strides"][axis], attributes["pads"][axis], attributes["pads"][axis + 2]
        reach = attributes["dilations"][axis] * (edges[axis] - 1) + 1
        steps = -(-(sides[axis] + before + after - reach) // stride)
        if steps * stride >= sides[axis] + before:
            return True
    return False
