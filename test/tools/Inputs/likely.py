# The likely configurations of a product after a result in which each one's time is its place in the list.

import json
import sys

import tensor_cases
from tensor_case import ours

WANTED = "random_matmul 552x1376x1736"


def cases():
    return tensor_cases.timed(WANTED)


[case] = cases()
labels = [configuration.label for configuration in ours(case)]
row = dict(kernel=case.name, size=case.size, sampled={f"tilec_{label}": at for at, label in enumerate(labels)})
with open(sys.argv[1], "w") as file:
    json.dump(dict(rows=[row]), file)
likely = f"{sys.argv[1]}:4"
[kept] = tensor_cases.keep_likely(cases(), likely)
found = [configuration.label for configuration in ours(kept)]
clustered = [c.label for c in ours(case) if c.ctas > 1 or c.split_k > 1]
print("as expected:", sorted(found) == sorted(set(labels[:4] + clustered[:2])))
[other] = tensor_cases.keep_likely(tensor_cases.timed("random_matmul 872x528x1000"), likely)
print("others:", len(ours(other)) > 6)
