"""Version, bounds and tables that this package shares with the workbench. Made by `npm run docs`: do not edit."""

from __future__ import annotations

VERSION = "0.4.0"
NEWEST_READER = "0.4.0"

MAX_BUNDLE_ENTRIES = 32
MAX_UNPACKED_BYTES = 268_435_456
MAX_PLAIN_BYTES = 67_108_864
MAX_JSON_SEPARATORS = 400_000
MAX_JSON_DEPTH = 64
MAX_GOLDEN_LINES = 1_000
MAX_CONDITION_LENGTH = 4_096
MAX_INPUT_KEYS = 2_000
MAX_INPUT_DEPTH = 32
MAX_NAME_LENGTH = 200
MAX_TEXT_CHARACTERS = 20_000
MAX_MARKUP_CHARACTERS = 250_000
MAX_RULES = 200
MAX_ADAPTER_RANK = 64
MAX_TREE_DEPTH = 24
MAX_TREE_NODES = 2_000
MAX_COMPREHENSION_DEPTH = 2
MAX_COMPREHENSION_ELEMENTS = 1_000
MAX_STEPS = 100_000
MAX_STEPS_TOGETHER = 400_000
MAX_STRING_LENGTH = 262_144
MAX_LIST_LENGTH = 10_000
MAX_NUMBER_DIGITS = 15
MAX_NUMBER_LENGTH = 40
MAX_DATE_LENGTH = 80
MAX_WORD_LENGTH = 60
USUAL_LAST_YEAR = 2_068
MAX_WORD_CODE_POINTS = 64

MACROS = ("all", "exists", "exists_one", "map", "filter")
HTML_BLOCKS = (
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
    "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
)
HTML_INLINE = (
    "a", "abbr", "acronym", "audio", "b", "base", "bdi", "bdo", "big", "button", "caption", "cite", "code", "col",
    "colgroup", "del", "dfn", "em", "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "link", "mark",
    "meta", "noscript", "object", "option", "picture", "q", "s", "samp", "select", "small", "source", "span", "strike",
    "strong", "sub", "sup", "svg", "td", "textarea", "th", "tt", "u", "var", "video", "wbr",
)
HTML_HIDDEN = ("script", "style", "title")
HTML_TELLTALES = ("body", "br", "div", "html", "li", "p", "table", "td", "tr", "ul")
ARITIES = {
    "size": (1, 1), "contains": (2, 2), "startsWith": (2, 2), "endsWith": (2, 2), "matches": (2, 2), "foldCase": (1, 1),
    "lowerAscii": (1, 1), "upperAscii": (1, 1), "trim": (1, 1), "charAt": (2, 2), "indexOf": (2, 3),
    "lastIndexOf": (2, 3), "substring": (2, 3), "replace": (3, 4), "split": (2, 3), "join": (1, 2), "int": (1, 1),
    "double": (1, 1), "string": (1, 1), "bool": (1, 1), "type": (1, 1), "abs": (1, 1), "ceil": (1, 1), "floor": (1, 1),
    "round": (1, 1), "min": (1, 32), "max": (1, 32), "timestamp": (1, 1), "duration": (1, 1), "getFullYear": (1, 2),
    "getMonth": (1, 2), "getDate": (1, 2), "getDayOfMonth": (1, 2), "getDayOfWeek": (1, 2), "getDayOfYear": (1, 2),
    "getHours": (1, 2), "getMinutes": (1, 2), "getSeconds": (1, 2), "getMilliseconds": (1, 2),
}
"""Fewest and most arguments of each function, the receiver counted."""

MAX_ENTRY_BYTES = {
    "manifest.json": 1_048_576,
    "manifest.sha256": 1_048_576,
    "rules.json": 8_388_608,
    "features.json": 8_388_608,
    "classifier.onnx": 33_554_432,
    "reasons.json": 1_048_576,
    "reasons.onnx": 33_554_432,
    "familiarity.json": 8_388_608,
    "input_schema.json": 1_048_576,
    "golden.jsonl": 33_554_432,
    "model-card.md": 1_048_576,
    "LICENSES": 1_048_576,
    "text/adapters.bin": 4_194_304,
    "text/tokenizer.json": 16_777_216,
    "text/encoder.onnx": 201_326_592,
}
"""Every name that a bundle may hold, with the bytes that it may have unpacked."""

