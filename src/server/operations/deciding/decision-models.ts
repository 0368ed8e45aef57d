/** The formats of decision models over the wire, at the workbench's door. */
import { askDecisions, askSystemone, listModels } from '../../../door/formats/ask.ts';
import type { Handlers } from '../context.ts';

export const decisionModelHandlers = {
  'models.ask_systemone': (deps, call) => askSystemone(deps, call.body, call),
  'models.ask_decisions': (deps, call) => askDecisions(deps, call.body, call),
  'models.list': ({ questions }, { caller }) => listModels(questions.listAnswering(caller)),
} satisfies Handlers;
