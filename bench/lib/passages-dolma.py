# Runs the deduper of Dolma (PyPI, 1.2.1) in this process: `python3 passages-dolma.py FOLDER BY NGRAM ELEMENTS`. It reads the files of
# FOLDER/documents and writes to FOLDER/attributes/passages. Only its compiled module is needed, so `pip install --no-deps dolma` is enough.

import importlib.util
import json
import sys
from pathlib import Path

folder, by, ngram, elements = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
(found,) = (path for root in sys.path for path in Path(root).glob("dolma/dolma.*.so"))
spec = importlib.util.spec_from_file_location("dolma", found)
dolma = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dolma)
by_ngram = {"ngram_length": ngram, "stride": 1, "overlap_threshold": 0.8}
config = {
    "documents": [f"{folder}/documents/*"],
    "work_dir": {"input": f"{folder}/in", "output": f"{folder}/out"},
    "dedupe": {
        "name": "passages",
        "paragraphs": {"attribute_name": "duplicates", **({"by_ngram": by_ngram} if by == "ngram" else {})},
    },
    "bloom_filter": {
        "file": f"{folder}/bloom",
        "size_in_bytes": 0,
        "read_only": False,
        "estimated_doc_count": elements,
        "desired_false_positive_rate": 1e-6,
    },
    "processes": 1,
}
dolma.deduper_entrypoint(json.dumps(config))
