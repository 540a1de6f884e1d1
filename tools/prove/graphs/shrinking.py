"""Makes a network that fails smaller: nodes off its end, off its beginning, one by one, while it fails the same way."""

from onnx import helper

from .judging import NotRunError, all_values


class Part:
    """Some nodes of a network, as a network of its own: what they take from others are inputs."""

    def __init__(self, drawing, nodes, outputs, values, kinds):
        self.has_choices, self.is_rounded, self.steps = drawing.has_choices, drawing.is_rounded, drawing.steps
        self.nodes, self.opset = nodes, drawing.opset
        made = {name for node in nodes for name in node.output}
        known = {tensor.name: tensor for tensor in drawing.constants}
        taken = list(dict.fromkeys(name for node in nodes for name in node.input if name and name not in made))
        self.constants = [known[name] for name in taken if name in known]
        self.feeds = {name: values[name] for name in taken if name not in known}
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape))
            for name, array in self.feeds.items()
        ]
        results = [helper.make_tensor_value_info(name, kinds[name], None) for name in outputs if name in made]
        graph = helper.make_graph(nodes, "part", inputs, results, self.constants)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def shrunk(drawing, model, does_fail):
    """The smallest part found that still fails. `does_fail` is given a part with its feeds."""
    values, types = all_values(model, drawing.feeds)
    order = list(drawing.nodes)

    def part(nodes, outputs):
        return Part(drawing, nodes, outputs, values, types)

    def fails(nodes, outputs):
        try:
            candidate = part(nodes, outputs)
            return bool(candidate.model.graph.output) and does_fail(candidate)
        except (NotRunError, KeyError, ValueError):
            return False

    def needed(nodes, outputs):
        wanted, kept = set(outputs), []
        for node in reversed(nodes):
            if wanted & set(node.output):
                kept.append(node)
                wanted.update(node.input)
        return kept[::-1]

    # The first node whose result is wrong, then nodes left out of what it is made of.
    nodes, outputs = order, [value.name for value in drawing.outputs]
    for at, node in enumerate(order):
        trial = needed(order[: at + 1], node.output)
        if trial and fails(trial, list(node.output)):
            nodes, outputs = trial, list(node.output)
            break
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for at in range(len(nodes) - 1):
            trial = nodes[:at] + nodes[at + 1 :]
            if fails(trial, outputs):
                nodes, is_smaller = trial, True
                break
    return part(nodes, outputs)
