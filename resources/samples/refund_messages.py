"""The sentences of the sample refund requests, written by hand, by kind of request and by kind of goods.

`{item}` is the name of the article. Each text of `CORES` is whole and says by itself what happened; `DETAILS` of the
same kind may follow it, and an opening and a closing may stand around both.
"""

ARTICLES = {
    "electronics": {
        "headset": (39, 240), "tablet": (160, 890), "speaker": (29, 320), "keyboard": (25, 180),
        "camera": (120, 1150), "phone": (140, 1090), "smart watch": (60, 420), "game controller": (25, 90),
    },
    "clothing": {
        "raincoat": (45, 230), "wool jumper": (30, 140), "denim jacket": (35, 150), "winter coat": (80, 420),
        "linen shirt": (20, 90), "cotton dress": (25, 130), "cardigan": (20, 95), "T-shirt": (9, 35),
    },
    "furniture": {
        "reading chair": (140, 950), "bookshelf": (60, 480), "bedside table": (40, 240), "coffee table": (70, 520),
        "shoe cabinet": (55, 290), "chest of drawers": (110, 640), "kitchen stool": (15, 120), "garden bench": (80, 460),
    },
    "travel": {
        "backpack": (30, 180), "tent": (70, 540), "suitcase": (55, 330), "sleeping bag": (30, 260),
        "sports bag": (18, 110), "cool bag": (15, 70), "saddle bag": (12, 90), "travel pillow": (8, 45),
    },
}

OPENINGS = [
    "Hello,", "Hi,", "Hi there,", "Good morning,", "Good afternoon,", "Dear team,", "Dear customer service,",
    "Hello everyone,",
]

CLOSINGS = [
    "Please refund the full amount.", "I would like my money back.", "Please let me know what happens next.",
    "Thank you for your help.", "How long will the refund take?", "Kind regards.", "Many thanks in advance.",
    "I paid by card, so please send it back there.", "Please answer by e-mail.", "Can you confirm that you received this?",
    "I look forward to hearing from you.", "Thanks, and have a good week.",
]

