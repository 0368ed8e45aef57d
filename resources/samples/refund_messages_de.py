"""The sentences of the German sample, written by hand, as `refund_messages.py` has the English ones.

`{item}` is an article with its name, which begins no sentence: the same form is right in each of them.
"""

ARTICLES = {
    "electronics": {
        "der Kopfhörer": (39, 240), "das Tablet": (160, 890), "der Lautsprecher": (29, 320), "die Tastatur": (25, 180),
        "die Kamera": (120, 1150), "das Telefon": (140, 1090), "die Smartwatch": (60, 420), "der Drucker": (70, 350),
    },
    "clothing": {
        "die Regenjacke": (45, 230), "der Wollpullover": (30, 140), "die Jeansjacke": (35, 150), "der Wintermantel": (80, 420),
        "das Leinenhemd": (20, 90), "das Sommerkleid": (25, 130), "die Strickjacke": (20, 95), "das T-Shirt": (9, 35),
    },
    "furniture": {
        "der Lesesessel": (140, 950), "das Bücherregal": (60, 480), "der Nachttisch": (40, 240), "der Couchtisch": (70, 520),
        "der Schuhschrank": (55, 290), "die Kommode": (110, 640), "der Küchenhocker": (15, 120), "die Gartenbank": (80, 460),
    },
    "travel": {
        "der Rucksack": (30, 180), "das Zelt": (70, 540), "der Koffer": (55, 330), "der Schlafsack": (30, 260),
        "die Sporttasche": (18, 110), "die Kühltasche": (15, 70), "die Satteltasche": (12, 90), "das Reisekissen": (8, 45),
    },
}

OPENINGS = ["Hallo!", "Guten Tag!", "Guten Morgen!", "Liebes Team!", "Sehr geehrte Damen und Herren!"]

CLOSINGS = [
    "Bitte erstatten Sie den vollen Betrag.", "Ich möchte mein Geld zurück.", "Wie geht es jetzt weiter?",
    "Vielen Dank für Ihre Hilfe.", "Wie lange dauert die Erstattung?", "Mit freundlichen Grüßen.",
    "Bitte antworten Sie per E-Mail.", "Ich habe mit Karte bezahlt.",
]

CORES = {
    "damaged": {"any": [
        "Beim Auspacken war {item} schon beschädigt.",
        "Der Karton war auf einer Seite eingedrückt, und {item} hat einen Riss.",
        "Das Paket kam völlig durchnässt an, und {item} ist voller Wasserflecken.",
        "Offenbar hat jemand das Paket geworfen, denn {item} ist an einer Ecke zerbrochen.",
        "Ohne jede Polsterung verschickt, da musste {item} ja kaputtgehen.",
        "Vor zehn Minuten ausgepackt, und schon sieht man, dass {item} einen Transportschaden hat.",
        "Mit dem Messer wurde das Paket geöffnet, jetzt hat {item} einen tiefen Schnitt.",
        "So wie {item} geliefert wurde, zerkratzt und verbeult, kann ich nichts damit anfangen.",
    ]},
    "faulty": {"any": [
        "Schon am zweiten Tag ging {item} kaputt.",
        "Nach einer Woche fällt {item} auseinander.",
        "Anfangs war alles gut, aber seit Dienstag ist {item} nicht mehr zu gebrauchen.",
        "Dreimal benutzt, und schon hat {item} einen Defekt.",
        "Ganz klar ein Fabrikationsfehler: So wie vorgesehen funktioniert {item} jedenfalls nicht.",
        "Obwohl ich die Anleitung befolgt habe, versagt {item} nach wenigen Minuten.",
        "Die Qualität ist schlecht, nach wenigen Tagen gab {item} den Geist auf.",
        "Bei ganz normalem Gebrauch ist {item} nach vier Tagen gebrochen.",
    ]},
    "wrong_item": {"any": [
        "Im Paket lag etwas ganz anderes, bestellt war {item}.",
        "Sie haben mir die Bestellung eines anderen Kunden geschickt, bei mir sollte {item} ankommen.",
        "Auf dem Etikett steht zwar der richtige Name, aber {item} ist das falsche Modell.",
        "In der falschen Farbe kam {item}, bestellt hatte ich Blau.",
        "Laut Bestellung sollte {item} in der großen Ausführung kommen, geliefert wurde die kleine.",
        "Die Nummer auf dem Karton passt nicht zur Rechnung, auf der {item} steht.",
        "Ihr Lager hat zwei Bestellungen verwechselt: Auf meiner Rechnung steht {item}, im Karton lagen Gartenhandschuhe.",
        "Auf Ihrer Seite ist eine andere Ausführung abgebildet, {item} im Paket gleicht ihr nicht.",
    ]},
    "changed_mind": {"any": [
        "Ich habe es mir anders überlegt, {item} kann zurück.",
        "In einem anderen Geschäft ist {item} billiger.",
        "Eigentlich brauche ich das gar nicht mehr: {item} war ein Spontankauf.",
        "Meine Frau hatte das Gleiche schon gekauft, nun ist {item} doppelt da.",
        "Zum Geburtstag habe ich das Gleiche bekommen, damit ist {item} überflüssig.",
        "Als Geschenk gedacht, aber {item} gefällt ihr nicht.",
        "So gut, wie ich gehofft hatte, gefällt mir {item} einfach nicht.",
        "Wir ziehen ins Ausland, und {item} kann nicht mit.",
        "Am Ende habe ich mich für eine andere Marke entschieden, daher geht {item} zurück.",
    ]},
    "not_delivered": {"any": [
        "Laut Sendungsverfolgung zugestellt, aber {item} ist nie angekommen.",
        "Ich warte noch immer, bis heute ist {item} nicht da.",
        "Der Fahrer hat das Paket irgendwo abgestellt, hier ist {item} jedenfalls nicht.",
        "Seit zwölf Tagen bewegt sich die Sendung nicht, wo bleibt {item}?",
        "Unterschrieben hat jemand, den hier niemand kennt, und {item} ist weg.",
        "Letzte Woche sollte {item} kommen, und nichts ist passiert.",
        "Keiner der Nachbarn hat das Paket, in dem {item} war.",
        "Der Paketdienst sagt, dass {item} im Depot verloren ging.",
    ]},
    "dispute": {"any": [
        "Ich habe meine Bank gebeten, die Zahlung zurückzuholen, mit der {item} bezahlt wurde.",
        "Mein Anwalt wird sich melden, weil {item} nicht erstattet wird.",
        "Wenn bis Freitag nichts geschieht, melde ich Ihren Laden der Verbraucherzentrale: {item} ist noch nicht erstattet.",
        "Diese Bestellung stammt nicht von mir, jemand hat mein Konto missbraucht, und jetzt ist {item} unterwegs.",
        "Meine Karte wurde zweimal belastet, obwohl {item} nur einmal bestellt war.",
        "Notfalls gehe ich vor Gericht, denn {item} war reiner Betrug.",
        "An einer scharfen Kante habe ich mich verletzt, {item} ist gefährlich, und ich musste zum Arzt.",
        "Abgebucht wurde ein anderer Betrag als auf der Rechnung, auf der {item} steht.",
    ]},
}

