"""Scale- and shift-free losses on inverse depth (MiDaS, Ranftl et al. 2020), and an anchor that keeps it positive."""

import torch

FAR = 20.0  # meters; farther pixels are not in evaluate.py's rendered set


def normalize(x, valid):
    """Each map minus its median over its mean absolute deviation; every 7th valid pixel is measure enough."""
    out = []
    for a, m in zip(x, valid):
        q = a[m][::7]
        middle = q.detach().median()
        out.append((a - middle) / ((q - middle).abs().mean() + 1e-3))
    return torch.stack(out)


def gradients(difference, valid, scales=4):
    total = 0
    for k in range(scales):
        d, m = difference[:, :: 2**k, :: 2**k], valid[:, :: 2**k, :: 2**k]
        x = (d[:, :, 1:] - d[:, :, :-1]).abs().clamp(max=3) * (m[:, :, 1:] & m[:, :, :-1])
        y = (d[:, 1:] - d[:, :-1]).abs().clamp(max=3) * (m[:, 1:] & m[:, :-1])
        total = total + (x.sum((1, 2)) + y.sum((1, 2))) / m.sum((1, 2)).clamp(min=1)
    return total


def relative(raw, inverse, valid):
    """The measure of evaluate.py: AbsRel of depth after the least-squares scale and shift of inverse depth.

    The fit is differentiated too.  Where less than half of the true inverse depth is left, the error grows linearly
    instead, so that a fit at or below zero still has a gradient."""
    out = []
    for a, g, m in zip(raw, inverse, valid & (inverse > 1 / FAR)):
        a, g = a[m], g[m]
        if len(g) < 2:
            out.append(raw.sum() * 0)
            continue
        x = a - a.mean()
        scale = (x * (g - g.mean())).mean() / (x * x).mean().clamp(min=1e-6)
        part = (scale * x + g.mean()) / g
        out.append(torch.where(part < 0.5, 2 - 2 * part, (1 / part.clamp(min=0.5) - 1).abs()).mean())
    return torch.stack(out)


def depth_loss(raw, inverse, valid, real, edge_weight, relative_weight=1.0):
    """raw, inverse, valid [n, h, w]; real [n] -> loss, and its three main parts for the log.

    LiDAR is smooth at edges, so its gradients count little.  The anchor ties the output to inverse depth over its
    median, so that what leaves the final ReLU is positive and of a like scale from view to view; beyond six medians
    it only asks for six, or one near thing would bend the whole map."""
    difference = (normalize(raw, valid) - normalize(inverse, valid)) * valid
    count = valid.sum((1, 2)).clamp(min=1)
    flat = difference.abs().clamp(max=6).sum((1, 2)) / count
    edges = gradients(difference, valid) * torch.where(real, 0.3, 1.0)
    median = torch.stack([a[m][::7].median() for a, m in zip(inverse, valid)]).clamp(min=0.02)
    target = inverse / median[:, None, None]
    anchor = torch.where(target < 6, (raw - target).abs(), (6 - raw).clamp(min=0))
    anchor = (anchor * valid).sum((1, 2)) / count
    sky = valid & (inverse == 0)
    negative = ((0.08 - raw).clamp(min=0) * ~sky).mean((1, 2))
    parts = relative(raw, inverse, valid)
    loss = flat + relative_weight * parts + edge_weight * edges + 0.3 * anchor + 3 * negative
    return loss.mean(), *(x.mean().item() for x in (flat, parts, edges))
