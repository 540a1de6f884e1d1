"""From linear light to what a camera would have stored."""

import cv2
import numpy as np


def photograph(rgb, r, exposures=(0.55, 1.1)):
    """linear rgb float32 [h, w, 3] -> uint8: white balance, exposure, shoulder, vignette, gamma, blur, noise.

    exposures: the range of what the picture's bright parts become, 1 being as bright as a picture can be."""
    rgb = rgb * r.uniform(0.9, 1.1, 3).astype(np.float32)
    white = np.percentile(rgb[::4, ::4].max(-1), r.uniform(85, 99))
    x = rgb * (r.uniform(*exposures) / max(white, 1e-4))
    if r.random() < 0.6:
        x = x * (1 + x * 0.15) / (1 + x * r.uniform(0.15, 0.5))
    if r.random() < 0.3:
        h, w = x.shape[:2]
        row, column = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
        x = x * (1 - r.uniform(0, 0.4) * (row**2 + column**2)[..., None] / 2).astype(np.float32)
    x = np.clip(x, 0, 1) ** (1 / r.uniform(1.9, 2.4))
    if r.random() < 0.4:
        x = cv2.GaussianBlur(x, (0, 0), r.uniform(0.3, 0.9))
    x = x + r.normal(0, r.uniform(0, 0.025), x.shape).astype(np.float32)
    return (np.clip(x, 0, 1) * 255 + 0.5).astype(np.uint8)
