"""Write data/minilm.onnx: the graph of all-MiniLM-L6-v2, its weights left in model.safetensors.

The file (31 KB) holds operators and, for each weight, a byte range of the safetensors file. The table of word
vectors is no part of it: the encoder reads the rows of a text itself and feeds them in. Building it twice
gives the same bytes. Needs numpy and onnx, no torch.

    python -m scripts.build_encoder_graph [--weights FOLDER] [--output FILE] [--check]

Exit code 0: written, or up to date. Exit code 1: the weights cannot be used, or `--check` found a difference.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from app.errors import EncoderUnavailableError
from app.retrieval.encoders.tensor_file import TensorPlace, read_places
from app.retrieval.encoders.weights import DIMENSION, MODEL_FILE, find_weights

DATA = Path(__file__).resolve().parent.parent / "data"
LAYERS = 6
HEADS = 12
HEAD_SIZE = DIMENSION // HEADS
OPSET = 18
IR_VERSION = 9
EPSILON = 1e-12
"""Of layer normalisation, from the model's config.json."""
WORDS = "word_vectors"
PRESENT = "attention_mask"
KINDS = "token_type_ids"
OUTPUT = "sentence_embedding"


class GraphBuilder:
    """Collects the operators of a graph. Every method returns the name of the tensor it makes."""

    def __init__(self, places: Mapping[str, TensorPlace]) -> None:
        """Start empty; `places` says where the weights are."""
        self._places = places
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._weights: dict[str, TensorProto] = {}

    def op(self, kind: str, inputs: list[str], out: str, **attributes: Any) -> str:
        """One ONNX operator."""
        self._nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def integers(self, name: str, *values: int) -> str:
        """A constant int64 vector."""
        self._constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def number(self, name: str, value: float) -> str:
        """A constant float32 of shape (1,)."""
        self._constants.append(numpy_helper.from_array(np.array([value], np.float32), name))
        return name

    def weight(self, key: str) -> str:
        """A tensor that stays in the safetensors file."""
        if key not in self._weights:
            place = self._places[key]
            tensor = TensorProto(name=key, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
            tensor.dims.extend(place.shape)
            where = {"location": MODEL_FILE, "offset": place.offset, "length": place.length}
            for name, value in where.items():
                tensor.external_data.add(key=name, value=str(value))
            self._weights[key] = tensor
        return key

    def linear(self, x: str, prefix: str, out: str) -> str:
        """A linear step, x · Wᵀ + b; the weights are stored as (outputs, inputs)."""
        turned = self.op("Transpose", [self.weight(f"{prefix}.weight")], f"{prefix}.turned", perm=[1, 0])
        product = self.op("MatMul", [x, turned], f"{out}.product")
        return self.op("Add", [product, self.weight(f"{prefix}.bias")], out)

    def norm(self, x: str, prefix: str, out: str) -> str:
        """Layer normalisation over the last axis."""
        inputs = [x, self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")]
        return self.op("LayerNormalization", inputs, out, axis=-1, epsilon=EPSILON)

    def model(self) -> Any:
        """The finished ONNX model."""
        axes = ["batch", "pieces"]
        inputs = [
            helper.make_tensor_value_info(WORDS, TensorProto.FLOAT, [*axes, DIMENSION]),
            helper.make_tensor_value_info(PRESENT, TensorProto.INT64, axes),
            helper.make_tensor_value_info(KINDS, TensorProto.INT64, axes),
        ]
        output = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", DIMENSION])
        initializers = [*self._constants, *self._weights.values()]
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output], initializer=initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def build_graph(weights_file: Path) -> bytes:
    """The serialised graph for the weights in `weights_file`."""
    builder = GraphBuilder(read_places(weights_file))
    _add_constants(builder)
    x = _add_embeddings(builder)
    for layer in range(LAYERS):
        attended = _add_attention(builder, x, layer)
        x = _add_feed_forward(builder, attended, layer)
    _add_pooling(builder, x)
    return bytes(builder.model().SerializeToString(deterministic=True))


def _add_constants(g: GraphBuilder) -> None:
    g.integers("zero", 0)
    g.integers("axis_1", 1)
    g.integers("axis_2", 2)
    g.integers("axes_1_2", 1, 2)
    g.integers("last_axis", -1)
    g.integers("split_heads", 0, 0, HEADS, HEAD_SIZE)
    g.integers("join_heads", 0, 0, DIMENSION)
    g.number("one", 1.0)
    g.number("half", 0.5)
    g.number("root_half", 1 / math.sqrt(2))
    g.number("scale", 1 / math.sqrt(HEAD_SIZE))
    g.number("never", -3.4e38)
    g.number("tiny", 1e-9)


def _add_embeddings(g: GraphBuilder) -> str:
    """Word, kind and place of each piece, summed and normalised; and the mask the layers add to attention."""
    prefix = "embeddings."
    kinds = g.op("Gather", [g.weight(prefix + "token_type_embeddings.weight"), KINDS], "kinds")
    g.op("Shape", [KINDS], "length", start=1, end=2)
    table = g.weight(prefix + "position_embeddings.weight")
    places = g.op("Slice", [table, "zero", "length", "zero"], "places")
    summed = g.op("Add", [g.op("Add", [WORDS, kinds], "words_kinds"), places], "embedded")
    g.op("Cast", [PRESENT], "present", to=TensorProto.FLOAT)
    wide = g.op("Unsqueeze", ["present", "axes_1_2"], "present_wide")
    g.op("Mul", [g.op("Sub", ["one", wide], "absent"), "never"], "mask")
    return g.norm(summed, prefix + "LayerNorm", "layer_input_0")


def _add_attention(g: GraphBuilder, x: str, layer: int) -> str:
    """Self-attention of one layer with its residual and normalisation."""
    prefix = f"encoder.layer.{layer}.attention."
    axes = {"query": [0, 2, 1, 3], "key": [0, 2, 3, 1], "value": [0, 2, 1, 3]}
    turned = {}
    for part, perm in axes.items():
        flat = g.linear(x, f"{prefix}self.{part}", f"{part}_{layer}")
        heads = g.op("Reshape", [flat, "split_heads"], f"{part}_heads_{layer}")
        turned[part] = g.op("Transpose", [heads], f"{part}_turned_{layer}", perm=perm)
    raw = g.op("MatMul", [turned["query"], turned["key"]], f"raw_{layer}")
    scaled = g.op("Mul", [raw, "scale"], f"scaled_{layer}")
    masked = g.op("Add", [scaled, "mask"], f"masked_{layer}")
    shares = g.op("Softmax", [masked], f"shares_{layer}", axis=-1)
    mixed = g.op("MatMul", [shares, turned["value"]], f"mixed_{layer}")
    back = g.op("Transpose", [mixed], f"mixed_turned_{layer}", perm=[0, 2, 1, 3])
    joined = g.op("Reshape", [back, "join_heads"], f"joined_{layer}")
    projected = g.linear(joined, f"{prefix}output.dense", f"projected_{layer}")
    residual = g.op("Add", [projected, x], f"attended_sum_{layer}")
    return g.norm(residual, f"{prefix}output.LayerNorm", f"attended_{layer}")


def _add_feed_forward(g: GraphBuilder, x: str, layer: int) -> str:
    """The two linear steps of one layer with GELU between them, residual and normalisation."""
    prefix = f"encoder.layer.{layer}."
    wide = g.linear(x, f"{prefix}intermediate.dense", f"wide_{layer}")
    erf = g.op("Erf", [g.op("Mul", [wide, "root_half"], f"wide_scaled_{layer}")], f"erf_{layer}")
    gate = g.op("Add", [erf, "one"], f"gate_{layer}")
    gated = g.op("Mul", [g.op("Mul", [wide, gate], f"gated_double_{layer}"), "half"], f"gated_{layer}")
    narrow = g.linear(gated, f"{prefix}output.dense", f"narrow_{layer}")
    residual = g.op("Add", [narrow, x], f"fed_sum_{layer}")
    return g.norm(residual, f"{prefix}output.LayerNorm", f"layer_input_{layer + 1}")


def _add_pooling(g: GraphBuilder, x: str) -> None:
    """Mean over the pieces that are present, brought to unit length."""
    present = g.op("Unsqueeze", ["present", "axis_2"], "present_tall")
    total = g.op("ReduceSum", [g.op("Mul", [x, present], "kept"), "axis_1"], "total", keepdims=0)
    count = g.op("ReduceSum", ["present", "axis_1"], "count", keepdims=1)
    mean = g.op("Div", [total, g.op("Max", [count, "tiny"], "count_positive")], "mean")
    g.op("Div", [mean, g.op("ReduceL2", [mean, "last_axis"], "mean_length", keepdims=1)], OUTPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="build_encoder_graph", description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, help="folder with model.safetensors; default: the package's")
    parser.add_argument("--output", type=Path, default=DATA / "minilm.onnx", help="default: %(default)s")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if the file is out of date"
    )
    options = parser.parse_args(argv)
    try:
        graph = build_graph(find_weights(options.weights) / MODEL_FILE)
    except EncoderUnavailableError as exc:
        print(exc, file=sys.stderr)
        return 1
    same = options.output.is_file() and options.output.read_bytes() == graph
    if not same and not options.check:
        options.output.write_bytes(graph)
    state = "unchanged" if same else "out of date" if options.check else "written"
    print(f"{options.output.name}: {len(graph)} bytes, {state}")
    return int(options.check and not same)


if __name__ == "__main__":
    sys.exit(main())