FORMATS = {
    "date": (r"^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)\Z", False),
    "time": (r"^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)\Z", True),
    "date-time": (r"^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)t([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)\Z", True),
    "iso-time": (r"^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?\Z", True),
    "iso-date-time": (r"^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)[t\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?\Z", True),
    "duration": (r"^P(?!\Z)((\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?|(\d+W)?)\Z", False),
    "uri": (r"^(?:[a-z][a-z0-9+\-.]*:)(?:/?/)?[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*\Z", True),
    "uri-reference": (r"^(?:(?:[a-z][a-z0-9+\-.]*:)?/?/)?(?:[^\\\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff#][^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff#]*)?(?:#[^\\\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*)?\Z", True),
    "uri-template": (r"""^(?:(?:[^\x00-\x20"'<>%\\^`{|}]|%[0-9a-f]{2})|\{[+#./;?&=,!@|]?(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?(?:,(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?)*\})*\Z""", True),
    "url": (r"^(?:https?|ftp)://(?:[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+(?::[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*)?@)?(?:(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))|(?:(?:[a-z0-9\u00a1-\uffff]+-)*[a-z0-9\u00a1-\uffff]+)(?:\.(?:[a-z0-9\u00a1-\uffff]+-)*[a-z0-9\u00a1-\uffff]+)*(?:\.(?:[a-z\u00a1-\uffff]{2,})))(?::\d{2,5})?(?:/[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*)?\Z", True),
    "email": (r"^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\Z", True),
    "hostname": (r"^(?=.{1,253}\.?\Z)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-0-9a-z]{0,61}[0-9a-z])?)*\.?\Z", True),
    "ipv4": (r"^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\Z", False),
    "ipv6": (r"^((([0-9a-f]{1,4}:){7}([0-9a-f]{1,4}|:))|(([0-9a-f]{1,4}:){6}(:[0-9a-f]{1,4}|((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|:))|(([0-9a-f]{1,4}:){5}(((:[0-9a-f]{1,4}){1,2})|:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|:))|(([0-9a-f]{1,4}:){4}(((:[0-9a-f]{1,4}){1,3})|((:[0-9a-f]{1,4})?:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){3}(((:[0-9a-f]{1,4}){1,4})|((:[0-9a-f]{1,4}){0,2}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){2}(((:[0-9a-f]{1,4}){1,5})|((:[0-9a-f]{1,4}){0,3}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(([0-9a-f]{1,4}:){1}(((:[0-9a-f]{1,4}){1,6})|((:[0-9a-f]{1,4}){0,4}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:))|(:(((:[0-9a-f]{1,4}){1,7})|((:[0-9a-f]{1,4}){0,5}:((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}))|:)))\Z", True),
    "uuid": (r"^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", True),
    "json-pointer": (r"^(?:/(?:[^~/]|~0|~1)*)*\Z", False),
    "json-pointer-uri-fragment": (r"^#(?:/(?:[a-z0-9_\-.!$&'()*+,;:=@]|%[0-9a-f]{2}|~0|~1)*)*\Z", True),
    "relative-json-pointer": (r"^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)\Z", False),
}
"""Formats of an input schema: what the whole string must match, and whether the case of letters is ignored."""

TIME_FORMATS = ("time", "date-time", "iso-time", "iso-date-time")
"""Those with a time of day: their groups are hour, minute, second, and sign, hours and minutes of the offset."""

LONE_RANGES = (
    (0x2e80, 0x2fdf), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303b), (0x3041, 0x3096), (0x309d, 0x309f),
    (0x30a1, 0x30fa), (0x30fd, 0x30ff), (0x31f0, 0x31ff), (0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xf900, 0xfaff),
    (0x1b000, 0x1b16f), (0x20000, 0x3ffff),
)
"""Code points that stand for a word each."""

