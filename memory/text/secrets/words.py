"""Words beside which secrets stand, in the languages that people write to Parley in."""

from __future__ import annotations

KEY_NAMES = (
    r"authorization[:=]\s?(?:basic|token)|(?:account|shared ?access|licen[cs]e|product|activation)[ _-]?key|"
    r"session[ _-]?(?:id|token|key)|(?:php|j)sessid|"
    r"(?:api|access|secret|private|client|auth|aws)[ _-]?(?:access[ _-]?)?(?:key|token|secret)|bearer|"
    r"api-schlüssel|clé (?:d'|d’)?api|clave (?:de )?api|chave (?:de )?api|chiave api|ключ api|api[- ]?ключ"
)
KEY_BEGINS = (
    "authorization account shared license licence product activation session phpsessid jsessid"
    " api access secret private client auth aws bearer clé clave chave chiave ключ"
)
TOKEN_NAMES = "token|secret|jeton|токен|令牌|トークン|토큰"  # noqa: S105 - names of tokens
TOKEN_BEGINS = "token secret jeton токен 令牌 トークン 토큰"  # noqa: S105 - as above
SAID_NAMES = (
    "password|passwd|pwd|passcode|passphrase|pass code|pin|pin code|pin-code|passwort|kennwort|wachtwoord|"
    "mot de passe|code pin|contraseña|clave|senha|palavra-passe|parola d'ordine|parola|пароль|пин-код|пин|"
    "hasło|heslo|lösenord(?:et)?|adgangskoden?|passord(?:et)?|salasana(?:ni)?|şifrem?|jelszó|mật khẩu"
    "|kata sandi|κωδικός|κωδικό|كلمة المرور|كلمة السر|رمز عبور|رمز المرور|पासवर्ड|הסיסמה|סיסמה"
    "|(?:recovery|backup|verification|security|access|entry|one-time|door|gate|alarm|safe|lock|locker) code"
    "|otp|(?:safe|lock|locker) combination"
    r"|รหัสผ่าน|cvv2?|cvc2?|(?:pw|pass)(?=\s{0,3}[:=：])"
)
SAID_BEGINS = (
    "pass", "pwd", "pw", "pin", "kennwort", "wachtwoord", "mot de passe", "code pin", "contraseña", "clave",
    "senha", "palavra", "parola", "пароль", "пин", "hasło", "heslo", "lösenord", "adgangskode", "salasana",
    "şifre", "jelszó", "mật khẩu", "kata sandi",
    "κωδικό", "كلمة", "رمز", "पासवर्ड", "הסיסמה", "סיסמה", "รหัสผ่าน",
    "cvv", "cvc", "recovery code", "backup code", "verification code", "security code", "one-time code",
    "access code", "entry code", "safe co", "lock co", "locker co", "door code", "gate code", "alarm code",
    "otp",
)  # fmt: skip
HAN_NAMES = "密码 密碼 口令 验证码 驗證碼 安全码 PIN码 pin码 パスワード 暗証番号 비밀번호 암호 패스워드"
_OF_WORDS = """
    for of to at on in für fürs vom zum von beim pour du de del para do da per della для от van voor
"""
OF = frozenset(_OF_WORDS.split())
"""How "The password of the router is ..." goes on, but not "the password manager is ..."."""
_SAID_OF_ONE_WORDS = """
    weak strong wrong right correct incorrect invalid expired required secret safe unsafe secure short
    long needed forgotten lost unknown known same different new old missing mandatory optional empty bad
    good fine stored saved encrypted hashed set there here working broken compromised leaked private
    protected done falsch richtig schwach stark sicher abgelaufen vergessen geheim neu alt weg nötig faible
    fort faux expiré oublié secret nouveau incorrecta incorrecto débil segura seguro nueva olvidada
    fraca forte errada nova segura sbagliata debole sicura scaduta неверный слабый забыт новый секрет
"""
SAID_OF_ONE = frozenset(_SAID_OF_ONE_WORDS.split())
"""What is said of passwords, and is none."""
NUMBER_NAMES = (
    r"ssn|social security(?: number)?|national insurance(?: number)?|nino|aadhaar|aadhar|pesel|bsn|"
    r"(?:passport|driver'?s?'? licen[cs]e|driving licen[cs]e|tax id|taxpayer id|national id|identity card)"
    r"(?: number| no\.?)|personnummer|steuer-id|steueridentifikationsnummer|sozialversicherungsnummer|"
    r"reisepassnummer|personalausweisnummer|dni|nie|curp|cpf|codice fiscale|"
    r"numéro de sécurité sociale|numéro de passeport|número de pasaporte|снилс|инн|паспорт|номер паспорта|"
    r"tc kimlik|身份证号码?|身份证|身分證字號|护照号码?|護照號碼?|"
    r"マイナンバー|パスポート番号|주민등록번호|여권번호"
)
NUMBER_BEGINS = (
    "ssn", "social security", "national in", "national id", "nino", "aadhaar", "aadhar", "pesel", "bsn",
    "passport", "driver", "driving", "tax", "identity card", "personn", "steuer", "sozialv", "reisepass",
    "personala", "dni", "nie", "curp", "cpf", "codice fiscale", "numéro de", "número de", "снилс", "инн",
    "паспорт", "номер паспорта", "tc kimlik", "身份证", "身分證", "护照", "護照", "マイナンバー",
    "パスポート番号", "주민등록번호", "여권번호",
)  # fmt: skip
