import { TextInput } from '@mantine/core';
import { CirclePlus, Settings, Upload } from 'lucide-react';
import { useState } from 'react';
import { foldCase } from '../../engine/code-points.ts';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { BreakingName } from '../parts/text/breaking-name.tsx';
import { count, number } from '../parts/text/figures.ts';
import { isolate, showUnseen } from '../parts/text/names.ts';
import { useOperation } from '../state/queries.ts';
import { formatRoute, type Place, type Route } from '../state/route.ts';
import { useWorkbench } from '../state/workbench.ts';
import { placeSpecs, railPlaces, readPlaceAhead } from './places.tsx';
import { type Step, type TypeState, toTypeTone } from './type-state.ts';

const minSearchedTypes = 8;
/** Letters as people see them: a name is never cut within one. */
const segments = new Intl.Segmenter();
const lettersOf = (text: string, from: number, to?: number) =>
  [...segments.segment(text)]
    .slice(from, to)
    .map(({ segment }) => segment)
    .join('');

/** Short forms of names for the narrow rail; those that would be alike show more of how they begin, or end. */
function shortenNames(names: readonly string[]): string[] {
  const forms = names.map((name) => {
    const [first = name, second] = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
    const begin = (count: number) =>
      second ? lettersOf(first, 0, count) + lettersOf(second, 0, 1) : lettersOf(name, 0, count + 1);
    return [begin(1), begin(2), lettersOf(name, 0, 1) + lettersOf(name, -2)];
  });
  const isAlone = (form: string, kind: number) => forms.filter((own) => own[kind] === form).length === 1;
  return forms.map((own) => own.find(isAlone) ?? own[0] ?? '');
}

/** The decision types with their state, the places of the chosen one, and the settings at the foot. */
export function Rail({ route, types, state }: { route: Route; types: readonly DecisionType[]; state: TypeState }) {
  const [search, setSearch] = useState('');
  const metrics = useOperation('metrics.organisation', {}, { staleMs: 30_000 });
  const decisions = new Map(metrics.data?.decision_types.map(({ id, decisions_24h }) => [id, decisions_24h]));
  const words = foldCase(search.trim());
  const initials = shortenNames(types.map(({ name }) => foldCase(showUnseen(name))));
  const isChosen = ({ id }: DecisionType) => route.page === 'type' && route.id === id;
  const chosen = types.find(isChosen);
  const others = types.filter((type) => !isChosen(type) && foldCase(type.name).includes(words));
  const toLink = (type: DecisionType, place: Place) => (
    <TypeLink
      type={type}
      initials={initials[types.indexOf(type)] ?? ''}
      place={place}
      decisions={decisions.get(type.id)}
    />
  );
  return (
    <nav className="rail" aria-label="Workbench">
      <div className="types">
        <h2>Decision types</h2>
        {chosen && route.page === 'type' && (
          <div>
            {toLink(chosen, route.place)}
            <Steps typeId={chosen.id} steps={state.steps} />
            <PlaceList typeId={chosen.id} current={route.place} state={state} />
          </div>
        )}
        {types.length >= minSearchedTypes && (
          <TextInput
            className="only-wide"
            aria-label="Search decision types"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            mb={4}
            mr={8}
          />
        )}
        <ul className={chosen ? 'others' : undefined}>
          {others.map((type) => (
            <li key={type.id}>{toLink(type, 'examples')}</li>
          ))}
        </ul>
        <RailLink href={formatRoute({ page: 'new' })} text="New from a file…" current={route.page === 'new'}>
          <Upload size={14} aria-hidden="true" />
        </RailLink>
        <NewTypeButton />
      </div>
      <div className="foot">
        <RailLink
          href={formatRoute({ page: 'settings', section: 'keys' })}
          text="Settings"
          current={route.page === 'settings'}
        >
          <Settings size={14} aria-hidden="true" />
        </RailLink>
      </div>
    </nav>
  );
}

function NewTypeButton() {
  const { ui } = useWorkbench();
  return (
    <button type="button" className="plain" onClick={() => ui.getState().show('new-type')}>
      <CirclePlus size={14} aria-hidden="true" />
      <span className="text clip grow">New decision type…</span>
    </button>
  );
}

type RailLinkProps = {
  href: string;
  text: string;
  current: boolean;
  children: React.ReactNode;
};

function RailLink({ href, text, current, children }: RailLinkProps) {
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
      <span className="text clip grow">{text}</span>
    </a>
  );
}

type TypeLinkProps = { type: DecisionType; initials: string; place: Place; decisions: number | undefined };

function TypeLink({ type, initials, place, decisions }: TypeLinkProps) {
  const { tone, word } = toTypeTone(type);
  const made = decisions ? `, ${count(decisions, 'decision')} in the last 24 hours` : '';
  const says = `${isolate(type.name)}: ${type.availability?.reason ?? `${word}${made}.`}`;
  return (
    <a title={says} href={formatRoute({ page: 'type', id: type.id, place })}>
      <span className={`dot ${tone}`} aria-hidden="true" />
      <span className="only-narrow" aria-hidden="true">
        {initials}
      </span>
      <span className="text words grow strong">
        <BreakingName name={type.name} />
      </span>
      <span className="figure muted small number">{decisions ? number(decisions) : tone === 'good' ? '' : word}</span>
    </a>
  );
}

/** The five steps from data to decisions: which are done, and which one is next. */
function Steps({ typeId, steps }: { typeId: string; steps: readonly Step[] }) {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol className="ticks only-wide" aria-label="Steps">
      {steps.map((step, index) => {
        const { name, isDone, act, isOffered } = step;
        const says = `Step ${index + 1}, ${name}: ${[...(isDone ? ['done'] : []), ...(isDone && !isOffered ? [] : [act.text])].join(', ')}`;
        return (
          <li key={name} className={isDone ? 'done' : ''}>
            <a
              href={formatRoute({ page: 'type', id: typeId, ...act.to })}
              title={says}
              aria-label={says}
              aria-current={step === next ? 'step' : undefined}
            >
              {step === next && name}
            </a>
          </li>
        );
      })}
    </ol>
  );
}

function PlaceList({ typeId, current, state }: { typeId: string; current: Place; state: TypeState }) {
  const workbench = useWorkbench();
  return (
    <ul className="places">
      {railPlaces.map((place) => {
        const { title, icon: Icon } = placeSpecs[place];
        const figure = state.figures[place];
        const isCurrent = place === current || (place === 'examples' && current === 'import');
        const route: Route = { page: 'type', id: typeId, place };
        const ahead = place === current ? undefined : () => readPlaceAhead(workbench, route);
        return (
          <li key={place}>
            <a
              href={formatRoute(route)}
              onPointerEnter={ahead}
              onFocus={ahead}
              aria-current={isCurrent ? 'page' : undefined}
              title={figure ? `${title}: ${figure.says}` : title}
            >
              <Icon size={14} aria-hidden="true" />
              <span className="text clip grow">{title}</span>
              {figure && (
                <span className={`figure small number ${figure.isWaiting ? 'waits' : 'muted'}`}>{figure.text}</span>
              )}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