KNOWN_CHARACTER_RUNS = (
    "oo 2 6 4 7 1 1 1 k 1 b1 1 12 2 1e 2 3 1 1j 8 r 4 6 b t 1 6o 1 1o 2 2t e 1n 2 1d 2 f 1 s 2 1 1 b 1h l 1 i b 4x "
    "1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 p 2 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 "
    "1 7 h a 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 4 2 c 7 7 1 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 7 3 4 2 "
    "1 5 2 i a 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e l 5 d 1 3 1 n 1 g 3 8 1 3 1 4 7 2 1 3 5 "
    "4 2 a 7 m 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 7 1 1 4 2 a 1 2 d d 1 3 1 1f 1 3 1 6 4 g 2 q 1 3 1 i 3 o 1 9 1 1 2 7 "
    "3 1 4 6 1 1 1 8 6 a 2 3 c 1m 4 t 11 2 1 1 1 5 1 o 1 1 1 n 2 5 1 1 1 6 2 a 2 4 w 20 1 10 4 13 1 10 1 f 1 d 11 "
    "5i 1 1 5 1 2 ah 1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 w 3 q 6 2e 2 6 2 il 3 2h 7 d "
    "1 7 b n 9 k c d 1 3 1 2 c 2m 2 a 6 a 6 f 1 a 6 2h 7 17 5 1y a v 1 c 4 c 4 1 3 16 2 5 b 18 4 q 6 b 3 1q 2 1t 1 "
    "t 2 b 6 a 6 e 2 h 1r 24 4 19 3 38 8 1o 3 f 3 1o 7 17 2 b 8 17 5 6y 1 7v 2 6 2 12 2 6 2 8 1 1 1 1 1 1 1 v 2 1h "
    "1 f 1 e 2 6 1 j 2 3 1 9 1 2t 1 c 2 r 1 d 3 w g x f 3w 4 if p b l 1ec 2 w 1 48 1 1b 1 44 5 19 1 1 5 1 2 1k 7 2 "
    "e o 9 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 1 37 19 q 1 2h c 5y q c 4 1s 1 2e 2 2v 5 17 1 2m 1 2c c 1b 1 lp9 3 wd 3 1j "
    "9 9o k 54 8 5c 2 9 16 1k 3 a 6 1k 8 1y 8 c 6 38 b u 3 26 1 b 4 x 1 1j 9 e 2 a 2 2v o s a 6 2 6 2 6 9 7 1 7 1 "
    "1o 4 3i 2 a 6 8mc c n 4 1d 4 6su 2 2y 12 7 c 5 5 q 1 5 1 1 1 2 1 2 1 3g h a5 g 1s 2 1i 14 e 2 q 6 1f 1 j 1 4 4 "
    "5 1 3r 2 1 1 5a 3 6 2 6 2 6 2 3 3 7 1 7 a 5 2 c 1 q 1 j 1 2 1 f 2 e y 3f 5 3 4 19 3 2g 1 d 3 1 1b 1a 3m t 3 1d "
    "f s 4 10 9 u 5 17 5 u 1 11 4 e 16 4e 2 a 6 10 4 10 4 14 8 1g b 1 40 8n 9 m a 8 48 6 2 1 1 18 1 2 3 1 2 n 1 20 "
    "8 9 1c j 1 2 5 x 3 r 5 1 1s 1k 4 k 2 1e 1 2 5 8 1 3 1 t 2 3 4 a 7 9 7 1s w 13 4 c 9 1i 3 t 2 r 5 q 7 4 c 7 28 "
    "21 1j 1f d 1f 7 1a 8 a 86 v 1 16 1 3 2 2 26 14 8 16 2e s k n 9 26 4 u f 1v b 1 2 p 7 a 6 1h 1 i 8 13 9 2o 1 k "
    "b i 1 18 1t 7 1 1 1 4 1 f 1 b 6 1n 5 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 1 a 2 2 2 3 2 1 6 1 5 7 2 7 3 5 3v 2k 1 5 u "
    "20 8 a 4m 1i 2 12 y 1x b a 6 d j 1l 7 a 1i r 2 f 4 g 5c 1o 2s 2b c 8 2 1 2 8 1 2 1 u 1 2 2 c 9 a 1y 8 2 1a 2 b "
    "r 20 8 2b t 1l 7b 9 1 19 1 e a t 3 w 2 m 1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a 6 6 1 2 1 11 1 2 1 6 7 a 8m p 53 1 "
    "f 1e d pn 2u 33 1 5 b 5g 24c tr 1 9 347 g7 6nt ft 7 v 1 a 4 2 2o u 2 6 a 1y a a 1 7 1 l 5 j j4 2j 2t 23 4 1l 7 "
    "h 1s 5 b 2 e 4qg 8 ye 16 9 6wn 7z 1d 3 h 4 8 b0 1s4 2z 5 d 3 9 7 a 2 8 3to 6u a 13 2 5c n 1y 4a k c 2f 9 p 3r "
    "2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 84 2 ji f 5 1 f 11s 7 1 h 2 7 "
    "1 2 1 5 5x 19 3 e 2 a 4 2 a8 1m 5 1 zk 5h 2 g 15 24 4 a 4 2 lt 1w 24 1p 5e 4 1 r 1 2 1 1 2 1 1 a 1 4 1 1 1 1 6 "
    "1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 h 1g 2 7i 18 4 2s "
    "c f 2 f 1 f 1 11 a 4u 1k t d 18 4 9 7 2 e 6 4a rc 8 d 3 d 3 38 c 2h 7 c k c 4 1k 8 a 6 14 8 u 2 2 26 3d 1 2a 1 "
    "3r c e 2 5 3 3 5 7 9 p 7 7 9 3 d 7 15 43 1 1j 11 a sm wym y 379 b 66 2 4g2 e 5rl 2e7 f2 15u 3t7 fcfq 1 u 2o 3k "
    "6o 1e6o 1eke 2 1eke 2"
)
"""Characters that every runtime knows, and the gaps between them: lengths in turn, in base 36."""

