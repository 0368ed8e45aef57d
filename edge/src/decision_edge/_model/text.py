"""The text part of the feature plan: n-grams of words, or of pieces, and the sentence embedding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._bundle.zip import ADAPTERS, TOKENIZER
from .._errors import InvalidBundle
from .._json import (
    JsonObject,
    JsonValue,
    expect_integer,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    find_value,
    parse_entry,
    reading,
)
from .._tables import MAX_ADAPTER_RANK, MAX_MARKUP_CHARACTERS, MAX_TEXT_CHARACTERS
from .classifier import open_session
from .features import read_path
from .readable import join_turns, to_readable_text
from .shared import SharedFile
from .tokenizer import Tokenizer
from .unigram import UnigramTokenizer
from .word_ngrams import WordNgrams
from .words import WordSplitter

# Texts that are encoded together, and their tokens with what fills up the short ones; more of them cost as much each,
# or more where their memory has to be made ready first.
_BATCH_TEXTS, _BATCH_TOKENS = 32, 1_024

# Layers of the encoder; each has adapters of its queries and of its values.
_LAYERS = 6

# The tokens around a text where the plan names no others: [CLS] and [SEP]; the last stands behind it.
_FRAME: list[JsonValue] = [101, 102]
_MAX_FRAME = 16


def join_text(values: Iterable[JsonValue], is_markup: bool = False, conversations: frozenset[int] = frozenset()) -> str:
    """Return the start of the values of the text fields, joined by line breaks; what is not a string is left out.

    Values at the positions `conversations` may also be lists of turns.
    """
    read = _read_markup if is_markup else str
    texts: list[str] = []
    for position, value in enumerate(values):
        if isinstance(value, str):
            texts.append(read(value))
        elif position in conversations and isinstance(value, list):
            texts.append(join_turns(value, read))
    return "\n".join(texts)[:MAX_TEXT_CHARACTERS]


def _read_markup(text: str) -> str:
    return to_readable_text(text[:MAX_MARKUP_CHARACTERS])


class ReadText(NamedTuple):
    """A text in parts: the ids of a tokenizer's pieces, and the words; what the policy does not use is empty."""

    ids: list[int]
    words: list[str]

    @property
    def units(self) -> Sequence[int | str]:
        """The units whose rarity is measured: words, or the pieces of policies that know none."""
        return self.words or self.ids


class TextFeatures:
    """Compiled `text` of a feature plan. `tokenizer` and `encoder` are needed only where the plan uses them, `adapters`
    only where an encoder has some.
    """

    def __init__(
        self,
        plan: JsonObject,
        tokenizer: SharedFile | None,
        encoder: SharedFile | None,
        adapters: bytes | None = None,
    ) -> None:
        self._files = (tokenizer, encoder)
        self._tokenizer = None if tokenizer is None else tokenizer.open(_open_tokenizer)
        with reading("features.json: text"):
            expect_keys(plan, {"fields", "ngrams", "encoder"}, {"markup", "conversations"})
            if plan.get("markup", True) is not True:
                raise ValueError("markup is true or left out")
            self._is_markup = "markup" in plan
            self._fields = [read_path(path) for path in expect_list(plan["fields"])]
            conversations = [read_path(path) for path in expect_list(plan.get("conversations", []))]
            self._conversations = frozenset(self._fields.index(path) for path in conversations)
            if not self._fields:
                raise ValueError("no field is named")
            self.ngrams: Ngrams | None = None
            self._splitter: WordSplitter | None = None
            if plan["ngrams"] is not None:
                spec = expect_object(plan["ngrams"])
                self.ngrams = WordNgrams(spec) if "words" in spec else PieceNgrams(spec)
                self._splitter = WordSplitter() if "words" in spec else None
            needs_tokenizer = plan["encoder"] is not None or isinstance(self.ngrams, PieceNgrams)
            if needs_tokenizer and self._tokenizer is None:
                raise ValueError("its text is parted by a tokenizer, but manifest.json names none")
            self.encoder = None
            if plan["encoder"] is not None and encoder is not None:
                self.encoder = _Encoder(expect_object(plan["encoder"]), encoder, adapters)

    def read(self, values: JsonObject) -> ReadText:
        """Return the parts of all text fields joined by line breaks, without special tokens."""
        return self._read(find_value(values, path) for path in self._fields)

    def read_rows(self, find_column: Callable[[list[str]], list[JsonValue]], rows: Sequence[int]) -> list[ReadText]:
        """Return the parts of the text of each of the rows, from the values that all inputs have at a path."""
        columns = [find_column(path) for path in self._fields]
        return [self._read(column[row] for column in columns) for row in rows]

    def weigh(self, text: ReadText) -> tuple[list[int], list[float]]:
        """Return the indices of the known n-grams of a text, and their values."""
        if isinstance(self.ngrams, WordNgrams):
            return self.ngrams.encode(text.words)
        return ([], []) if self.ngrams is None else self.ngrams.encode(text.ids)

    def _read(self, values: Iterable[JsonValue]) -> ReadText:
        text = join_text(values, self._is_markup, self._conversations)
        ids = [] if self._tokenizer is None else self._tokenizer.encode(text)
        return ReadText(ids, [] if self._splitter is None else self._splitter.split(text))


