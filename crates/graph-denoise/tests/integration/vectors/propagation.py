"""Writes propagation.txt: GCN normalisation by PyTorch Geometric, K steps by scipy.

Run with torch, torch_geometric, numpy and scipy: python propagation.py > propagation.txt
Made with torch 2.15.0, torch_geometric 2.8.1, numpy 2.4.6, scipy 1.17.1.
"""

import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.nn.conv.gcn_conv import gcn_norm

N, D = 12, 5
# A hub (0), a triangle, a chain, a self-loop (4) and an isolated node (11).
EDGES = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 2), (4, 4), (6, 7), (7, 8), (9, 10), (8, 9)]


def line(name, values):
    print(name, *(repr(float(v)) for v in np.asarray(values).ravel()))


rng = np.random.default_rng(20240607)
x = rng.uniform(-1, 1, (N, D)).astype(np.float32)
both = [(u, v) for u, v in EDGES] + [(v, u) for u, v in EDGES if u != v]
edge_index = torch.tensor(both).t()
line("features", x)
for loops in (False, True):
    index, weight = gcn_norm(edge_index, None, N, add_self_loops=loops, dtype=torch.float64)
    # PyG's messages go from row 0 to row 1; the graph is symmetric.
    a = sp.coo_matrix((weight.numpy(), (index[1].numpy(), index[0].numpy())), shape=(N, N)).tocsr()
    name = "added" if loops else "as_is"
    line(f"symmetric_{name}_weights", a.toarray())
    adjacency = sp.coo_matrix((np.ones(len(both)), np.array(both).T), shape=(N, N)).tolil()
    if loops:
        adjacency.setdiag(1)
    adjacency = adjacency.tocsr()
    degree = np.asarray(adjacency.sum(1)).ravel()
    mean = sp.diags(np.divide(1, degree, out=np.zeros(N), where=degree > 0)) @ adjacency
    for k in (1, 2, 8):
        for kind, matrix in (("symmetric", a), ("row", mean)):
            h = x.astype(np.float64)
            for _ in range(k):
                h = matrix @ h
            line(f"{kind}_{name}_{k}", h)
