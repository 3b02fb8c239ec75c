"""Secrets are masked wherever they stand, and what only looks like one stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from parley.memory.text.secrets import FORMS, SearchedText, count_marks, mask_secrets

# Numbers that payment companies and the registry of IBANs publish for tests; keys are put together here, so
# that no scanner takes this file for a leak.
CARDS = (
    "My card is 4242 4242 4242 4242, exp 12/29",
    "4000-0566-5566-5556 is the card",
    "amex 378282246310005",
    "卡号是5555 5555 5555 4444",
    "Karte: 2223.0031.2200.3222",
    "card ６０１１１１１１１１１１１１１７",
    "diners 3056 930902 5904",
)
IBANS = (
    "IBAN DE89 3704 0044 0532 0130 00 please",
    "GB29NWBK60161331926819",
    "fr14 2004 1010 0505 0001 3M02 606",
    "Konto NL91 ABNA 0417 1643 00.",
    "银行账号 CH93 0076 2011 6238 5295 7",
)
KEYS = (
    "key " + "sk-" + "proj-abcdefghijklmnop1234567890",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "use " + "ghp_" + "a1B2" * 9,
    "xoxb" + "-1234567890-abcdef",
    "telegram 123456789:" + "A" * 35,
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTYifQ" + ".abcdefghijklmnop",
    "api key = abcdefghij1234567890",
    "Authorization: Bearer abcdefghijklmnopqrstuvwx",
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    "postgres://bob:s3cret@db/x",
)
PASSWORDS = (
    "my password is hunter2",
    "My password is sunshine.",
    'The wifi password is "correct horse battery"',
    "password: qwerty",
    "my pin for the door is 0815",
    "Mein Passwort lautet Sommer2024!",
    "Das Kennwort fürs WLAN ist Blumenwiese",
    "mon mot de passe est soleil42",
    "mi contraseña es gatito99",
    "A minha senha é abacaxi7",
    "la mia password è gatto77",
    "Мой пароль qwerty123",
    "мой пароль: солнце",
    "我的密码是abc123",
    "密码：hunter2",
    "パスワードはneko2024です",
    "비밀번호는 abc1234예요",
    "wachtwoord: geheim1",
)
BOT = "123456789:AA" + "b" * 33
# What stands directly before or behind them, in another script, hides none.
BESIDE = (
    *(
        f"{before}{BOT}"
        for before in ("é", "我", "\uff11", "\u0663", "\u0663\u0663", "1\u0663", "ß", "²", "：", "_")
    ),
    f"1\u0663{BOT}我",
    "\u06634242424242424242",
    "卡号１4242 4242 4242 4242",
    "_4242 4242 4242 4242_",
    "\u0664\u0662" * 8,
    "４２４２4242 4242 4242",
    "我的password: hunter2x",
    "我的password是hunter2x",
    "我的api key: abcdefghij1234567890",
    "api key abcdefghij1234567890我的",
    "api key是abcdefghij1234567890",
    "_ghp_" + "a1B2" * 9 + "_",
    "ｇｈｐ_" + "ａ１Ｂ２" * 9,
    "ＤＥ８９３７０４００４４０５３２０１３０００",
    "パスワードはｎｅｋｏ２０２４です",
)
MORE = (
    "aws_secret_access_key=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "AWS secret " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "https://hooks.slack" + ".com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "pw: hunter2",
    "pass: hunter2",
    "the password's hunter2",
    "my cvv is 123",
    "我的pin码：0815",
    "كلمة المرور: abc123",
    "पासवर्ड: abc123",
    "הסיסמה: abc123",
    "รหัสผ่าน: abc123",
    "Ο κωδικός: abc123",
    "Lösenordet är hemligt1",
)
UNLISTED = (
    "The vault token hvs.CAESIJq8Rk2mPz7vXyW4tLbN3dHs",
    "GROQ gsk_q8Rk2mPz7vXyW4tLbN3dHsJ6fGcA9eUoTiYp",
    "xai-q8Rk2mPz7vXyW4tLbN3dHsJ6fGcA9eUo",
    "figd_q8Rk2mPz7vXyW4tLbN3dHsJ6fGcA9eUo is my token",
    "lin_api_q8Rk2mPz7vXyW4tLbN3dHsJ6fGcA9",
    "Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==",
    "My password was changed to hunter2",
    "The wifi password has been set to hunter2",
    "My recovery code is ABCD-EFGH-1234",
    "The door code is 4711",
    "otp 493827",
)
"""Of services that no list names, and said in other words."""
SECRETS = CARDS + IBANS + KEYS + PASSWORDS + BESIDE + MORE + UNLISTED
HARMLESS = (
    "The ticket is 0f8fad5b-d9cd-4b1e-9c2a-1234567890ab",
    "The file is holiday_pictures_of_2025_in_portugal.zip",
    "The folder is backup-20251126143000123456789012345",
    "It was internationalization_counterrevolutionaries",
    "The security code review is on Monday",
    "He has an otp app",
    "My password is too weak",
    "I forgot my password",
    "The password is wrong",
    "I need a new password for the bank",
    "my password manager is Bitwarden",
    "password reset takes 5 minutes",
    "Das Passwort ist falsch",
    "mot de passe oublié",
    "密码不对",
    "我忘记密码了",
    "密码是什么？",
    "my pin collection is large",
    "phone +49 170 1234567",
    "call 0049 89 12345678",
    "order 1234567890123456",
    "a card that fails its check: 4242 4242 4242 4241",
    "an IBAN that fails its check: DE89 3704 0044 0532 0130 01",
    "I was born 1990-05-12",
    "meeting 2026-11-25 13:45",
    "13 digits 1795262400000",
    "ISBN 978-3-16-148410-0",
    "a token ring network",
    "The key is under the mat",
    "secret key to success is patience",
    "UUID 550e8400-e29b-41d4-a716-446655440000",
    "commit 3ede36dd21701745256aa905",
    "scikit-learn and sk-learn",
    "Karte 12 von 20",
    "the column user_pk_abcdefghijklmnop1 and task-sk-abcdefghijklmnop1",
    "passport是蓝色的",
    "spinning 2 wheels",
    "the password's strength",
    "pass the salt at 8pm",
    "a boarding pass for exam2024",
)


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_once_and_for_all(text):
    masked = mask_secrets(text)
    assert masked.count == count_marks(masked.text) == 1
    assert mask_secrets(masked.text) == (type(masked))(masked.text, 0)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text):
    assert mask_secrets(text).text == text


def test_what_stands_around_a_secret_stays():
    said = "Pay 5 EUR to DE89 3704 0044 0532 0130 00 before May, my password is hunter2, ok?"
    assert mask_secrets(said).text == "Pay 5 EUR to [IBAN] before May, my password is [password], ok?"


@pytest.mark.parametrize(
    "piece",
    ["4 ", "password is ", "DE89", "eyJ", "sk-", "password a", "a://", "密码", "api key ", "-----BEGIN "],
)
def test_a_hostile_text_is_read_to_its_end(piece):
    assert mask_secrets(piece * 4_000).text


_ODD = (
    "pass",
    "P\u0130N: 1a",
    "pa\u017f\u017fwort=x1",
    " is ",
    "DE",
    "\u0663",
    "12",
    "eyJ",
    "sk-",
    "://a:b@",
    " ",
)


@given(some.lists(some.sampled_from([*SECRETS, *HARMLESS, *_ODD]), max_size=8).map("".join))
def test_looking_only_where_a_secret_may_begin_misses_none(text):
    for form in FORMS:
        searched = SearchedText(text)
        found = [each.span() for each in form.find(searched)]
        assert found == [each.span() for each in form.pattern.finditer(searched.text)]