CORES = {
    "damaged": {
        "any": [
            "When I opened the parcel, the {item} was already damaged.",
            "The box was crushed on one side and the {item} inside was damaged with it.",
            "The {item} was delivered damaged, you can see it clearly in the light.",
            "The parcel was soaked when it came, and the {item} is stained by water.",
            "Somebody packed the {item} without any padding and it was damaged on the way.",
            "I unpacked the {item} ten minutes ago, and it is visibly damaged.",
            "The {item} must have been hit by something on its way to me.",
            "The packaging was torn open and the {item} has marks all over it.",
        ],
        "electronics": [
            "The {item} arrived broken.",
            "I found a dent in the {item} as soon as I unpacked it.",
            "My {item} came with a deep scratch right across the front.",
            "The {item} has a crack in its housing, straight out of the box.",
            "One of the buttons of the {item} had broken off when it arrived.",
            "There is a piece of plastic rattling inside the {item}, it must have been hit on the way.",
            "The charging cable of the {item} was cut through when I took it out of the box.",
        ],
        "clothing": [
            "There was a long tear in the {item} when I took it out of the bag.",
            "Whoever opened the parcel with a knife also cut into the {item}.",
            "The {item} arrived with a large oil stain on it.",
            "A seam was torn open when the {item} arrived.",
        ],
        "furniture": [
            "The {item} arrived in pieces.",
            "The courier must have dropped it: the {item} is broken at one corner.",
            "One edge of the {item} is chipped, and the splinters were still in the box.",
            "The {item} came with a crack that runs from one side to the other.",
            "Two corners of the {item} were smashed during the delivery.",
        ],
        "travel": [
            "The {item} was delivered with a hole in it.",
            "One side of the {item} was ripped open when it arrived.",
            "The {item} came out of the box with a torn seam.",
            "The {item} has a cut that must come from opening the carton with a knife.",
        ],
    },
    "faulty": {
        "any": [
            "The {item} broke on the second day of normal use.",
            "After one week the {item} began to fall apart.",
            "The {item} worked nicely at first, but since Tuesday it cannot be used any more.",
            "I have used the {item} three times and it is already defective.",
            "There is clearly a manufacturing fault in the {item}.",
            "The {item} does not do what it should, although I followed the instructions.",
            "The quality is poor: the {item} gave up within days.",
        ],
        "electronics": [
            "The {item} stopped working after two days.",
            "The {item} switches itself off after a minute.",
            "The {item} does not turn on any more, whatever charger I try.",
            "The {item} makes a loud buzzing noise as soon as it is switched on.",
            "The battery of the {item} is empty after half an hour.",
            "The {item} loses its connection every few minutes and has to be restarted.",
            "Since yesterday only half of the buttons of the {item} work.",
        ],
        "clothing": [
            "The seam of the {item} came apart on the first day I wore it.",
            "The colour of the {item} faded after one wash at thirty degrees.",
            "The {item} shrank by two sizes although I washed it by hand.",
            "The fabric of the {item} comes off in threads.",
            "After a single evening the {item} was full of little holes.",
            "The stitching of the {item} is loose in several places after a week.",
        ],
        "furniture": [
            "The surface of the {item} peels off although I only dusted it.",
            "The {item} wobbles, however often I tighten the screws.",
            "The glue of the {item} gave way after a few days.",
            "The colour of the {item} comes off on everything that touches it.",
            "One joint of the {item} split without any load on it.",
        ],
        "travel": [
            "The {item} came apart on the second trip.",
            "The {item} smells of chemicals so strongly that it cannot be used.",
            "A seam of the {item} opened when I packed it for the first time.",
            "The material of the {item} wore through after two weekends.",
            "The colour of the {item} ran in the first rain.",
        ],
    },
    "wrong_item": {
        "any": [
            "You sent me somebody else's order instead of the {item}.",
            "I ordered a {item}, but there was something completely different in the box.",
            "This is the wrong model: the label says {item}, but that is not what is inside.",
            "I received the {item} in the wrong colour, the order says blue and this one is green.",
            "The order was for a large {item} and you delivered the small one.",
            "The wrong article came, I never ordered this {item}.",
            "The number on the box does not match the {item} on my invoice.",
            "I have got another customer's {item}, with their delivery note in it.",
            "The {item} in the parcel is not the version that I chose on your page.",
            "Your warehouse mixed up two orders and I received the wrong {item}.",
            "According to the invoice I bought a {item}, according to the box you sent me garden gloves.",
            "The size on the order confirmation is right, the {item} that came is a different size.",
            "Instead of one {item} I received a phone case that I have no use for.",
            "The picture on your page shows another {item} than the one you delivered.",
        ],
    },
    "changed_mind": {
        "any": [
            "I have changed my mind about the {item}.",
            "I found the same {item} cheaper in another shop.",
            "I do not need the {item} any more.",
            "I bought the {item} on a whim and regret it now.",
            "My partner had already bought a {item}, so now we have two.",
            "I was given a {item} for my birthday, so this one is superfluous.",
            "The {item} was meant as a present, but she would rather have something else.",
            "I ordered the {item} too quickly, it is not really what I want.",
            "Looking at my budget, I should not have bought the {item}.",
            "I simply do not like the {item} as much as I had hoped.",
            "We are moving abroad and cannot take the {item} with us.",
            "I decided on another brand in the end, so the {item} can go back.",
        ],
        "electronics": [
            "The {item} has more functions than I will ever use.",
            "I expected the {item} to be lighter, so I prefer to keep my old one.",
            "The {item} does not match the rest of my equipment.",
        ],
        "clothing": [
            "The {item} does not suit me, I do not feel comfortable in it.",
            "The {item} fits, but the cut is not my style.",
            "I tried the {item} on at home and I prefer what I already own.",
        ],
        "furniture": [
            "The {item} is nice, but it does not go with our living room.",
            "We measured again and there is no room for the {item}.",
            "The {item} looks too dark beside our other furniture.",
        ],
        "travel": [
            "Our trip was cancelled, so we have no use for the {item}.",
            "We will not go on holiday this year, so the {item} can go back.",
            "I will borrow a {item} from a friend instead.",
        ],
    },
    "not_delivered": {
        "any": [
            "The tracking says delivered, but no {item} ever came.",
            "I am still waiting for the {item}, the parcel never turned up.",
            "The driver left the {item} somewhere, it is certainly not here.",
            "There has been no movement in the tracking of my {item} for twelve days.",
            "The parcel with the {item} was signed for by a name that nobody here knows.",
            "My {item} was supposed to arrive last week and still has not been delivered.",
            "According to the carrier the {item} is at a pick-up point that does not exist.",
            "None of the neighbours has my {item}, although the notice says so.",
            "The carrier says that the {item} was lost in their depot.",
            "I was at home all day, nobody rang, and the {item} is marked as handed over.",
            "The photo of the delivery shows a door that is not mine, so where is my {item}?",
            "The order with the {item} has been on its way for a month and nothing has arrived.",
            "The shipment of the {item} went back to you without anybody trying to deliver it.",
            "I never received the {item}, and the carrier does not answer.",
        ],
    },
    "dispute": {
        "any": [
            "I have asked my bank to take the payment for the {item} back.",
            "My lawyer will write to you about the {item}.",
            "If the {item} is not refunded by Friday, I will report your shop to the consumer authority.",
            "I did not place this order for a {item}, somebody used my account.",
            "My card was charged twice for one {item}.",
            "You promised a refund for the {item} on the phone and now deny it.",
            "I will take this to court if I hear nothing about the {item}.",
            "I consider the way you sell the {item} fraud and have told the police.",
            "I hurt my hand on the {item} and had to see a doctor.",
            "The payment for the {item} was taken from my account although I had cancelled the order.",
            "I have filed a complaint with the ombudsman about the {item}.",
            "A different amount was charged for the {item} than your invoice shows.",
        ],
        "electronics": [
            "The {item} gave me an electric shock when I touched it.",
            "Smoke came out of the {item} and left a burn on the table.",
        ],
        "clothing": [
            "The {item} gave my daughter a rash and the doctor has written a report.",
            "My skin was burning after an hour in the {item}, I needed treatment.",
        ],
        "furniture": [
            "The {item} collapsed and my son was injured.",
            "I cut myself badly on the {item} and had to go to hospital.",
        ],
        "travel": [
            "A strap of the {item} snapped and injured my eye.",
            "I had an allergic reaction to the {item} and needed a doctor.",
        ],
    },
}

