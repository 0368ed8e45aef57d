"""Writes refund-requests.json: invented refund requests, the same on every run."""
import json
import pathlib
import random

rng = random.Random(20260801)
REASONS = {
    "damaged": ["arrived with a cracked screen", "box was crushed and the lid is broken", "one leg is bent and it wobbles", "came with a deep scratch across the front"],
    "not_received": ["tracking says delivered but nothing came", "still waiting, the parcel never turned up", "driver left it somewhere, it is not here", "no parcel after three weeks"],
    "changed_mind": ["I found a cheaper one elsewhere", "it does not fit my living room after all", "ordered the wrong colour by mistake", "do not need it any more"],
    "quality": ["stopped charging after two days", "the seam came apart on first use", "it makes a loud noise when switched on", "colour faded after one wash"],
}
OPENINGS = ["Hello,", "Hi there,", "Good morning,", "Dear team,", ""]
CLOSINGS = ["please refund me.", "I would like my money back.", "what can you do about it?", "thank you for a quick answer.", "can this be sorted out this week?"]
TARGET = {"approve": 60, "review": 55, "deny": 55}


def request():
    kind = rng.choice(list(REASONS))
    amount = round(min(1200, max(5, rng.lognormvariate(4, 0.9))), 2)
    tier = rng.choices(["basic", "plus", "premium"], [5, 3, 2])[0]
    days = rng.randint(1, 75)
    previous = min(9, int(rng.expovariate(0.8)))
    opened = rng.random() < (0.8 if kind == "quality" else 0.4)
    message = " ".join(part for part in [rng.choice(OPENINGS), rng.choice(REASONS[kind]) + ",", rng.choice(CLOSINGS)] if part)
    given = {
        "amount": amount,
        "customer": {"tier": tier, "previous_refunds": previous},
        "days_since_purchase": days,
        "opened": opened,
        "photo_attached": rng.random() < 0.6,
        "message": message,
    }
    return kind, given


def label(kind, given):
    tier, previous = given["customer"]["tier"], given["customer"]["previous_refunds"]
    score, codes = 0.0, []
    if kind == "damaged":
        score += 1.6
        codes.append("DAMAGED_ITEM")
    if kind == "not_received":
        score += 0.9
        codes.append("NOT_DELIVERED")
    if kind == "quality":
        score += 0.7
        codes.append("FAULTY_ITEM")
    if kind == "changed_mind":
        score -= 0.8
        if given["opened"]:
            score -= 1.0
            codes.append("OPENED_ITEM")
    if given["days_since_purchase"] > 30:
        score -= 1.5
        codes.append("LATE_REQUEST")
    if previous >= 3:
        score -= 1.2
        codes.append("FREQUENT_REFUNDS")
    if given["amount"] > 250:
        score -= 0.6
        codes.append("HIGH_VALUE")
    if tier == "premium":
        score += 0.7
    if kind in ("damaged", "quality") and given["photo_attached"]:
        score += 0.5
    score += rng.gauss(0, 0.25)
    decision = "approve" if score > 0.8 else "deny" if score < -0.6 else "review"
    return decision, codes[:3]


counts = dict.fromkeys(TARGET, 0)
examples = []
while any(counts[option] < TARGET[option] for option in TARGET):
    kind, given = request()
    decision, codes = label(kind, given)
    if counts[decision] >= TARGET[decision]:
        continue
    counts[decision] += 1
    examples.append({"input": given, "decision": decision, "reason_codes": codes})

sample = {
    "title": "Refund requests",
    "description": "Approve, deny or review refund requests of a web shop, from amount, customer and message. Invented data.",
    "decision_type": {
        "name": "refund-requests",
        "description": "Decides what happens to a refund request. Approve clear cases, deny those outside the terms, leave the rest to a person.",
        "options": ["approve", "deny", "review"],
        "reason_codes": ["DAMAGED_ITEM", "NOT_DELIVERED", "FAULTY_ITEM", "OPENED_ITEM", "LATE_REQUEST", "FREQUENT_REFUNDS", "HIGH_VALUE", "SMALL_AMOUNT"],
        "hard_rules": [
            {"name": "Very high amounts go to a person", "condition": "ctx.amount > 1000", "then": "review", "reason_code": "HIGH_VALUE", "priority": 1},
            {"name": "Premium small amounts", "condition": 'ctx.customer.tier == "premium" && ctx.amount < 20 && ctx.customer.previous_refunds < 3', "then": "approve", "reason_code": "SMALL_AMOUNT", "priority": 10},
            {"name": "Too many refunds already", "condition": "ctx.customer.previous_refunds >= 8", "then": "deny", "reason_code": "FREQUENT_REFUNDS", "priority": 20},
        ],
        "confidence_thresholds": {"auto_decide": 0.8, "escalation": 0.5},
        "fallback_option": "review",
    },
    "examples": examples,
}
pathlib.Path(__file__).with_name("refund-requests.json").write_text(json.dumps(sample, indent=1) + "\n")
