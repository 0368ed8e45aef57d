"""Writes refund-requests.json: invented refund requests, the same on every run.

The labels follow the guideline in the description of the type. Twelve of them are wrong on purpose: eight clear cases
carry another option, and four requests stand there twice with different answers. The workbench is to find them.
"""
import json
import pathlib
import random

from refund_messages import ARTICLES, CLOSINGS, CORES, DETAILS, OPENINGS, SEALED, USED

GUIDELINE = """Decides what happens to a refund request of a web shop. Approve clear cases, deny those outside the terms, leave the rest to a person.

How to label:
- Deny every request that comes more than 60 days after the purchase.
- Review whatever was not delivered, and whatever mentions a bank, a lawyer, an authority or an injury.
- Approve goods that arrived damaged, broke soon or are not what was ordered.
- Deny customers who simply changed their mind: they may return the goods for a voucher.
- Before all of this: review amounts above 1,000, and deny customers who had six or more refunds."""
SHARES = {"damaged": 18, "faulty": 18, "wrong_item": 14, "changed_mind": 20, "not_delivered": 15, "dispute": 15}
ALWAYS_APPROVED = ("damaged", "faulty", "wrong_item")
LABELLED, UNLABELLED, MISLABELLED, CONTRADICTED = 600, 60, 6, 3


def write_message(rng, kind, goods, item, opened):
    cores = CORES[kind]["any"] + CORES[kind].get(goods, [])
    parts = [rng.choice(cores).format(item=item)]
    if kind == "changed_mind" and rng.random() < 0.6:
        parts.append(rng.choice(USED if opened else SEALED))
    elif rng.random() < 0.7:
        parts.append(rng.choice(DETAILS[kind]))
    if rng.random() < 0.35:
        parts.append(rng.choice(CLOSINGS))
    if rng.random() < 0.3:
        parts = [rng.choice(OPENINGS), continue_sentence(parts[0]), *parts[1:]]
    return " ".join(parts)


def continue_sentence(text):
    """The text as it stands after a comma: without its capital, unless its first word is I."""
    return text if text.startswith("I ") else text[0].lower() + text[1:]


def make_request(rng):
    kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
    goods = rng.choice(list(ARTICLES))
    item, (lowest, highest) = rng.choice(list(ARTICLES[goods].items()))
    count = 1 if rng.random() < 0.92 else rng.randint(2, 5)
    price = round(rng.triangular(lowest, highest, lowest), 1) - 0.05
    opened = kind != "not_delivered" and (kind != "changed_mind" or rng.random() < 0.6)
    late = kind != "dispute" and rng.random() < 0.14
    return kind, {
        "amount": round(price * count, 2),
        "category": goods,
        "channel": rng.choices(["web", "app", "phone"], [5, 4, 1])[0],
        "customer": {
            "tier": rng.choices(["basic", "plus", "premium"], [5, 3, 2])[0],
            "previous_refunds": rng.randint(6, 9) if rng.random() < 0.02 else min(3, int(rng.expovariate(0.75))),
        },
        "days_since_purchase": rng.randint(63, 160) if late else rng.randint(2, 48),
        "opened": opened,
        "photo_attached": rng.random() < (0.75 if kind in ("damaged", "faulty") else 0.1),
        "message": write_message(rng, kind, goods, item, opened),
    }


def decide(kind, given):
    """The guideline as a program: the right option of a request, and its reason codes."""
    if given["amount"] > 1000:
        return "review", ["HIGH_VALUE"]
    if given["customer"]["previous_refunds"] >= 6:
        return "deny", ["FREQUENT_REFUNDS"]
    if "lawyer" in given["message"] or "court" in given["message"] or "police" in given["message"]:
        return "review", ["DISPUTE"]
    if given["days_since_purchase"] > 60:
        return "deny", ["LATE_REQUEST"]
    if kind in ("not_delivered", "dispute"):
        return "review", ["NOT_DELIVERED" if kind == "not_delivered" else "DISPUTE"]
    if kind in ALWAYS_APPROVED:
        return "approve", [{"damaged": "DAMAGED_ITEM", "faulty": "FAULTY_ITEM", "wrong_item": "WRONG_ITEM"}[kind]]
    return "deny", ["CHANGED_MIND"]


def make_examples(rng):
    requests, messages = [], set()
    while len(requests) < LABELLED + UNLABELLED:
        kind, given = make_request(rng)
        if given["message"] not in messages:
            messages.add(given["message"])
            requests.append((kind, given))
    examples = [dict(zip(("decision", "reason_codes"), decide(kind, given)), input=given) for kind, given in requests]
    labelled, unlabelled = examples[:LABELLED], examples[LABELLED:]
    clear = [
        index
        for index, (kind, given) in enumerate(requests[:LABELLED])
        if index > 20 and kind in ALWAYS_APPROVED and examples[index]["decision"] == "approve" and given["days_since_purchase"] < 20
    ]
    chosen = rng.sample(clear, MISLABELLED + CONTRADICTED)
    for index in chosen[:MISLABELLED]:
        labelled[index] |= {"decision": "deny", "reason_codes": []}
    copies = [{"input": labelled[index]["input"], "decision": "review", "reason_codes": []} for index in chosen[MISLABELLED:]]
    labelled[100:100] = copies
    # The page shows the last one first: it is to be a clear case of the first labelled ones.
    return [*({"input": each["input"], "decision": None, "reason_codes": []} for each in unlabelled), *reversed(labelled)]


SAMPLE = {
    "title": "Refund requests",
    "description": "Approve, deny or review refund requests of a web shop, from amount, customer and message. Invented data, with a few wrong labels to find.",
    "decision_type": {
        "name": "refund-requests",
        "description": GUIDELINE,
        "options": ["approve", "deny", "review"],
        "reason_codes": ["DAMAGED_ITEM", "FAULTY_ITEM", "WRONG_ITEM", "CHANGED_MIND", "LATE_REQUEST", "NOT_DELIVERED", "DISPUTE", "FREQUENT_REFUNDS", "HIGH_VALUE"],
        "hard_rules": [
            {"name": "Very high amounts go to a person", "condition": "ctx.amount > 1000", "then": "review", "reason_code": "HIGH_VALUE", "priority": 1},
            {"name": "Many refunds already", "condition": "ctx.customer.previous_refunds >= 6", "then": "deny", "reason_code": "FREQUENT_REFUNDS", "priority": 10},
            {"name": "A lawyer or a court is mentioned", "condition": '["lawyer", "court", "police"].exists(word, ctx.message.lowerAscii().contains(word))', "then": "review", "reason_code": "DISPUTE", "priority": 20},
        ],
        "confidence_thresholds": {"auto_decide": 0.8, "escalation": 0.5},
        "fallback_option": "review",
    },
}


def write_sample(path):
    examples = make_examples(random.Random(20260801))
    lines = ",\n  ".join(json.dumps({"input": each["input"], "decision": each["decision"], "reason_codes": each["reason_codes"]}) for each in examples)
    head = json.dumps(SAMPLE, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "examples": [\n  {lines}\n ]\n}}\n')


if __name__ == "__main__":
    write_sample(pathlib.Path(__file__).with_name("refund-requests.json"))
