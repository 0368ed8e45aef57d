import { Button } from '@mantine/core';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { leavesFocus } from '../commands/key-focus.ts';
import { Figure } from '../parts/figure.tsx';
import { quoteNames, showUnseen } from '../parts/text/names.ts';
import { formatRoute, goTo, type Route } from '../state/route.ts';
import { openPalette } from './palette.tsx';
import { placeSpecs } from './places.tsx';
import { type Act, type TypeState, toTypeTone } from './type-state.ts';

/** Where I am, the palette in the middle, what is deployed, and the one next action. */
export function Bar({ route, type, state }: { route: Route; type: DecisionType | null; state: TypeState }) {
  const { deployed, next } = state;
  return (
    <header className="bar">
      <nav className="path" aria-label="Where I am">
        <a className="brand" href="#/">
          Decision Workbench
        </a>
        {type && route.page === 'type' && (
          <>
            <span className="muted" aria-hidden="true">
              /
            </span>
            <a
              className="clip"
              title={showUnseen(type.name)}
              href={formatRoute({ page: 'type', id: type.id, place: 'define' })}
            >
              {showUnseen(type.name)}
            </a>
            <span className="muted" aria-hidden="true">
              /
            </span>
            <span>{placeSpecs[route.place].title}</span>
          </>
        )}
      </nav>
      <button type="button" className="ask" {...leavesFocus} onClick={openPalette}>
        Search or run a command <kbd>Ctrl K</kbd>
      </button>
      <div className="now">
        {type && <DeployedTag type={type} deployed={deployed} />}
        {type && next && route.page === 'type' && !isAt(route, next.to) && (
          <Button variant="light" size="compact-sm" onClick={() => goTo({ page: 'type', id: type.id, ...next.to })}>
            Next: {next.text}
          </Button>
        )}
      </div>
    </header>
  );
}

/** Whether somebody is where the next act is done. */
function isAt({ place, query }: Extract<Route, { page: 'type' }>, to: Act['to']): boolean {
  return place === to.place && (to.query === undefined || to.query.queue === query?.queue);
}

function DeployedTag({ type, deployed }: { type: DecisionType; deployed: TypeState['deployed'] }) {
  const { tone, word } = toTypeTone(type);
  if (!deployed) return <span className="tag only-wide">not deployed</span>;
  const sentence = type.availability?.reason ?? `Policy ${deployed.name} decides for this type.`;
  const { headline, quote } = deployed;
  return (
    <Figure className={`tag ${tone} only-wide`} says={headline ? `${sentence} ${quoteNames(headline)}` : sentence}>
      {deployed.name} {word}
      {quote && ` · ${quote.isKnown ? quote.figure : quote.phrase}`}
    </Figure>
  );
}
