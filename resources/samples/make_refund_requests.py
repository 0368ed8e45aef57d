"""Writes the samples: invented refund requests in three languages, the same on every run.

The labels follow the guideline in the description of the type. A few are wrong on purpose: clear cases carry another
option, and requests stand there twice with different answers. The workbench is to find them.
"""
import json
import pathlib
import random

import refund_messages
import refund_messages_de
import refund_messages_fr

SHARES = {"damaged": 18, "faulty": 18, "wrong_item": 14, "changed_mind": 20, "not_delivered": 15, "dispute": 15}
ALWAYS_APPROVED = ("damaged", "faulty", "wrong_item")
# Labelled and unlabelled requests, wrong labels and contradictions.
WHOLE, TWIN = (600, 60, 6, 3), (180, 20, 2, 1)


def write_message(rng, words, kind, goods, item, opened):
    cores = words.CORES[kind]["any"] + words.CORES[kind].get(goods, [])
    parts = [rng.choice(cores).format(item=item)]
    if kind == "changed_mind" and rng.random() < 0.6:
        parts.append(rng.choice(words.USED if opened else words.SEALED))
    elif rng.random() < 0.7:
        parts.append(rng.choice(words.DETAILS[kind]))
    if rng.random() < 0.35:
        parts.append(rng.choice(words.CLOSINGS))
    if rng.random() < 0.3:
        opening = rng.choice(words.OPENINGS)
        parts = [opening, continue_sentence(parts[0]) if opening.endswith(",") else parts[0], *parts[1:]]
    return " ".join(parts)


def continue_sentence(text):
    """The text as it stands after a comma: without its capital, unless its first word is I."""
    return text if text.startswith("I ") else text[0].lower() + text[1:]


def make_request(rng, words):
    kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
    goods = rng.choice(list(words.ARTICLES))
    item, (lowest, highest) = rng.choice(list(words.ARTICLES[goods].items()))
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
        "message": write_message(rng, words, kind, goods, item, opened),
    }


def decide(words, kind, given):
    """The guideline as a program: the right option of a request, and its reason codes."""
    if given["amount"] > 1000:
        return "review", ["HIGH_VALUE"]
    if given["customer"]["previous_refunds"] >= 6:
        return "deny", ["FREQUENT_REFUNDS"]
    if any(word in given["message"].lower() for word in words.DISPUTE_WORDS):
        return "review", ["DISPUTE"]
    if given["days_since_purchase"] > 60:
        return "deny", ["LATE_REQUEST"]
    if kind in ("not_delivered", "dispute"):
        return "review", ["NOT_DELIVERED" if kind == "not_delivered" else "DISPUTE"]
    if kind in ALWAYS_APPROVED:
        return "approve", [{"damaged": "DAMAGED_ITEM", "faulty": "FAULTY_ITEM", "wrong_item": "WRONG_ITEM"}[kind]]
    return "deny", ["CHANGED_MIND"]


def make_examples(rng, words, counts):
    labelled_count, unlabelled_count, mislabelled, contradicted = counts
    requests, messages = [], set()
    while len(requests) < labelled_count + unlabelled_count:
        kind, given = make_request(rng, words)
        if given["message"] not in messages:
            messages.add(given["message"])
            requests.append((kind, given))
    examples = [
        dict(zip(("decision", "reason_codes"), decide(words, kind, given)), input=given) for kind, given in requests
    ]
    labelled, unlabelled = examples[:labelled_count], examples[labelled_count:]
    clear = [
        index
        for index, (kind, given) in enumerate(requests[:labelled_count])
        if index > 20 and kind in ALWAYS_APPROVED and examples[index]["decision"] == "approve" and given["days_since_purchase"] < 20
    ]
    chosen = rng.sample(clear, mislabelled + contradicted)
    for index in chosen[:mislabelled]:
        labelled[index] |= {"decision": "deny", "reason_codes": []}
    copies = [{"input": labelled[index]["input"], "decision": "review", "reason_codes": []} for index in chosen[mislabelled:]]
    labelled[100:100] = copies
    # The page shows the last one first: it is to be a clear case of the first labelled ones.
    return [*({"input": each["input"], "decision": None, "reason_codes": []} for each in unlabelled), *reversed(labelled)]


def describe_sample(words):
    high, frequent, dispute = words.RULES
    review, deny = words.OPTIONS["review"], words.OPTIONS["deny"]
    return {
        "title": words.TITLE,
        "description": "Approve, deny or review refund requests of a web shop, from amount, customer and message. Invented data, with a few wrong labels to find.",
        "decision_type": {
            "name": words.NAME,
            "description": words.GUIDELINE,
            "options": list(words.OPTIONS.values()),
            "reason_codes": ["DAMAGED_ITEM", "FAULTY_ITEM", "WRONG_ITEM", "CHANGED_MIND", "LATE_REQUEST", "NOT_DELIVERED", "DISPUTE", "FREQUENT_REFUNDS", "HIGH_VALUE"],
            "hard_rules": [
                {"name": high, "condition": "ctx.amount > 1000", "then": review, "reason_code": "HIGH_VALUE", "priority": 1},
                {"name": frequent, "condition": "ctx.customer.previous_refunds >= 6", "then": deny, "reason_code": "FREQUENT_REFUNDS", "priority": 10},
                {"name": dispute, "condition": f"{json.dumps(words.DISPUTE_WORDS)}.exists(word, ctx.message.lowerAscii().contains(word))", "then": review, "reason_code": "DISPUTE", "priority": 20},
            ],
            "confidence_thresholds": {"auto_decide": 0.8, "escalation": 0.5},
            "fallback_option": review,
        },
    }


def write_sample(file, words, counts):
    examples = make_examples(random.Random(20260801), words, counts)
    lines = [
        json.dumps(
            {"input": each["input"], "decision": words.OPTIONS.get(each["decision"]), "reason_codes": each["reason_codes"]},
            ensure_ascii=False,
        )
        for each in examples
    ]
    head = json.dumps(describe_sample(words), indent=1, ensure_ascii=False).removesuffix("\n}")
    rows = ",\n  ".join(lines)
    text = f'{head},\n "examples": [\n  {rows}\n ]\n}}\n'
    pathlib.Path(__file__).with_name(file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_sample("refund-requests.json", refund_messages, WHOLE)
    write_sample("refund-requests-de.json", refund_messages_de, TWIN)
    write_sample("refund-requests-fr.json", refund_messages_fr, TWIN)
