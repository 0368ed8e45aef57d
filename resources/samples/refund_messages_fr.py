"""The sentences of the French sample, written by hand, as `refund_messages.py` has the English ones.

`{item}` is an article with its name, which begins no sentence and which no adjective follows: so it is right in each.
"""

ARTICLES = {
    "electronics": {
        "le casque": (39, 240), "la tablette": (160, 890), "l’enceinte": (29, 320), "le clavier": (25, 180),
        "l’appareil photo": (120, 1150), "le téléphone": (140, 1090), "la montre": (60, 420), "la manette": (25, 90),
    },
    "clothing": {
        "l’imperméable": (45, 230), "le pull en laine": (30, 140), "la veste en jean": (35, 150), "le manteau": (80, 420),
        "la chemise en lin": (20, 90), "la robe": (25, 130), "le gilet": (20, 95), "le tee-shirt": (9, 35),
    },
    "furniture": {
        "le fauteuil": (140, 950), "la bibliothèque": (60, 480), "la table de chevet": (40, 240), "la table basse": (70, 520),
        "le meuble à chaussures": (55, 290), "la commode": (110, 640), "le tabouret": (15, 120), "le banc de jardin": (80, 460),
    },
    "travel": {
        "le sac à dos": (30, 180), "la tente": (70, 540), "la valise": (55, 330), "le sac de couchage": (30, 260),
        "le sac de sport": (18, 110), "la glacière": (15, 70), "la sacoche de vélo": (12, 90), "l’oreiller de voyage": (8, 45),
    },
}

OPENINGS = ["Bonjour.", "Bonsoir.", "Madame, Monsieur.", "Bonjour à toute l’équipe."]

CLOSINGS = [
    "Merci de me rembourser la totalité.", "Je voudrais récupérer mon argent.", "Que dois-je faire maintenant ?",
    "Merci pour votre aide.", "Combien de temps prend le remboursement ?", "Cordialement.",
    "Merci de me répondre par e-mail.", "J’ai payé par carte.",
]

CORES = {
    "damaged": {"any": [
        "À l’ouverture du colis, {item} portait de grosses rayures.",
        "Le carton était écrasé d’un côté, et {item} a une fissure.",
        "Le colis est arrivé trempé, et {item} est plein de taches d’eau.",
        "Le livreur a dû faire tomber le colis, car {item} a un coin en morceaux.",
        "Sans aucune protection dans la boîte, {item} n’a pas résisté au transport.",
        "Quelqu’un a ouvert le carton au couteau, et {item} a une longue entaille.",
        "Je viens de déballer le colis : {item} a subi un choc, cela se voit tout de suite.",
        "Le transport a laissé des traces partout : {item} a des bosses et des éclats.",
    ]},
    "faulty": {"any": [
        "Dès le deuxième jour, {item} ne marchait plus.",
        "Au bout d’une semaine, {item} part en morceaux.",
        "Au début tout allait bien, mais depuis mardi {item} ne fonctionne plus.",
        "Je m’en suis servi trois fois, et déjà {item} a un défaut.",
        "C’est clairement un défaut de fabrication : {item} ne fait pas ce qu’il faut.",
        "J’ai suivi le mode d’emploi, pourtant {item} s’arrête après quelques minutes.",
        "La qualité est mauvaise, en quelques jours {item} a rendu l’âme.",
        "Avec un usage normal, {item} a cassé au bout de quatre jours.",
    ]},
    "wrong_item": {"any": [
        "Dans le colis il y avait tout autre chose, alors que j’avais commandé {item}.",
        "Vous m’avez envoyé la commande de quelqu’un d’autre, j’attendais {item}.",
        "L’étiquette annonce le bon nom, mais {item} n’est pas le bon modèle.",
        "J’ai reçu {item} dans une autre couleur, ma commande dit bleu.",
        "J’avais pris {item} en grande taille, et c’est la petite qui est venue.",
        "Le numéro du carton ne correspond pas à ma facture, où figure {item}.",
        "Votre entrepôt a confondu deux commandes : au lieu de gants de jardin, je voulais {item}.",
        "La photo de votre site montre une autre version, {item} du colis n’y ressemble pas.",
    ]},
    "changed_mind": {"any": [
        "J’ai changé d’avis, je vous renvoie {item}.",
        "Dans une autre boutique, {item} coûte moins cher.",
        "Finalement je n’en ai plus besoin, j’ai acheté {item} sur un coup de tête.",
        "Mon mari avait déjà acheté la même chose, {item} est donc en double.",
        "On m’a offert la même chose pour mon anniversaire, {item} ne sert donc à rien.",
        "C’était un cadeau, mais {item} ne lui plaît pas.",
        "Tout simplement, {item} ne me plaît pas autant que je l’espérais.",
        "Nous partons vivre à l’étranger, et {item} ne peut pas nous suivre.",
        "J’ai choisi une autre marque en fin de compte, vous pouvez reprendre {item}.",
    ]},
    "not_delivered": {"any": [
        "Le suivi dit que c’est livré, mais personne n’a vu {item} ici.",
        "J’attends toujours, à ce jour {item} n’est pas là.",
        "Le livreur a laissé le colis quelque part, en tout cas {item} n’est pas chez moi.",
        "Depuis douze jours l’envoi ne bouge plus, où est {item} ?",
        "Quelqu’un que personne ne connaît a signé, et {item} a disparu.",
        "La semaine dernière je devais recevoir {item}, et rien n’est arrivé.",
        "Aucun voisin n’a le colis qui contient {item}.",
        "Le transporteur dit avoir perdu {item} dans son dépôt.",
    ]},
    "dispute": {"any": [
        "J’ai demandé à ma banque d’annuler le paiement qui concerne {item}.",
        "Mon avocat va vous écrire parce que vous refusez de rembourser {item}.",
        "Sans réponse avant vendredi, je signale votre boutique aux autorités : vous devez rembourser {item}.",
        "Cette commande n’est pas de moi, on a utilisé mon compte, je n’ai jamais voulu {item}.",
        "Ma carte a été débitée deux fois, alors que j’ai commandé {item} une seule fois.",
        "S’il le faut, j’irai au tribunal, car vendre {item} ainsi est une escroquerie.",
        "En me blessant avec, j’ai compris que {item} présente un danger, et j’ai vu un médecin.",
        "Le montant prélevé n’est pas celui de la facture où figure {item}.",
    ]},
}

