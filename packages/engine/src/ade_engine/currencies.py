"""Currencies: the codes of ISO 4217, the symbols that amounts are written with, and which of them can be the same."""

from __future__ import annotations

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS
INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK
SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD
XOF XPF YER ZAR ZMW ZWL
"""
CODES = frozenset(_CODES.split())

# Symbols of one currency.
_OF_ONE = """
€ EUR|Euro EUR|£ GBP|US$ USD|CA$ CAD|C$ CAD|AU$ AUD|A$ AUD|NZ$ NZD|HK$ HKD|NT$ TWD|S$ SGD|MX$ MXN|R$ BRL|zł PLN|Kč CZK
Ft HUF|лв BGN|₹ INR|₽ RUB|руб. RUB|руб RUB|₩ KRW|원 KRW|円 JPY|₺ TRY|TL TRY|₴ UAH|₪ ILS|₫ VND|₦ NGN|฿ THB|₱ PHP|₡ CRC
₲ PYG|₸ KZT|₼ AZN|₾ GEL|₵ GHS|₭ LAK|₮ MNT|៛ KHR|৳ BDT|؋ AFN|RM MYR|Rp IDR
"""  # noqa: RUF001 - Cyrillic letters
# Symbols that several currencies share. An amount keeps such a symbol as it is written: which one is meant, it does
# not say.
_SHARED = {
    "$": "USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP BBD BMD BND BSD BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD",
    "¥": "JPY CNY",
    "元": "CNY TWD HKD",
    "kr.": "DKK SEK NOK ISK",
    "kr": "SEK NOK DKK ISK",
    "lei": "RON MDL",
    "Rs.": "INR PKR LKR NPR MUR SCR",
    "Rs": "INR PKR LKR NPR MUR SCR",
}
_ONE = dict(pair.split() for line in _OF_ONE.split("\n") if line for pair in line.split("|"))
SYMBOLS = (*_ONE, *_SHARED)
_MEANINGS = {symbol: frozenset(codes.split()) for symbol, codes in _SHARED.items()}


def code_of(written: str) -> str:
    """Return the ISO code of a code or symbol; a symbol that several currencies share is returned as it is."""
    return _ONE.get(written, written)


def agreed(one: str, other: str) -> str | None:
    """Return the more exact of two currencies that can be the same one, or None when they cannot."""
    one, other = code_of(one), code_of(other)
    if one == other or other in _MEANINGS.get(one, ()):
        return other
    if one in _MEANINGS.get(other, ()):
        return one
    return None