class PieceNgrams:
    """TF-IDF over known uni- and bigrams of token ids: (1 + ln count) · idf, L2-normalised, times scale."""

    def __init__(self, spec: JsonObject) -> None:
        expect_keys(spec, {"unigrams", "bigrams", "idf", "scale"})
        unigrams = [expect_integer(token) for token in expect_list(spec["unigrams"])]
        flat = [expect_integer(token) for token in expect_list(spec["bigrams"])]
        if min((*unigrams, *flat), default=0) < 0:
            raise ValueError("a token is negative")
        pairs = zip(flat[0::2], flat[1::2], strict=True)
        self._unigrams = {token: position for position, token in enumerate(unigrams)}
        self._bigrams = {pair: len(unigrams) + position for position, pair in enumerate(pairs)}
        self._idf = [expect_number(weight) for weight in expect_list(spec["idf"])]
        self._scale = expect_number(spec["scale"])
        self.size = len(unigrams) + len(flat) // 2
        if len(self._idf) != self.size:
            raise ValueError(f"{len(self._idf)} idf weights are there for {self.size} n-grams")

    def encode(self, ids: list[int]) -> tuple[list[int], list[float]]:
        """Return the indices of the known n-grams, ascending, and their values."""
        known = [self._unigrams.get(token) for token in ids]
        known += [self._bigrams.get(pair) for pair in pairwise(ids)]
        counts = Counter(index for index in known if index is not None)
        indices = sorted(counts)
        values = [(1 + math.log(counts[index])) * self._idf[index] for index in indices]
        norm = math.sqrt(math.fsum(value * value for value in values)) or 1.0
        return indices, [value / norm * self._scale for value in values]


Ngrams = WordNgrams | PieceNgrams


