"""Which columns look personal? By their names, their tables and, where rows were sampled, their values; what looks so gives no values away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.core.schema.contracts import Column, Table

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words that make of a personal word something else: `email_count`, `address_id`, `phone_verified`.
_ABOUT_IT = frozenset(
    "count num number_of total flag has is verified confirmed enabled sent status template type kind format length id ids fk key_id idx opt subscribed bounced "
    "required valid provider domain".split()
)
# Column names by the words in them, first match; each says what it is.
_NAMES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = tuple(
    (kind, tuple(tuple(form.split()) for form in forms.split(",")))
    for kind, forms in (
        ("secret", "password,passwd,pwd,pass hash,secret,api key,apikey,token,otp,pin code,private key,salt"),
        ("email", "email,e mail,mail address,emailaddress,mail"),
        ("phone", "phone,telephone,tel,mobile,cell,cellphone,fax,phonenumber,msisdn,whatsapp"),
        ("payment card", "card number,cardnumber,credit card,cc number,cc num,cvv,cvc,pan"),
        ("bank account", "iban,bic,account number,account no,bank account,routing number,sort code"),
        (
            "government id",
            "ssn,social security,passport,national id,tax id,tin,nino,driver license,drivers license,licence number,license number,id card,"
            "identity number,personal number,cpf,curp,aadhaar",
        ),
        ("birth date", "birth,birthday,birthdate,dob,dateofbirth,born"),
        (
            "person name",
            "first name,last name,middle name,full name,given name,family name,sur name,surname,maiden name,nick name,firstname,lastname,middlename,"
            "fullname,fname,lname,forename,nickname,contact name,customer name,person name,patient name,employee name,display name,user name,"
            "username,login,screen name",
        ),
        (
            "address",
            "street,address,addr,address line,zip,zipcode,postcode,postal code,post code,house number,latitude,longitude,lat,lng,geo location,home city",
        ),
        ("network address", "ip,ip address,ipaddress,ipv4,ipv6,mac address,user agent,device id"),
        ("sensitive", "gender,ethnicity,race ethnicity,religion,salary,wage,income,diagnosis,blood type,sexual orientation,marital status"),
    )
)
# The same by the first word of each form, with its place in the order.
_BY_FIRST_WORD: dict[str, list[tuple[int, str, tuple[str, ...]]]] = {}
for _place, (_kind, _forms) in enumerate(_NAMES):
    for _form in _forms:
        _BY_FIRST_WORD.setdefault(_form[0], []).append((_place, _kind, _form))
# Tables of people, in which a bare `name` is a person's.
_PEOPLE = frozenset(
    "person people user users customer client patient employee staff member student teacher contact author artist driver player guest passenger applicant "
    "candidate subscriber doctor nurse physician lawyer owner tenant borrower donor volunteer participant visitor".split()
)
_PERSON_NAMES = frozenset({"name", "names"})
_TYPES_OF_NETWORKS = frozenset({"inet", "cidr", "macaddr", "macaddr8", "inet4", "inet6"})
_TYPES_OF_TRUTH = ("bool", "bit(1)", "tinyint(1)")
_NUMBERS = ("int", "serial", "numeric", "decimal", "float", "double", "real", "number")
# Kinds that no number column holds.
_NEVER_NUMBERS = frozenset({"email", "person name"})

_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[^@\s]{1,64}@[\w\-]+(?:\.[\w\-]+)+")),
    ("payment card", re.compile(r"(?:\d[ -]?){13,19}")),
    ("government id", re.compile(r"\d{3}-\d{2}-\d{4}")),
    ("bank account", re.compile(r"[A-Z]{2}\d{2}[ ]?(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{1,4}")),
    ("network address", re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")),
    ("phone", re.compile(r"\+\d[\d ()./\-]{6,18}\d|\(?\d{3}\)?[ .\-]\d{3}[ .\-]\d{4}")),
)
# The same inside other text, without those that plain numbers look like.
_INSIDE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[^@\s]@[\w\-]+(?:\.[\w\-]+)+")),
    ("payment card", re.compile(r"(?<!\d)(?:\d[ -]?){13,19}(?!\d)")),
    ("government id", re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")),
    ("phone", re.compile(r"\+\d[\d ()./\-]{6,18}\d|\(\d{3}\) ?\d{3}[ .\-]\d{4}")),
)
# A column whose values look personal: most of them must, else a free text with one number in it would count.
_SHARE_THAT_CONVINCES = 0.6
_FEWEST_VALUES = 3


def looks_personal(column: Column, table: Table) -> str:
    """Why a column looks personal by its name and type, or empty."""
    dtype = column.dtype.lower()
    if dtype.partition("(")[0].strip() in _TYPES_OF_NETWORKS:
        return "network address"
    if dtype.startswith(_TYPES_OF_TRUTH):
        return ""
    words = words_of(column.name)
    if not words or _is_about(words):
        return ""
    is_number = dtype.startswith(_NUMBERS)
    if not is_number and len(words) == 1 and words[0] in _PERSON_NAMES and _PEOPLE & {_singular(word) for word in words_of(table.name)}:
        return "person name"
    return _kind_of(words, is_number)


def _kind_of(words: Sequence[str], is_number: bool) -> str:
    """The first kind one of whose forms is among the words; of an address, that of a network before that of a house."""
    found = [
        (place if kind != "network address" else -1, kind)
        for at, word in enumerate(words)
        for place, kind, form in _BY_FIRST_WORD.get(word, ())
        if tuple(words[at : at + len(form)]) == form and not (is_number and kind in _NEVER_NUMBERS)
    ]
    return min(found)[1] if found else ""


def values_look_personal(values: Iterable[object]) -> str:
    """Why sampled values look personal, or empty."""
    texts = [value.strip() for value in values if isinstance(value, str) and value.strip()]
    if len(texts) < _FEWEST_VALUES:
        return ""
    for kind, pattern in _VALUES:
        matching = [text for text in texts if pattern.fullmatch(text)]
        if len(matching) >= len(texts) * _SHARE_THAT_CONVINCES and (kind != "payment card" or all(_passes_luhn(text) for text in matching)):
            return kind
    return ""


def holds_personal(text: str) -> bool:
    """Whether somewhere in a text is what looks like somebody's address or number."""
    return any(kind != "payment card" or _passes_luhn(found[0]) for kind, pattern in _INSIDE for found in pattern.finditer(text))


def words_of(name: str) -> list[str]:
    """A name's words in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def _is_about(words: Sequence[str]) -> bool:
    return (words[-1] in _ABOUT_IT and len(words) > 1 and words[-2:] not in (["national", "id"], ["tax", "id"], ["device", "id"])) or words[
        0
    ] in ("is", "has", "num", "count")


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _passes_luhn(text: str) -> bool:
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
