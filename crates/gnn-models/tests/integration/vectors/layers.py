"""Two-layer models of PyTorch Geometric with random weights: the weights as safetensors, the outputs as JSON.

pip install torch==2.15.0 torch_geometric==2.8.1; python layers.py   (run in this folder)

Graph: 12 nodes, one of them isolated, one with a self-loop. All in float64; weights are rounded to float32 first.
"""

import json
import struct

import torch
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

torch.manual_seed(20)
torch.set_default_dtype(torch.float64)
NODES, INPUTS, HIDDEN, HEADS, CLASSES = 12, 5, 4, 2, 3
EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 3), (3, 4), (4, 5), (5, 6), (5, 7), (6, 7), (7, 8), (8, 9), (9, 10), (2, 10)]


def rounded(tensor):
    return tensor.detach().float().double()


both = [(u, v) for u, v in EDGES] + [(v, u) for u, v in EDGES if u != v]
edge_index = torch.tensor(both).t().contiguous()
x = rounded(torch.randn(NODES, INPUTS))


class Linear(torch.nn.Linear):
    def forward(self, x, _):
        return super().forward(x)


def gcn():
    layers = [GCNConv(INPUTS, HIDDEN), GCNConv(HIDDEN, CLASSES)]
    return layers, lambda c: [("weight", c.lin.weight.t()), ("bias", c.bias[None])]


def sage():
    layers = [SAGEConv(INPUTS, HIDDEN), SAGEConv(HIDDEN, CLASSES)]
    return layers, lambda c: [
        ("neighbour_weight", c.lin_l.weight.t()),
        ("own_weight", c.lin_r.weight.t()),
        ("bias", c.lin_l.bias[None]),
    ]


def gat():
    layers = [GATConv(INPUTS, HIDDEN, heads=HEADS), GATConv(HIDDEN * HEADS, CLASSES, heads=1, concat=False)]
    return layers, lambda c: [
        ("weight", c.lin.weight.t()),
        ("attention_source", c.att_src[0]),
        ("attention_target", c.att_dst[0]),
        ("bias", c.bias[None]),
    ]


def mlp():
    layers = [Linear(INPUTS, HIDDEN), Linear(HIDDEN, CLASSES)]
    return layers, lambda c: [("weight", c.weight.t()), ("bias", c.bias[None])]


def write(path, metadata, tensors):
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors:
        values = tensor.detach().float().contiguous().flatten().tolist()
        begin = len(data)
        data += struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


outputs = {}
for kind, make in [("gcn", gcn), ("sage", sage), ("gat", gat), ("mlp", mlp)]:
    layers, named = make()
    tensors = []
    for number, layer in enumerate(layers):
        for parameter in layer.parameters():
            # Biases start at zero otherwise, and a wrong one would not show.
            parameter.data = rounded(parameter.data + 0.3 * torch.randn_like(parameter))
        tensors += [(f"layer{number}.{name}", tensor) for name, tensor in named(layer)]
    shape = {"config": {"kind": kind, "hidden": HIDDEN, "heads": HEADS}, "dimensions": INPUTS, "classes": CLASSES}
    write(f"{kind}.safetensors", {"gnn-models": json.dumps(shape)}, tensors)
    logits = layers[1](torch.selu(layers[0](x, edge_index)), edge_index)
    outputs[kind] = logits.detach().flatten().tolist()

with open("layers.json", "w") as file:
    json.dump({"nodes": NODES, "edges": EDGES, "inputs": x.flatten().tolist(), "logits": outputs}, file)
    file.write("\n")
