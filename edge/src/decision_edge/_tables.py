"""Version, bounds and tables that this package shares with the workbench. Made by `npm run docs`: do not edit."""

from __future__ import annotations

VERSION = "0.3.0"

MAX_BUNDLE_ENTRIES = 32
MAX_UNPACKED_BYTES = 268_435_456
MAX_PLAIN_BYTES = 67_108_864
MAX_JSON_SEPARATORS = 400_000
MAX_JSON_DEPTH = 64
MAX_GOLDEN_LINES = 1_000
MAX_REASON_CODES = 500
MAX_CONDITION_LENGTH = 4_096
MAX_OPTIONS = 200
MAX_INPUT_KEYS = 2_000
MAX_INPUT_DEPTH = 32
MAX_BATCH_SIZE = 50
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
MAX_READINGS_LENGTH = 100_000
MAX_NUMBER_DIGITS = 15
MAX_NUMBER_LENGTH = 40
MAX_DATE_LENGTH = 80
MAX_WORD_LENGTH = 60
LAST_OF_THIS_CENTURY = 68

OPERATORS = ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in")
MACROS = ("all", "exists", "exists_one", "map", "filter")
CLASSIFIER_KINDS = ("logistic", "trees", "blend")
FIELD_KINDS = (
    "number",
    "boolean",
    "category",
    "date",
    "numbers",
    "strings",
    "objects",
    "text",
    "conversation",
    "any",
)
HTML_BLOCKS = (
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "tr",
    "ul",
)
HTML_INLINE = (
    "a",
    "abbr",
    "acronym",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "big",
    "button",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "del",
    "dfn",
    "em",
    "font",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "link",
    "mark",
    "meta",
    "noscript",
    "object",
    "option",
    "picture",
    "q",
    "s",
    "samp",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "svg",
    "td",
    "textarea",
    "th",
    "tt",
    "u",
    "var",
    "video",
    "wbr",
)
HTML_HIDDEN = ("script", "style", "title")
HTML_TELLTALES = ("body", "br", "div", "html", "li", "p", "table", "td", "tr", "ul")
ARITIES = {
    "size": (1, 1),
    "contains": (2, 2),
    "startsWith": (2, 2),
    "endsWith": (2, 2),
    "matches": (2, 2),
    "foldCase": (1, 1),
    "lowerAscii": (1, 1),
    "upperAscii": (1, 1),
    "trim": (1, 1),
    "charAt": (2, 2),
    "indexOf": (2, 3),
    "lastIndexOf": (2, 3),
    "substring": (2, 3),
    "replace": (3, 4),
    "split": (2, 3),
    "join": (1, 2),
    "int": (1, 1),
    "double": (1, 1),
    "string": (1, 1),
    "bool": (1, 1),
    "type": (1, 1),
    "abs": (1, 1),
    "ceil": (1, 1),
    "floor": (1, 1),
    "round": (1, 1),
    "min": (1, 32),
    "max": (1, 32),
    "timestamp": (1, 1),
    "duration": (1, 1),
    "getFullYear": (1, 2),
    "getMonth": (1, 2),
    "getDate": (1, 2),
    "getDayOfMonth": (1, 2),
    "getDayOfWeek": (1, 2),
    "getDayOfYear": (1, 2),
    "getHours": (1, 2),
    "getMinutes": (1, 2),
    "getSeconds": (1, 2),
    "getMilliseconds": (1, 2),
}
"""Fewest and most arguments of each function, the receiver counted."""

ERRORS = {
    "bad_request": (400, False),
    "unauthorized": (401, False),
    "quota_exceeded": (402, False),
    "insufficient_credits": (402, False),
    "forbidden": (403, False),
    "not_found": (404, False),
    "decision_type_not_found": (404, False),
    "method_not_allowed": (405, False),
    "conflict": (409, False),
    "precondition_failed": (412, False),
    "payload_too_large": (413, False),
    "unsupported_media_type": (415, False),
    "validation_error": (422, False),
    "model_not_deployed": (428, False),
    "rate_limited": (429, True),
    "headers_too_large": (431, False),
    "internal_error": (500, True),
    "training_dispatch_failed": (503, True),
    "unavailable": (503, True),
}
"""Codes of refusals with their HTTP status, and whether asking again can help."""

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

DATE_TIME = r"^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|([+-](?:[01]\d|2[0-3]):[0-5]\d)))\Z"
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
    "",
    "n/a",
    "n.a.",
    "n. a.",
    "#n/a",
    "#nv",
    "#n/d",
    "(null)",
    "-",
    "--",
    "–",
    "—",
    "?",
    "k.a.",
    "k. a.",
    "keine angabe",
    "n.d.",
)
MISSING_WORDS = (
    "na",
    "null",
    "nan",
    "0000-00-00",
    "0000-00-00 00:00:00",
    "#div/0!",
    "#ref!",
    "#value!",
    "#name?",
    "#num!",
    "#null!",
)
YES_WORDS = (
    "true",
    "yes",
    "ja",
    "oui",
    "sí",
    "si",
    "sì",
    "wahr",
    "vrai",
    "verdadero",
    "vero",
    "y",
    "j",
)
NO_WORDS = (
    "false",
    "no",
    "nein",
    "non",
    "falsch",
    "faux",
    "falso",
    "n",
)
BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that JavaScript trims from the ends of a string."""
