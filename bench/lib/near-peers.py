# Verdicts of other programs on documents, for near-real.mjs: `python3 near-peers.py NAME THRESHOLD DOCUMENTS VERDICTS`. Each document of
# the file is its length in 4 bytes, then its text. Writes a byte for each: 1 for one that is dropped. Prints the seconds of processor time.

import re
import struct
import sys
import time

WORD = re.compile(rb"[a-z0-9\x80-\xff]+")


def documents(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def shingles(document):
    words = WORD.findall(document.lower())
    return {b" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))}


def datasketch(threshold):
    """Not verified, as its guide shows it."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=128)

    def is_dropped(number, document):
        signature = MinHash(num_perm=128)
        signature.update_batch(shingles(document))
        if index.query(signature):
            return True
        index.insert(number, signature)
        return False

    return is_dropped


def rensa(threshold):
    """Verified by the signatures, with 16 bands."""
    from rensa import RMinHash, RMinHashDeduplicator

    found = RMinHashDeduplicator(threshold=threshold, num_perm=128, use_lsh=True, num_bands=16, seed=42)

    def is_dropped(number, document):
        signature = RMinHash(num_perm=128, seed=42)
        signature.update([shingle.decode("latin-1") for shingle in shingles(document)])
        return not found.add(str(number), signature)

    return is_dropped


def gaoya(threshold):
    """Verified by the signatures, with the bands of its guide."""
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,
        num_bands=25,
        band_size=5,
        analyzer=lambda text: [shingle.decode("latin-1") for shingle in shingles(text.encode("latin-1"))],
    )

    def is_dropped(number, document):
        text = document.decode("latin-1")
        if index.query(text):
            return True
        index.insert_document(number, text)
        return False

    return is_dropped


def main(name, threshold, path, target):
    is_dropped = {"datasketch": datasketch, "rensa": rensa, "gaoya": gaoya}[name](float(threshold))
    texts = list(documents(path))
    begin = time.process_time()
    verdicts = bytes(is_dropped(number, text) for number, text in enumerate(texts))
    print(time.process_time() - begin)
    open(target, "wb").write(verdicts)


main(*sys.argv[1:])
