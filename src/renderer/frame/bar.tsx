import { Button } from '@mantine/core';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { openPalette } from '../commands/palette.tsx';
import { Figure } from '../parts/figure.tsx';
import { showUnseen } from '../parts/names.ts';
import { formatRoute, goTo, type Route } from '../state/route.ts';
import { placeSpecs } from './places.tsx';
import { type TypeState, toTypeTone } from './type-state.ts';

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
              className="name"
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
      <button type="button" className="ask" onClick={openPalette}>
        Search or run a command <kbd>Ctrl K</kbd>
      </button>
      <div className="now">
        {type && <DeployedTag type={type} deployed={deployed} />}
        {type && next && route.page === 'type' && route.place !== next.place && (
          <Button size="compact-sm" onClick={() => goTo({ page: 'type', id: type.id, place: next.place })}>
            {next.text}
          </Button>
        )}
      </div>
    </header>
  );
}

function DeployedTag({ type, deployed }: { type: DecisionType; deployed: TypeState['deployed'] }) {
  const { tone, word } = toTypeTone(type);
  if (!deployed) return <span className="tag only-wide">not deployed</span>;
  const sentence = type.availability?.reason ?? `Policy ${deployed.name} decides for this type.`;
  const right = `It is right on ${deployed.accuracy} of the examples that it had not seen.`;
  return (
    <Figure className={`tag ${tone} only-wide`} says={deployed.accuracy ? `${sentence} ${right}` : sentence}>
      {deployed.name} {word}
      {deployed.accuracy && ` · ${deployed.accuracy}`}
    </Figure>
  );
}
