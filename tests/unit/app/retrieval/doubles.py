"""An encoder without a model, and documents to rank."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from app.retrieval import Hit, Ranking, tokenize


class WordEncoder:
    """A direction per word, summed: texts that share words lie near each other. Notes what it was asked."""

    name = "words"
    dimension = 64
    weights_sha256 = "0" * 64

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        total = np.full(self.dimension, 1e-3)
        for word in tokenize(text):
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
            total += np.random.default_rng(seed).standard_normal(self.dimension)
        return (total / np.linalg.norm(total)).astype(np.float32)


DOCUMENTS = {
    "forklift-licence": "forklift licence",
    "forklift-safety": "forklift safety",
    "phone-manner": "phone manner",
    "typing-speed": "typing speed",
}


class Listed:
    """A ranker that always gives the same ids, and counts how often it was asked."""

    def __init__(self, *ids: str) -> None:
        self.ids = ids
        self.asked = 0

    def rank(self, query: str, n: int) -> Ranking:
        self.asked += 1
        return tuple(Hit(key, 1.0) for key in self.ids[:n])