DETAILS = {
    "damaged": ["Je peux envoyer d’autres photos.", "J’ai gardé le carton.", "On ne peut rien en faire."],
    "faulty": ["J’en ai pris grand soin.", "J’ai encore le ticket.", "À ce prix, j’attendais mieux."],
    "wrong_item": ["La confirmation de commande est juste.", "Ne m’envoyez pas de remplacement.", "Je renvoie le tout à vos frais."],
    "changed_mind": ["Il n’y a aucun défaut.", "C’est une affaire de goût.", "Je sais que c’est ma faute."],
    "not_delivered": ["J’ai demandé à tout l’immeuble.", "Le transporteur me renvoie vers vous.", "L’adresse est bonne."],
    "dispute": ["Je veux une réponse écrite.", "J’ai gardé tous les messages.", "C’est ma dernière tentative auprès de vous."],
}
SEALED = ["L’emballage est encore scellé.", "Je n’ai pas ouvert le carton."]
USED = ["Je m’en suis servi une seule fois.", "L’emballage est ouvert.", "Je m’en suis servi quelques jours."]

NAME = "refund-requests-fr"
TITLE = "Refund requests in French"
OPTIONS = {"approve": "rembourser", "deny": "refuser", "review": "examiner"}
DISPUTE_WORDS = ["avocat", "tribunal", "police"]
RULES = ["Les montants très élevés vont à une personne", "Déjà beaucoup de remboursements", "Un avocat ou un tribunal est mentionné"]
GUIDELINE = """Décide de la suite d’une demande de remboursement d’une boutique en ligne. Rembourser les cas clairs, refuser ce qui sort des conditions, laisser le reste à une personne.

Comment étiqueter :
- Refuser toute demande faite plus de 60 jours après l’achat.
- Examiner ce qui n’a pas été livré et ce qui parle d’une banque, d’un avocat, d’une autorité ou d’une blessure.
- Rembourser ce qui est arrivé abîmé, a vite cassé ou n’est pas ce qui a été commandé.
- Refuser à qui a seulement changé d’avis : un bon d’achat est possible.
- Avant tout cela : examiner les montants de plus de 1 000, et refuser à qui a déjà eu six remboursements ou plus."""
