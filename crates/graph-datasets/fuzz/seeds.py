#!/usr/bin/env python3
"""Good files as the first inputs of the fuzzers, in corpus/TARGET; no library beyond Python's own.

Where a target reads several files, the first byte of an input says which one the rest stands for, as in fuzz_targets/.
"""

import io
import os
import struct
import zipfile


def save(target, name, data):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def npy(code, shape, values):
    header = "{'descr': '<%s', 'fortran_order': False, 'shape': %r, }" % (code, shape)
    header = header.ljust(117) + "\n"  # with the ten bytes before it a multiple of 64
    data = struct.pack("<%d%s" % (len(values), {"i4": "i", "i8": "q", "f4": "f"}[code]), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(method):
    arrays = {
        "edges": ("i4", (2, 2), [0, 1, 1, 2]),
        "self_loops": ("i4", (1,), [3]),
        "feat_indptr": ("i8", (5,), [0, 1, 2, 3, 3]),
        "feat_indices": ("i4", (3,), [0, 1, 2]),
        "feat_data": ("f4", (3,), [1, 1, 1]),
        "labels": ("i4", (4,), [0, 1, 0, 1]),
        "num_classes": ("i8", (1,), [2]),
        "shape": ("i8", (2,), [4, 3]),
        "train_index": ("i4", (1,), [0]),
        "val_index": ("i4", (1,), [1]),
        "test_index": ("i4", (1,), [2]),
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        for name, array in arrays.items():
            archive.writestr(name + ".npy", npy(*array))
    return whole.getvalue()


def array(code, shape, data):
    """A numpy array as Python 2 pickles it, within a pickle."""
    head = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01("
    head += b"".join(b"K" + bytes([axis]) for axis in shape)
    head += b"tcnumpy\ndtype\nU\x02" + code
    head += b"K\0K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T"
    return head + struct.pack("<I", len(data)) + data + b"tb"


def csr(rows):
    starts = struct.pack("<%di" % (rows + 1), *range(rows + 1))
    head = b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shapeK" + bytes([rows]) + b"K\x03\x86"
    head += b"U\x06indptr" + array(b"i4", [rows + 1], starts) + b"U\x07indices" + array(b"i4", [rows], starts[:-4])
    return head + b"U\x04data" + array(b"f4", [rows], struct.pack("<%df" % rows, *[1.0] * rows)) + b"ub."


def one_hot(rows):
    values = [value for row in range(rows) for value in (1 - row % 2, row % 2)]
    return b"\x80\x02" + array(b"i4", [rows, 2], struct.pack("<%di" % len(values), *values)) + b"."


save("npz", "stored", npz(zipfile.ZIP_STORED))
save("npz", "deflated", npz(zipfile.ZIP_DEFLATED))
GRAPH = b"\x80\x02}(K\0](K\x01K\x03eK\x01](K\0eK\x02](K\x03eK\x03](K\x02eu."
for part, data in enumerate([GRAPH, csr(2), one_hot(2), csr(1), b"3\n2\n"]):
    save("pickle", str(part), bytes([part]) + data)
for part, data in enumerate(
    [
        b"id_1,id_2\n0,1\n1,0\n2,3\n3,3\n1,2\n",
        b'id,facebook_id,page_name,page_type\n3,1,"a, b",company\n0,2,x,tvshow\n1,3,y,politician\n2,4,z,government\n',
        b'{"2": [4, 0, 4], "0": [], "3": [1]}',
    ]
):
    save("musae", str(part), bytes([part]) + data)
for part, data in enumerate(
    [
        b"node,label\nana,10\nbob,9\ncy,9\n",
        b"from,to\nbob,ana\nana,bob\ncy,cy\ncy,bob\n",
        b"node,age,height\ncy,0,1.5\nana,-1,2\n",
    ]
):
    save("own_csv", str(part), bytes([part]) + data)
save("own_csv", "sparse", b"\x02node,feature,value\nana,age,-1\ncy,height,1.5\n")
save("split_csv", "good", b"node,part\n0,train\n1,validation\n2,test\n")
save("matrix_market", "0", b"\x00%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
save("matrix_market", "1", b"\x01%%MatrixMarket matrix coordinate real general\n3 2 2\n1 2 2\n3 1 -1\n")
save(
    "graphml",
    "good",
    b"""<?xml version="1.0"?>
<graphml><key id="l" for="node" attr.name="label" attr.type="string"><default>9</default></key>
<key id="a" for="node" attr.name="a" attr.type="double"><default>1</default></key>
<graph edgedefault="directed"><node id="x"><data key="l">1&amp;0</data><data key="a">-1</data></node>
<edge source="x" target="y"/><node id="y"><data key="l"><![CDATA[8]]></data></node></graph></graphml>
""",
)
