"""Find documents by words and by meaning."""

from app.retrieval.base import Hit, Ranker, Ranking
from app.retrieval.dense import DenseIndex
from app.retrieval.encoders import Encoder, EncoderFiles, EncoderSpec, find_encoder, known_encoders
from app.retrieval.fusion import fuse
from app.retrieval.index import label_texts, load_dense, save_dense, signature
from app.retrieval.lexical import build_lexical
from app.retrieval.names import NameIndex
from app.retrieval.retriever import Candidates, Retriever
from app.retrieval.text import TEXT_VERSION, document, tokenize

__all__ = [
    "TEXT_VERSION",
    "Candidates",
    "DenseIndex",
    "Encoder",
    "EncoderFiles",
    "EncoderSpec",
    "Hit",
    "NameIndex",
    "Ranker",
    "Ranking",
    "Retriever",
    "build_lexical",
    "document",
    "find_encoder",
    "fuse",
    "known_encoders",
    "label_texts",
    "load_dense",
    "save_dense",
    "signature",
    "tokenize",
]