class _Encoder:
    """The sentence encoder with the policy's adapters, zeros where it has none.

    A text has the same embedding alone and among others.
    """

    def __init__(self, spec: JsonObject, model: SharedFile, adapters: bytes | None) -> None:
        expect_keys(spec, {"dimensions", "max_tokens", "scale"}, {"adapters", "frame"})
        *self._before, self._after = (expect_integer(token) for token in expect_list(spec.get("frame", _FRAME)))
        self.size = expect_integer(spec["dimensions"])
        self._room = expect_integer(spec["max_tokens"]) - len(self._before) - 1
        if self.size < 1 or not 1 <= len(self._before) < _MAX_FRAME or self._room < 1:
            raise ValueError("the encoder has no dimensions or reads no tokens")
        self._scale = expect_number(spec["scale"])
        self._session = model.open(lambda data: open_session(data, "The sentence encoder"))
        rank = 1 if "adapters" not in spec else _read_rank(spec["adapters"])
        weights = None if "adapters" not in spec else _read_adapters(adapters, rank, self.size)
        self._adapters: dict[str, npt.NDArray[np.float32]] = {}
        for node in self._session.get_inputs():
            if node.name not in ("input_ids", "attention_mask"):
                if weights is None:
                    shape = [side if isinstance(side, int) else 1 for side in node.shape]
                    self._adapters[node.name] = np.zeros(shape, np.float32)
                elif node.name not in weights:
                    raise ValueError(f"the encoder has an input {node.name!r} that no adapters are for")
                else:
                    self._adapters[node.name] = weights[node.name]

    def encode(self, ids: list[int]) -> list[float]:
        """Return the embedding of the first tokens, times scale."""
        return self._run([self._frame(ids)])[0]

    def encode_many(self, texts: Sequence[list[int]]) -> list[list[float]]:
        """Return the embedding of each text; texts of about the same length are encoded together."""
        framed = [self._frame(ids) for ids in texts]
        embeddings: list[list[float]] = [[]] * len(framed)
        for batch in _group_by_length([len(ids) for ids in framed]):
            for at, embedding in zip(batch, self._run([framed[at] for at in batch]), strict=True):
                embeddings[at] = embedding
        return embeddings

    def _frame(self, ids: list[int]) -> list[int]:
        return [*self._before, *ids[: self._room], self._after]

    def _run(self, texts: list[list[int]]) -> list[list[float]]:
        """Embed texts side by side: short ones are filled up, and the mask tells where each ends."""
        shape = (len(texts), max(map(len, texts)))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, **self._adapters}
        embeddings = np.asarray(self._session.run(["sentence_embedding"], feeds)[0], np.float64)
        if embeddings.shape != (len(texts), self.size):
            raise InvalidBundle(
                f"The sentence encoder gives {embeddings.shape[-1]} dimensions, the plan says {self.size}."
            )
        rows: list[list[float]] = (embeddings * self._scale).tolist()
        return rows


def _open_tokenizer(data: bytes) -> Tokenizer | UnigramTokenizer:
    file = parse_entry(data, TOKENIZER)
    with reading(TOKENIZER):
        model = expect_object(expect_object(file)["model"])
        return UnigramTokenizer(expect_object(file)) if model["type"] == "Unigram" else Tokenizer(expect_object(file))


def _group_by_length(lengths: list[int]) -> Iterator[list[int]]:
    """Part texts, given by their lengths in tokens, into batches: the positions of each, the shortest texts first."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _BATCH_TEXTS or (len(batch) + 1) * lengths[at] > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _read_rank(spec: JsonValue) -> int:
    rank = expect_integer(expect_keys(spec, {"rank"})["rank"])
    if not 1 <= rank <= MAX_ADAPTER_RANK:
        raise ValueError(f"the rank of adapters must be 1 to {MAX_ADAPTER_RANK}")
    return rank


def _read_adapters(data: bytes | None, rank: int, size: int) -> dict[str, npt.NDArray[np.float32]]:
    """Return the matrices of packed adapters by the names of the encoder's inputs, row-major: a [size, rank], b."""
    names = [f"{part}_{side}{layer}" for layer in range(_LAYERS) for part in "qv" for side in "ab"]
    if data is None or len(data) != 4 * len(names) * size * rank:
        raise InvalidBundle(f"{ADAPTERS} does not hold adapters of rank {rank}.")
    weights = np.frombuffer(data, "<f4").astype(np.float32)
    if not np.isfinite(weights).all():
        raise InvalidBundle(f"{ADAPTERS} holds a number that is not finite.")
    parts = np.split(weights, len(names))
    return {
        name: part.reshape((size, rank) if name[2] == "a" else (rank, size))
        for name, part in zip(names, parts, strict=True)
    }