NUMBER_PATTERNS = {
    "plain": r"^-?(?:0|[1-9]\d{0,14})\Z",
    "bracketed": r"^((?:US|CA|AU|NZ|HK|NT|MX|R|A|C|S)?\$(?:US|CA|AU)?|[€£¥₹₩₽₺₫฿₪₦₱₴]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|CAD|AUD|NZD|SGD|HKD|TWD|INR|CNY|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|AED|SAR|Fr\.|kr\.?|zł|Kč|Ft|lei|Rs\.?|Rp\.?|%|) ?\( ?([^()+-]+?) ?\) ?((?:US|CA|AU|NZ|HK|NT|MX|R|A|C|S)?\$(?:US|CA|AU)?|[€£¥₹₩₽₺₫฿₪₦₱₴]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|CAD|AUD|NZD|SGD|HKD|TWD|INR|CNY|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|AED|SAR|Fr\.|kr\.?|zł|Kč|Ft|lei|Rs\.?|Rp\.?|%|)\Z",
    "signed": r"^([+-]?) ?((?:US|CA|AU|NZ|HK|NT|MX|R|A|C|S)?\$(?:US|CA|AU)?|[€£¥₹₩₽₺₫฿₪₦₱₴]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|CAD|AUD|NZD|SGD|HKD|TWD|INR|CNY|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|AED|SAR|Fr\.|kr\.?|zł|Kč|Ft|lei|Rs\.?|Rp\.?|%|) ?([+-]?)([.,]?\d(?:[\d.,'’ ]*\d)?(?:[eE][+-]?\d+)?)(-?) ?((?:US|CA|AU|NZ|HK|NT|MX|R|A|C|S)?\$(?:US|CA|AU)?|[€£¥₹₩₽₺₫฿₪₦₱₴]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|CAD|AUD|NZD|SGD|HKD|TWD|INR|CNY|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|AED|SAR|Fr\.|kr\.?|zł|Kč|Ft|lei|Rs\.?|Rp\.?|%|)(-?)\Z",
    "point": r"^(?:[1-9]\d{0,2}([, '’])\d{3}(?:\1\d{3})*|[1-9]\d?(?:,\d{2})+,\d{3}|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?\Z",
    "comma": r"^(?:[1-9]\d{0,2}([. '’])\d{3}(?:\1\d{3})*|\d+)?(?:,\d+)?(?:[eE][+-]?\d+)?\Z",
    "zeroFirst": r"^0\d",
    "telephone": r"^\+\d{10,}\Z",
}
"""How numbers are written by people; their parts are the groups."""

