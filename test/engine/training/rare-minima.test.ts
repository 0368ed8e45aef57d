/** From how many examples on an option may be decided alone is measured by a training, and shown. */
import { expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../bundle-fixture.ts';
import { openTrainPorts } from '../train-ports.ts';
import { createDefinition, createExample, createRequest } from '../training-request.ts';

const ports = { ...(await openTrainPorts()), encoder: null };
const config = trainingConfigSchema.parse({ tune_hyperparams: false });

const commands = {
  lampe: { rows: 68, starts: ['Allume la lampe', 'Éteins la lumière', 'Tamise l’éclairage'] },
  chauffage: { rows: 60, starts: ['Monte le chauffage', 'Règle le thermostat', 'Il fait trop froid'] },
  musique: { rows: 48, starts: ['Joue de la musique', 'Mets une chanson', 'Coupe le son'] },
  volet: { rows: 40, starts: ['Ouvre les volets', 'Baisse le store', 'Ferme les persiennes'] },
  minuteur: { rows: 36, starts: ['Lance un minuteur', 'Démarre le compte à rebours', 'Préviens-moi'] },
  radio: { rows: 30, starts: ['Trouve une station', 'Change de fréquence', 'Écoute les informations'] },
  aspirateur: { rows: 26, starts: ['Passe l’aspirateur', 'Nettoie le sol', 'Envoie le robot'] },
  four: { rows: 22, starts: ['Préchauffe le four', 'Fais cuire le gratin', 'Vérifie la cuisson'] },
  porte: { rows: 18, starts: ['Verrouille la serrure', 'Déverrouille la porte', 'Donne accès'] },
  arrosage: { rows: 16, starts: ['Arrose les plantes', 'Active l’arroseur', 'Humidifie la terre'] },
  linge: { rows: 12, starts: ['Lave le linge', 'Essore les draps', 'Démarre la lessive'] },
  café: { rows: 10, starts: ['Prépare un café', 'Fais un expresso', 'Moulus des grains'] },
  alarme: { rows: 7, starts: ['Arme la sirène', 'Désactive la surveillance', 'Contrôle les intrusions'] },
  piscine: { rows: 6, starts: ['Filtre le bassin', 'Couvre la piscine', 'Ajoute du chlore'] },
  voiture: { rows: 6, starts: ['Recharge la voiture', 'Branche la batterie', 'Calcule l’autonomie'] },
  courrier: { rows: 6, starts: ['Relève la boîte', 'Compte les lettres', 'Annonce le facteur'] },
};
const rooms = ['du salon', 'de la cuisine', 'du bureau', 'de la chambre', 'du garage', 'de l’entrée'];
const times = ['maintenant', 'ce soir', 'dans une heure', 'demain matin'];
const tails = rooms.flatMap((room) => times.map((time) => `${room} ${time}`));
const french = Object.entries(commands).flatMap(([decision, { rows, starts }]) =>
  Array.from({ length: rows }, (_, i) => {
    const message = `${starts[i % starts.length]} ${tails[Math.floor(i / starts.length)]}`;
    return createExample(`${decision} ${i}`, { message }, decision);
  }),
);

it('takes the least minimum that folds show to be right, and measures each on all held-out rows [TRN-20]', async () => {
  expect(french.length).toBe(411);
  const request = createRequest(french, createDefinition(Object.keys(commands)), { config });
  const { metrics, bundle } = await train(request, ports);
  const { whole, rare_options: rare } = metrics;
  expect(whole?.accuracy.share).toBeGreaterThanOrEqual(0.9);
  const minima = rare?.minima ?? [];
  expect(minima.map(({ min_per_option }) => min_per_option)).toEqual([38, 16, 8]);
  const [usual, lower] = minima;
  expect(lower).toMatchObject({ chosen: true, accuracy: whole?.accuracy, automatic: whole?.automatic });
  expect(usual?.automatic.of).toBe(metrics.test_size);
  expect((lower?.automatic.share ?? 0) - (usual?.automatic.share ?? 1)).toBeGreaterThan(0.2);
  expect(lower?.error_automatic.share).toBeLessThan(0.1);
  expect(rare?.sentence).toMatch(
    /^From 16 examples on an answer is decided alone: \d+ of \d+ such decisions in cross-validation/,
  );
  expect(rare?.few).toEqual(Object.keys(commands).filter((_, option) => option >= 10));
  expect(unpackBundle(bundle, sha256).manifest.never_alone).toEqual(rare?.few);
});

it('leaves to a person what folds show to be a guess [TRN-20]', async () => {
  const sides = ['gauche', 'droite'];
  const guesses = tails.flatMap((tail, i) =>
    sides.map((side, at) =>
      createExample(`${side} ${i}`, { message: `Tourne ${tail} ${(i * 7 + at * 11) % 24}` }, side),
    ),
  );
  const common = french.filter(({ decision }) => ['lampe', 'chauffage', 'musique'].includes(decision ?? ''));
  const definition = createDefinition(['lampe', 'chauffage', 'musique', ...sides], {
    confidence_thresholds: { auto_decide: 0.45, escalation: 0.3 },
  });
  const { metrics } = await train(createRequest([...common, ...guesses], definition, { config }), ports);
  const { rare_options: rare } = metrics;
  expect(rare).toMatchObject({ min_per_option: 38, few: sides });
  expect(rare?.minima).toMatchObject([
    { min_per_option: 38, chosen: true },
    { min_per_option: 16, chosen: false },
  ]);
  expect(rare?.sentence).toMatch(/^From 16 examples on an answer is not yet decided alone: .* 2 answers still go/);
});
