"""The vocabulary of TPC-H's tables, and texts of its grammar."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .draws import Draws, Numbers

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
    ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0),
    ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2),
    ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
COLORS = (
    "almond", "antique", "aquamarine", "azure", "beige", "bisque", "black", "blanched", "blue", "blush", "brown",
    "burlywood", "burnished", "chartreuse", "chiffon", "chocolate", "coral", "cornflower", "cornsilk", "cream",
    "cyan", "dark", "deep", "dim", "dodger", "drab", "firebrick", "floral", "forest", "frosted", "gainsboro", "ghost",
    "goldenrod", "green", "grey", "honeydew", "hot", "indian", "ivory", "khaki", "lace", "lavender", "lawn", "lemon",
    "light", "lime", "linen", "magenta", "maroon", "medium", "metallic", "midnight", "mint", "misty", "moccasin",
    "navajo", "navy", "olive", "orange", "orchid", "pale", "papaya", "peach", "peru", "pink", "plum", "powder",
    "puff", "purple", "red", "rose", "rosy", "royal", "saddle", "salmon", "sandy", "seashell", "sienna", "sky",
    "slate", "smoke", "snow", "spring", "steel", "tan", "thistle", "tomato", "turquoise", "violet", "wheat", "white",
    "yellow",
)  # fmt: skip
TYPES = tuple(
    f"{size} {finish} {metal}"
    for size in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
    for finish in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
    for metal in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")
)
CONTAINERS = tuple(
    f"{size} {form}"
    for size in ("SM", "LG", "MED", "JUMBO", "WRAP")
    for form in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")
)
MAKERS = tuple(f"Manufacturer#{maker}" for maker in range(1, 6))
BRANDS = tuple(f"Brand#{maker}{brand}" for maker in range(1, 6) for brand in range(1, 6))
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")

_NOUNS = (
    "foxes", "ideas", "theodolites", "pinto beans", "instructions", "dependencies", "excuses", "platelets", "asymptotes",
    "courts", "dolphins", "multipliers", "sauternes", "warthogs", "frets", "dinos", "attainments", "somas", "Tiresias",
    "patterns", "forges", "braids", "hockey players", "frays", "warhorses", "dugouts", "notornis", "epitaphs", "pearls",
    "tithes", "waters", "orbits", "gifts", "sheaves", "depths", "sentiments", "decoys", "realms", "pains", "grouches",
    "escapades", "packages", "requests", "accounts", "deposits",
)  # fmt: skip
_VERBS = (
    "sleep", "wake", "are", "cajole", "haggle", "nag", "use", "boost", "affix", "detect", "integrate", "maintain", "nod",
    "was", "lose", "sublate", "solve", "thrash", "promise", "engage", "hinder", "print", "x-ray", "breach", "eat", "grow",
    "impress", "mold", "poach", "serve", "run", "dazzle", "snooze", "doze", "unwind", "kindle", "play", "hang", "believe",
    "doubt",
)  # fmt: skip
_ADJECTIVES = (
    "furious", "sly", "careful", "blithe", "quick", "fluffy", "slow", "quiet", "ruthless", "thin", "close", "dogged",
    "daring", "brave", "stealthy", "permanent", "enticing", "idle", "busy", "regular", "final", "ironic", "even", "bold",
    "silent", "special", "pending", "unusual", "express",
)  # fmt: skip
_ADVERBS = (
    "sometimes", "always", "never", "furiously", "slyly", "carefully", "blithely", "quickly", "fluffily", "slowly",
    "quietly", "ruthlessly", "thinly", "closely", "doggedly", "daringly", "bravely", "stealthily", "permanently",
    "enticingly", "idly", "busily", "regularly", "finally", "ironically", "evenly", "boldly", "silently",
)  # fmt: skip
_PREPOSITIONS = (
    "about", "above", "according to", "across", "after", "against", "along", "alongside of", "among", "around", "at", "atop",
    "before", "behind", "beneath", "beside", "besides", "between", "beyond", "by", "despite", "during", "except", "for",
    "from", "in place of", "inside", "instead of", "into", "near", "of", "on", "outside", "over", "past", "since", "through",
    "throughout", "to", "toward", "under", "until", "up", "upon", "without", "with", "within",
)  # fmt: skip
_ENDS = (".", ".", ".", ";", ":", "?", "!", "--")
_POOL_BYTES = 1 << 18
_FEWEST, _MOST = 0.4, 1.6
_ADDRESS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,. ", np.uint8)


def texts(draws: Draws, stream: str, average: int, indices: Numbers) -> pa.Array:
    """Comments: pieces of the pool, of lengths about the average."""
    least, most = round(average * _FEWEST), round(average * _MOST)
    lengths = draws.below(f"{stream}'s length", most - least + 1, indices) + least
    begins = draws.below(stream, _POOL_BYTES - most, indices)
    return _strings(_pool(), begins, lengths)


def addresses(draws: Draws, stream: str, indices: Numbers) -> pa.Array:
    """Letters and digits, 10 to 40 of them."""
    lengths = draws.below(f"{stream}'s length", 31, indices) + 10
    letters = _ADDRESS[draws.below("letters", len(_ADDRESS), np.arange(_POOL_BYTES))]
    return _strings(letters, draws.below(stream, _POOL_BYTES - 40, indices), lengths)


def _strings(pool: npt.NDArray[np.uint8], begins: Numbers, lengths: Numbers) -> pa.Array:
    """The pieces of an ASCII text that begin there."""
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - lengths), lengths)
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.StringArray.from_buffers(
        len(lengths), pa.py_buffer(offsets.tobytes()), pa.py_buffer(pool[places].tobytes())
    )


@cache
def _pool() -> npt.NDArray[np.uint8]:
    """The same sentences whatever the seed."""
    choose = random.Random(19_920_101).choice
    sentences = []
    length = 0
    while length < _POOL_BYTES:
        sentence = _sentence(choose)
        sentences.append(sentence)
        length += len(sentence) + 1
    return np.frombuffer(" ".join(sentences)[:_POOL_BYTES].encode("ascii"), np.uint8)


def _sentence(choose: Callable[[Sequence[str]], str]) -> str:
    def noun() -> str:
        shape = choose(("n", "an", "aan", "dan"))
        words = {"a": _ADJECTIVES, "d": _ADVERBS, "n": _NOUNS}
        return " ".join(choose(words[letter]) for letter in shape)

    def verb() -> str:
        return " ".join(filter(None, (choose((choose(_ADVERBS), "")), choose(_VERBS))))

    tail = choose((f" {choose(_PREPOSITIONS)} the {noun()}", f" {noun()}", ""))
    return f"{noun()} {verb()}{tail}{choose(_ENDS)}"
