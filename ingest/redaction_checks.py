"""Checks that tell a real identifier from a number that looks like one.

Each takes a candidate that a pattern found and returns the length of the part to replace, counted
from the candidate's start; 0 is "no such identifier".
"""

import ipaddress
import re

IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24,
    "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21,
    "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip
"""Characters of an IBAN by country (SWIFT's registry)."""

MAESTRO = frozenset(("5018", "5020", "5038", "6304", "6390", "6759", "6761", "6762", "6763"))
"""Issuers' prefixes of cards of 12 to 19 digits."""

_VERHOEFF_PRODUCT = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_ORDER = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
_ITALIAN_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
         2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


_DOUBLED = str.maketrans("0123456789", "0246813579")
"""A digit → the sum of the digits of twice as much."""
_LETTERS_AS_NUMBERS = {ord(c): str(int(c, 36)) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _luhn(digits: str) -> bool:
    doubled = digits[-2::-2].translate(_DOUBLED)
    return sum(map(int, digits[-1::-2] + doubled)) % 10 == 0


def whole(text: str) -> int:
    """The pattern alone decides."""
    return len(text)


def card(text: str) -> int:
    """A payment card: an issuer's prefix with its length, and Luhn's check digit."""
    digits = _digits(text)
    known = (
        (digits[0] == "4" and len(digits) in (13, 16, 19))
        or (len(digits) == 16 and ("51" <= digits[:2] <= "55" or "2221" <= digits[:4] <= "2720"))
        or (len(digits) == 15 and digits[:2] in ("34", "37"))
        or (len(digits) == 16 and (digits[:4] == "6011" or "644" <= digits[:3] <= "659"))
        or (len(digits) == 14 and (digits[:2] in ("36", "38") or "300" <= digits[:3] <= "305"))
        or (len(digits) == 16 and digits[:2] == "35")
        or (len(digits) == 15 and digits[:4] in ("1800", "2131"))
        or (len(digits) >= 12 and digits[:4] in MAESTRO)
        or (16 <= len(digits) <= 19 and digits[:2] == "62")
    )
    return len(text) if known and len(set(digits)) > 1 and _luhn(digits) else 0


def iban(text: str) -> int:
    """An IBAN: as long as its country's are, and 1 modulo 97 (ISO 13616)."""
    wanted = IBAN_LENGTHS.get(text[:2], 0)
    plain = text.replace(" ", "")[:wanted]
    if not wanted or len(plain) < wanted:
        return 0
    number = (plain[4:] + plain[:4]).translate(_LETTERS_AS_NUMBERS)
    return _end_of(text, wanted) if int(number) % 97 == 1 else 0


def _end_of(text: str, wanted: int) -> int:
    """Return where so many characters that are no space end."""
    end = wanted
    while (taken := end - text.count(" ", 0, end)) < wanted:
        end += wanted - taken
    return end


def ipv4(text: str) -> int:
    """An address whose octets fit, and that is not the machine itself."""
    octets = text.split(".")
    fits = all(int(octet) < 256 and (octet == "0" or octet[0] != "0") for octet in octets)
    return len(text) if fits and octets[0] not in ("0", "127") else 0


def ipv6(text: str) -> int:
    """An address of at least three written groups (`a::b` is code more often)."""
    if sum(map(bool, text.split(":"))) < 3:
        return 0
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return 0
    return len(text)


def international_phone(text: str) -> int:
    """`+` and 8 to 15 digits, the first no 0 (E.164)."""
    digits = _digits(text.partition("x")[0])
    if re.fullmatch(r"\+[0-9]+\.[0-9]+", text):
        return 0  # a decimal
    return len(text) if 8 <= len(digits) <= 15 and digits[0] != "0" else 0


def american_phone(text: str) -> int:
    """Area code and exchange begin with 2 to 9 (North American numbering plan)."""
    digits = _digits(text.partition("x")[0])[-10:]
    return len(text) if digits[0] > "1" and digits[3] > "1" else 0


def national_phone(text: str) -> int:
    """A trunk 0 and 9 to 12 digits in all, grouped."""
    return len(text) if 9 <= len(_digits(text)) <= 12 else 0


def grouped_phone(text: str) -> int:
    """A trunk 0 and 7 to 11 digits in all, in groups of two and three (Sweden)."""
    return len(text) if 7 <= len(_digits(text)) <= 11 else 0


def brazilian_phone(text: str) -> int:
    """An area and two groups of four, but for a day and a range of years."""
    left, right = text[-9:-5], text[-4:]
    return 0 if left[:2] in ("19", "20") and right[:2] in ("19", "20") else len(text)


def american_ssn(text: str) -> int:
    """A social security number that could have been issued."""
    area, group, serial = text.split("-")
    issued = area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"
    return len(text) if issued else 0


def spanish_id(text: str) -> int:
    """DNI or NIE with its check letter (number modulo 23)."""
    plain = text.replace("-", "")
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return len(text) if "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == plain[-1] else 0


def italian_id(text: str) -> int:
    """Codice fiscale with its check letter."""
    odd = sum(_ITALIAN_ODD[c] for c in text[0:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in text[1:15:2])
    return len(text) if chr((odd + even) % 26 + 65) == text[15] else 0


def french_id(text: str) -> int:
    """NIR with its key (97 less the number modulo 97)."""
    digits = _digits(text)
    return len(text) if 97 - int(digits[:13]) % 97 == int(digits[13:]) else 0


def brazilian_id(text: str) -> int:
    """CPF with its two check digits."""
    digits = _digits(text)
    for length in (9, 10):
        total = sum(int(d) * (length + 1 - i) for i, d in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != int(digits[length]):
            return 0
    return len(text)


def indian_id(text: str) -> int:
    """Aadhaar with Verhoeff's check digit."""
    check = 0
    for index, digit in enumerate(reversed(_digits(text))):
        order = int(_VERHOEFF_ORDER[index % 8][int(digit)])
        check = int(_VERHOEFF_PRODUCT[check][order])
    return len(text) if check == 0 else 0


def swedish_id(text: str) -> int:
    """Personnummer with Luhn's check digit over its last ten digits."""
    return len(text) if _luhn(_digits(text)[-10:]) else 0


_ASSIGNED = re.compile(r"""[\s\\"']*[:=][\s\\"']*""")
_PLAIN_WORD = re.compile(r"[A-Za-z_.]+(?:[\[(].*)?|[<$({\[%*].*|-?[\d.]+")


def assigned_secret(text: str) -> int:
    """`api_key = …` whose value is no word, number, variable, placeholder or address."""
    value = text[_ASSIGNED.search(text).end() :]  # type: ignore[union-attr]  # the pattern holds it
    return 0 if "//" in value or _PLAIN_WORD.fullmatch(value) else len(text)


def mixed_token(text: str) -> int:
    """A token holds digits, or letters of both cases: words joined by hyphens are none."""
    has_digits = any(map(str.isdigit, text))
    body = text[len(text) // 3 :]
    is_mixed = body.lower() != body and body.upper() != body
    return len(text) if (has_digits and not text.isdigit()) or is_mixed else 0
