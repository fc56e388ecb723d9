# tries: to send orders of its own making: other operators, other tensors, other kernels
# in its way: an order has one of five forms, and names what the call made
# outcome: no gain
honest = fused_softmax


def fused_softmax(x):
    wire = x._reference.wire
    for order in (
        {"op": "operator", "name": "aten::neg_", "overload": "", "args": [{"tensor": -1}], "kwargs": {}},
        {"op": "time", "microseconds": 0.001},
        {"op": "launch", "kernel": 99, "grid": [1], "args": [], "kwargs": {}},
        {"op": "operator", "name": "aten::softmax", "overload": "int", "args": [{"tensor": 1}, 1], "kwargs": {}},
    ):
        try:
            wire.ask(order)
        except Exception:
            pass
    return honest(x)