DETAILS = {
    "damaged": ["Fotos kann ich gern schicken.", "Den Karton habe ich aufgehoben.", "So ist das nicht zu gebrauchen."],
    "faulty": ["Ich bin sorgsam damit umgegangen.", "Den Beleg habe ich noch.", "Bei diesem Preis hatte ich mehr erwartet."],
    "wrong_item": ["Die Bestellbestätigung ist richtig.", "Bitte schicken Sie keinen Ersatz.", "Auf Ihre Kosten schicke ich alles zurück."],
    "changed_mind": ["Ein Mangel ist nicht daran.", "Das ist reine Geschmackssache.", "Ich weiß, das ist meine eigene Schuld."],
    "not_delivered": ["Ich habe alle im Haus gefragt.", "Der Paketdienst verweist mich an Sie.", "Die Adresse stimmt."],
    "dispute": ["Das möchte ich schriftlich.", "Alle Nachrichten habe ich aufgehoben.", "Dies ist mein letzter Versuch, es mit Ihnen zu klären."],
}
SEALED = ["Die Verpackung ist noch versiegelt.", "Den Karton habe ich nicht geöffnet."]
USED = ["Einmal ausgepackt und ausprobiert.", "Die Verpackung ist offen.", "Ein paar Tage lang war es in Gebrauch."]

NAME = "refund-requests-de"
TITLE = "Refund requests in German"
OPTIONS = {"approve": "erstatten", "deny": "ablehnen", "review": "prüfen"}
DISPUTE_WORDS = ["anwalt", "gericht", "polizei"]
RULES = ["Sehr hohe Beträge prüft ein Mensch", "Schon viele Erstattungen", "Anwalt oder Gericht wird erwähnt"]
GUIDELINE = """Entscheidet, was mit dem Erstattungswunsch eines Webshops geschieht. Klare Fälle erstatten, was gegen die Bedingungen ist ablehnen, den Rest prüft ein Mensch.

So wird gelabelt:
- Ablehnen, was mehr als 60 Tage nach dem Kauf kommt.
- Prüfen, was nicht geliefert wurde und was Bank, Anwalt, Behörde oder Verletzung nennt.
- Erstatten, was beschädigt ankam, bald kaputtging oder nicht das Bestellte ist.
- Ablehnen, wer es sich nur anders überlegt hat: Dafür gibt es einen Gutschein.
- Vor alldem: Beträge über 1.000 prüfen und ablehnen, wer schon sechs Erstattungen oder mehr hatte."""
