/** French messages to a shop: sentences to learn from, and others that are worded otherwise. */
type Wordings = Record<'refund' | 'delivery' | 'account', { known: readonly string[]; unknown: readonly string[] }>;

const wordings: Wordings = {
  refund: {
    known: [
      ...['Je voudrais être remboursé pour', 'Merci de me rendre mon argent pour', "J'attends le remboursement de"],
      ...[
        'Vous devez me restituer ce que j’ai payé pour',
        'Pouvez-vous annuler et rembourser',
        'On m’a facturé deux fois',
      ],
      ...['Le paiement a été prélevé à tort pour', 'Je renvoie et je demande à être remboursé de'],
    ],
    unknown: ['Quand reverrai-je la somme versée pour', 'Recréditez ma carte bancaire pour', 'Je réclame mon dû pour'],
  },
  delivery: {
    known: [
      ['Où se trouve', 'Quand vais-je recevoir', 'Je n’ai toujours pas reçu', 'Le livreur n’est jamais venu avec'],
      [
        'Pouvez-vous suivre l’envoi de',
        'La livraison est en retard pour',
        'Le transporteur a perdu',
        'Quel jour arrive',
      ],
    ].flat(),
    unknown: ['Le facteur n’a rien apporté de', 'Combien de temps encore avant que parvienne', 'Est-il déjà expédié,'],
  },
  account: {
    known: [
      ['Je ne peux plus me connecter depuis', 'J’ai oublié mon mot de passe après', 'Comment changer mon adresse pour'],
      ['Supprimez mon profil, je ne veux plus de', 'Mon identifiant est refusé à cause de'],
      [
        'Le code de vérification n’arrive pas pour',
        'Mon compte est bloqué depuis',
        'Je veux modifier mes coordonnées pour',
      ],
    ].flat(),
    unknown: ['L’accès à mon espace client est impossible depuis', 'Réinitialisez mes identifiants après'],
  },
};
const things = [
  'ma commande de mars',
  'la chaise bleue',
  'la lampe',
  'ce téléphone',
  'mon dernier colis',
  'le tapis rouge',
];

const write = (part: 'known' | 'unknown') =>
  Object.entries(wordings).flatMap(([decision, parts]) =>
    parts[part].flatMap((start) => things.map((thing) => ({ input: { message: `${start} ${thing}.` }, decision }))),
  );

export const frenchOptions = Object.keys(wordings);
/** 144 messages of 24 wordings. */
export const frenchMessages = write('known');
/** 48 messages of eight other wordings. */
export const newFrenchMessages = write('unknown');