DETAILS = {
    "damaged": [
        "The damage must have happened during transport.", "I can send more pictures if you need them.",
        "I have kept the box as well.", "It cannot be used like this.", "The outer carton looked bad already.",
        "I told the driver so at the door.",
    ],
    "faulty": [
        "I treated it with care.", "That should not happen with a new product.", "I have tried everything in the manual.",
        "A friend has the same one and his is fine.", "I kept the receipt.", "I expected more for this price.",
    ],
    "wrong_item": [
        "I checked the order confirmation and it is correct.", "I can send the wrong one back at your cost.",
        "The delivery note is right, only the content is not.", "Please do not send a replacement.",
    ],
    "changed_mind": [
        "There is nothing wrong with it.", "It is a matter of taste.", "I hope that this is no trouble.",
        "I know that this is my own fault.", "I would rather have the money.",
    ],
    "not_delivered": [
        "I have asked everybody in the house.", "The carrier told me to write to you.",
        "I have called the depot three times.", "It was addressed correctly.",
    ],
    "dispute": [
        "I want this in writing.", "I have kept all messages.", "I expect an answer from a manager.",
        "This is my last attempt to settle it with you.",
    ],
}
SEALED = ["It is still sealed.", "I have not opened the box.", "It is unused and in its original packaging.", "The seal has not been broken."]
USED = ["I have unpacked it and tried it once.", "The packaging is open.", "I used it for a few days.", "It has been unpacked, the box is gone."]

NAME = "refund-requests"
TITLE = "Refund requests"
OPTIONS = {"approve": "approve", "deny": "deny", "review": "review"}
DISPUTE_WORDS = ["lawyer", "court", "police"]
RULES = ["Very high amounts go to a person", "Many refunds already", "A lawyer or a court is mentioned"]
GUIDELINE = """Decides what happens to a refund request of a web shop. Approve clear cases, deny those outside the terms, leave the rest to a person.

How to label:
- Deny every request that comes more than 60 days after the purchase.
- Review whatever was not delivered, and whatever mentions a bank, a lawyer, an authority or an injury.
- Approve goods that arrived damaged, broke soon or are not what was ordered.
- Deny customers who simply changed their mind: they may return the goods for a voucher.
- Before all of this: review amounts above 1,000, and deny customers who had six or more refunds."""
