import { Select } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { type ColourSlots, giveSlots } from '../state/settings.ts';
import { useSettings, useWorkbench } from '../state/workbench.ts';
import { showUnseen } from './text/names.ts';

/** Slots of colours; each round of them has another shape, so that colour is never all that tells options apart. */
const colourCount = 10;
const shapes = [
  <rect key="square" x="1" y="1" width="8" height="8" rx="2" />,
  <circle key="circle" cx="5" cy="5" r="4.2" />,
  <path key="diamond" d="M5 .3 9.7 5 5 9.7 .3 5Z" />,
  <path key="triangle" d="M5 .8 9.6 9.2H.4Z" />,
  <path key="cross" d="M3.4 .5h3.2v2.9h2.9v3.2H6.6v2.9H3.4V6.6H.5V3.4h2.9Z" />,
];

/** Gives each option of the type in the window its colour, which it keeps for ever. */
export function useAssignedColours(type: DecisionType | null): void {
  const { settings } = useWorkbench();
  useEffect(() => {
    if (type) settings.assignColours(type.id, type.active_version.options);
  }, [settings, type]);
}

const noSlots: ColourSlots = {};

/** The slots of a type's options; those that only its draft has are shown with the ones that saving will give them. */
function useSlots(typeId: string): ColourSlots {
  const known = useSettings((state) => state.colours[typeId]) ?? noSlots;
  const drafted = useStore(useWorkbench().drafts, (state) => state.byType[typeId]?.history.present.options);
  return useMemo(() => giveSlots(known, drafted ?? []), [known, drafted]);
}

/** The colour of an option as a CSS value; one that the type has no more may have none. */
function toColour(slots: ColourSlots, option: string): string {
  return Object.hasOwn(slots, option) ? `var(--option-${(slots[option] ?? 0) % colourCount})` : 'var(--muted)';
}

/** The colours of a type's options. */
export function useOptionColours(typeId: string): (option: string) => string {
  const slots = useSlots(typeId);
  return (option) => toColour(slots, option);
}

/** The mark of an option: its colour and shape. */
export function OptionMark({ typeId, option }: { typeId: string; option: string }) {
  const slots = useSlots(typeId);
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" fill={toColour(slots, option)}>
      {shapes[Math.floor((slots[option] ?? 0) / colourCount) % shapes.length]}
    </svg>
  );
}

/** An option by mark and name; without one, that there is no label. */
export function OptionName({ typeId, option }: { typeId: string; option: string | null }) {
  if (option === null) return <span className="muted">not labelled yet</span>;
  const name = showUnseen(option);
  return (
    <span className="option" title={name}>
      <OptionMark typeId={typeId} option={option} />
      <span className="words">{name}</span>
    </span>
  );
}

/** An option in a table. */
export function OptionCell(props: { typeId: string; option: string | null }) {
  return (
    <td>
      <OptionName {...props} />
    </td>
  );
}

/** The length of the longest of these names: columns are as wide as it needs. */
export function findLongest(names: readonly string[]): number {
  return names.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The width in pixels of a grid's column that shows options of these names whole, long ones on two lines. */
export function toColumnWidth(options: readonly string[]): number {
  const longest = findLongest(options);
  return longest <= 18 ? Math.max(96, 48 + 7 * longest) : Math.min(300, 72 + 4 * longest);
}

/** Options as the choices of a list. */
export function toChoices(options: readonly string[]): { value: string; label: string }[] {
  return options.map((option) => ({ value: option, label: showUnseen(option) }));
}

/** A choice among options; it can be searched, so that 150 of them are no trouble. */
export function OptionSelect({
  label,
  options,
  value,
  onValue,
  placeholder,
  hideLabel,
  description,
}: {
  label: string;
  options: readonly string[];
  value: string | null;
  onValue(value: string | null): void;
  placeholder?: string;
  hideLabel?: boolean;
  description?: string;
}) {
  return (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      {...(description ? { description } : {})}
      data={toChoices(options)}
      value={value}
      onChange={onValue}
      placeholder={placeholder ?? 'Choose an option'}
      searchable
      clearable={placeholder !== undefined}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      nothingFoundMessage="No option has this name"
      limit={200}
    />
  );
}
