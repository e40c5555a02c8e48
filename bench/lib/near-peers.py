# Verdicts of other programs on documents, for near-real.mjs: `python3 near-peers.py NAME THRESHOLD DOCUMENTS VERDICTS`. Each document of
# the file is its length in 4 bytes, then its text. Writes a byte for each: 1 for one that is dropped. Prints the seconds of processor time.

import re
import struct
import sys
import time

# Letters of scripts without blanks are words.
LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3041-\u30ff\u3105-\u312f\u3400-\u9fff\uf900-\ufaff"
LETTER = re.compile(f"[{LETTERS}]")
WORD = re.compile(f"[{LETTERS}]|[^\\W_{LETTERS}]+")
IGNORED = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


def documents(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def words_of(document):
    return WORD.findall(document.decode(errors="replace").translate(IGNORED).lower())


def shingles(document):
    words = words_of(document)
    # A word weighs 6, a letter of a script without blanks 5, and a shingle at least 30.
    weights = [5 if LETTER.match(word) else 6 for word in words]
    found = set()
    end = weight = 0
    for start in range(len(words)):
        while weight < 30 and end < len(words):
            weight += weights[end]
            end += 1
        if weight < 30:
            break
        found.add(" ".join(words[start:end]).encode())
        weight -= weights[start]
    return found or {" ".join(words).encode()}


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


def textdedup(threshold, texts):
    """Not verified. It makes clusters of all documents that share a band, and keeps the first of each; with its default settings."""
    import numpy
    from text_dedup import minhash

    rows = 250
    bands, rows_per_band = minhash.optimal_param(threshold, rows, 0.5, 0.5)
    prime = numpy.uint64((1 << 61) - 1)
    settings = {
        "num_perm": rows,
        "ngram_size": 5,
        "min_length": 0,
        "hashranges": [(band * rows_per_band, (band + 1) * rows_per_band) for band in range(bands)],
        "permutations": tuple(minhash.RNG.randint(low, prime, size=(rows,), dtype=numpy.uint64) for low in (1, 0)),
        "hash_func": lambda shingle: minhash.sha1_hash(shingle, d=32),
        "dtype": numpy.uint64,
        "max_hash": numpy.uint32((1 << 32) - 1),
        "modulo_prime": prime,
    }
    tables = [{} for _ in range(bands)]
    for number, document in enumerate(texts):
        content = " ".join(words_of(document))
        for table, band in zip(tables, minhash.embed_func(content, number, **settings)[minhash.SIGNATURE_COLUMN]):
            minhash.uf.union(number, table.setdefault(band, number))
    return bytes(minhash.uf.find(number) != number for number in range(len(texts)))


def main(name, threshold, path, target):
    texts = list(documents(path))
    begin = time.process_time()
    if name == "text-dedup":
        verdicts = textdedup(float(threshold), texts)
    else:
        is_dropped = {"datasketch": datasketch, "rensa": rensa, "gaoya": gaoya}[name](float(threshold))
        verdicts = bytes(is_dropped(number, text) for number, text in enumerate(texts))
    print(time.process_time() - begin)
    open(target, "wb").write(verdicts)


main(*sys.argv[1:])