DATE_PATTERNS = {
    "weekday": r"^(?:mo(?:n|nday|ntag)?|tu(?:e|es|esday)?|di(?:enstag)?|we(?:d|dnesday)?|mi(?:ttwoch|e|ercoles)?|th(?:u|ur|urs|ursday)?|do(?:nnerstag|m|mingo|menica)?|fr(?:i|iday|eitag)?|sa(?:t|turday|mstag|medi|b|bado|bato)?|su(?:n|nday)?|so(?:nntag)?|sonnabend|lun(?:di|es|edi)?|mar(?:di|tes|tedi)|mer(?:credi|coledi)?|jeu(?:di)?|jue(?:ves)?|gio(?:vedi)?|ven(?:dredi|erdi)?|vie(?:rnes)?|dim(?:anche)?)\.?,? +",
    "time": r"(?:,? +(?:at |um |a )?|t|:)(\d{1,2})(?: ?[:h] ?|\.)(\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?| uhr)?(?: ?(z|(?:utc|gmt)?[+-]\d{2}(?::?\d{2})?|[a-z][a-z_/]{2,30}))?(?: [a-z]{3,5})?(?: \([^()]*\))?(?: (\d{4})(?: [+-]\d{4})?)?\Z",
    "stamp": r"^((?:19|20)\d{2})(\d{2})(\d{2})(?:[t ]?(\d{2})(\d{2})(\d{2})?(z?))?\Z",
    "numeric": r"^(\d{1,4})( ?[./-] ?| )(\d{1,2})\2(\d{1,4})\.?\Z",
    "nameBetween": r"^(\d{1,4})(?:st|nd|rd|th|er|º|°)?\.?[ /-]*(?:de |of )?([a-z]+)\.?,?[ /-]*(?:del? )?(\d{1,4})\Z",
    "nameFirst": r"^([a-z]+)\.?[ /-]*(\d{1,2})(?:st|nd|rd|th)?,?[ /-]+(\d{2}|\d{4})\Z",
    "monthThenYear": r"^([a-z]+|\d{1,2})\.?(?: ?[./-] ?| (?:del? )?)((?:19|20)\d{2})\Z",
    "monthThenShortYear": r"^([a-z]+)\.?(?:-| ?['’])(\d{2})\Z",
    "yearThenMonth": r"^((?:19|20)\d{2})(?: ?[./-] ?| )([a-z]+|\d{1,2})\.?\Z",
}
"""How dates and times are written; texts are folded first."""

MONTHS = (
    r"^(?:jan(?:uary|uar|uari|v|vier|ner|eiro)?|ene(?:ro)?|gen(?:naio)?)\Z",
    r"^(?:feb(?:ruary|ruar|ruari|rero|braio)?|fevr?(?:ier|ereiro)?)\Z",
    r"^(?:mar(?:ch|z|s|zo|co)?|mrz|maart|mrt)\Z",
    r"^(?:apr(?:il|ile)?|avr(?:il)?|abr(?:il)?)\Z",
    r"^(?:may|mai|maj|mei|mayo|maio|mag(?:gio)?)\Z",
    r"^(?:june?|juni|juin|junio|junho|giu(?:gno)?)\Z",
    r"^(?:july?|juli|juil(?:let)?|julio|julho|lug(?:lio)?)\Z",
    r"^(?:aug(?:ust|usti|ustus)?|aout?|ago(?:sto)?)\Z",
    r"^(?:sept?(?:ember|embre|iembre)?|set(?:tembre|embro)?)\Z",
    r"^(?:oct(?:ober|obre|ubre)?|okt(?:ober)?|ott(?:obre)?|out(?:ubro)?)\Z",
    r"^nov(?:ember|embre|iembre|embro)?\Z",
    r"^(?:dec(?:ember|embre)?|dez(?:ember|embro)?|dic(?:embre|iembre)?)\Z",
)
MISSING_MARKS = (
    "", "n/a", "n.a.", "n. a.", "#n/a", "#nv", "#n/d", "(null)", "-", "--", "–", "—", "?", "k.a.", "k. a.",
    "keine angabe", "n.d.",
)
MISSING_WORDS = (
    "na", "null", "nan", "<na>", "<null>", ".", "00000000", "0000-00-00", "0000-00-00 00:00:00", "#div/0!", "#ref!",
    "#value!", "#name?", "#num!", "#null!",
)
YES_WORDS = ("true", "yes", "ja", "oui", "sí", "si", "sì", "wahr", "vrai", "verdadero", "vero", "y", "j")
NO_WORDS = ("false", "no", "nein", "non", "falsch", "faux", "falso", "n")
BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that JavaScript trims from the ends of a string."""
