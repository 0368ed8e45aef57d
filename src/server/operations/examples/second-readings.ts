/** Second readings and the agreement of readers as the wire has them. */
import { describeAgreement, measureAgreement } from '../../../engine/measure/agreement.ts';
import { toExample } from '../../preparation/examples/example-wire.ts';
import { isoTime } from '../../process/clock.ts';
import { findExample } from '../../services/examples/examples.ts';
import { drawSecondReadings, giveSecondReading } from '../../services/examples/second-readings.ts';
import { nameReader } from '../../services/releases.ts';
import type { Handlers } from '../context.ts';

export const secondReadingHandlers = {
  'second_readings.draw': (deps, { type, body }) => drawSecondReadings(deps, type, body),

  'second_readings.give': (deps, { type, caller, params, body }) => {
    const reader = nameReader(deps.store, caller, body.reader);
    return toExample(giveSecondReading(deps, type, params.example_id, { ...body, reader }));
  },

  'examples.labels': (deps, { type, params }) => {
    const { id } = findExample(deps, type, params.example_id);
    const items = deps.store.labelHistory.list(id);
    return { items: items.map(({ givenAt, ...entry }) => ({ ...entry, given_at: isoTime(givenAt) })) };
  },

  'agreement.get': ({ store }, { type }) => {
    const { byOption: by_option, ...agreement } = measureAgreement(store.labelHistory.listLabels(type.id));
    return { ...store.labelHistory.count(type.id), ...agreement, by_option, sentence: describeAgreement(agreement) };
  },
} satisfies Handlers;
