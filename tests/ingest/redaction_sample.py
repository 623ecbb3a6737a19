"""What redaction must find, by kind, and what it must leave: made up, but with true check digits."""

from collections.abc import Mapping

PLANTED: Mapping[str, tuple[str, ...]] = {
    "email": (
        "ann@example.com", "ann.lee+shop@mail.example.co.uk", "a_b-c%d@x-y.io", "müller@example.de",
        "ANN@EXAMPLE.ORG", "12345@qq.com",
    ),
    "phone": (
        "+1 415 555 2671", "+1 (415) 555-2671", "+14155552671", "(415) 555-2671", "415-555-2671",
        "415.555.2671", "1-800-555-0199", "+49 30 901820", "+44 20 7946 0958", "+33 1 42 68 53 00",
        "+91 98765 43210", "+49(0)30 901820", "+33 (0)1 42 68 53 00", "020 7946 0958", "030 1234567",
        "(05374) 413520", "04 68 56 42 80", "08-217 61 04", "0179-533 04", "35 3304-1352",
        "001-497-476-5823x694", "295.333.0413x5256",
    ),
    "card": (
        "4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "5500 0055 5555 5559",
        "2221 0000 0000 0009", "3782 822463 10005", "378282246310005", "6011111111111117",
        "3530111333300000", "30569309025904", "6304000000000000",
    ),
    "iban": (
        "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB82 WEST 1234 5698 7654 32",
        "FR14 2004 1010 0505 0001 3M02 606", "NL91ABNA0417164300", "CH93 0076 2011 6238 5295 7",
        "ES91 2100 0418 4502 0005 1332",
    ),
    "ip": (
        "192.168.10.44", "8.8.8.8", "203.0.113.7", "2001:db8:85a3::8a2e:370:7334",
        "fe80:0:0:0:202:b3ff:fe1e:8329",
    ),
    "national_id": (
        "536-22-1234", "12345678Z", "X1234567L", "RSSMRA85T10A562S", "2 85 05 78 006 084 41",
        "285057800608441", "529.982.247-25", "2341 2341 2346", "AB 12 34 56 C", "811218-9876",
    ),
    "secret": (
        "sk-proj-abcdefghij0123456789ABCD", "sk-ant-api03-abcdefghij0123456789-ABCD",
        "AKIAIOSFODNN7EXAMPLE", "ghp_abcdefghij0123456789ABCDEFGHIJ012345",
        "github_pat_11ABCDEFG0abcdefghij_0123456789", "glpat-abcdefghij0123456789", "glpat-kzrGJMGzNzWWsxMjRxKi",
        "xoxb-123456789012-abcdefGHIJKL", "AIzaSyA-1234567890abcdefghijklmnopqrs",
        "sk_live_abcdefghij0123456789", "hf_abcdefghijABCDEFGHIJ0123456789abcd",
        "npm_abcdefghij0123456789ABCDEFGHIJ012345", "SG.abcdefghij0123456789.ABCDEFGHIJ0123456789",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dozjgNryP4J3jVmNHl0w5N",
        "gsk_abcdefghij0123456789ABCDEFGHIJ0123456789", "dapi0123456789abcdef0123456789abcdef",
        "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
    ),
    "private_key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNz\\n-----END OPENSSH PRIVATE KEY-----",
    ),
}  # fmt: skip
"""Kind → texts of it. None is anybody's: documentation ranges, test cards, made-up tokens."""

HARMLESS: tuple[str, ...] = (
    "order #W2378156 of 2024-05-15", "flight HAT136 at 15:30:00, gate B12", "product 1656367028",
    "credit_card_9513926", "gift_card_8168843", "reservation EHGLP3 for 1,234.56 USD",
    "call_94124802", "toolu_01AaHKJphyeTw3GFp4Xgiekv", "chatcmpl-AHmxWgRAkoZJCaH30D7gz5t1OCc30",
    "7f3a1c52-e0b9-4d6f-8a2b-6c1d9e0f4a11", "7f3a1c52e0b94d6f8a2b6c1d9e0f4a11",
    "2026-01-05T10:00:00.000Z", "2026-01-05T10:00:00.123456+00:00", "1760000000123456789",
    "version 1.2.3.4.5", "1.2.3", "127.0.0.1", "0.0.0.0:8080", "std::vector<int> a::b", "12:30:45",
    "4111111111111112", "1234 5678 9012 3456", "DE00 3704 0044 0532 0130 00", "12345678A",
    "000-12-3456", "900-12-3456", "max_tokens: 4096, password: required", "token: str",
    "api_key=os.environ['KEY']", "secret = <your-secret>", "git@github.com:org/repo.git",
    "@types/node 18", "f(x) = 3.14159265358979", "ISBN 978-0-7432-7356-5", "ORD-20251208-E2025",
    "user_12345", "10000000", "0.1234567890123", "a@b", "sk-short", "1e-10", "$1,000.00 - $2,000.00",
    "2024-10-15 14:00 to 2024-10-16 14:00", "SKU 0012-3456", "May 10 2020-2021", "+1.872 -1.651", "+1.87265432", "561724567137", "password: https://example.com/reset", "sk-learn-and-other-long-words-here",
    "phone: unknown", "extension 5256", "04 of 12", "2024 05 15", "room 301-302-303", "00000000-0000-0000",
)  # fmt: skip
"""Texts of agents' traces that hold no personal data."""
