import { Select } from '@mantine/core';
import { useEffect } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useSettings, useWorkbench } from '../workbench.tsx';
import { showUnseen } from './names.ts';

/** Slots of colours; each round of them has another shape, so that colour is never all that tells options apart. */
const colourCount = 10;
const shapes = [
  <rect key="square" x="1" y="1" width="8" height="8" rx="2" />,
  <circle key="circle" cx="5" cy="5" r="4.2" />,
  <path key="diamond" d="M5 .3 9.7 5 5 9.7 .3 5Z" />,
  <path key="triangle" d="M5 .8 9.6 9.2H.4Z" />,
  <path key="cross" d="M3.4 .5h3.2v2.9h2.9v3.2H6.6v2.9H3.4V6.6H.5V3.4h2.9Z" />,
];

/** The colour of a slot, as a CSS value. */
function slotColour(slot: number): string {
  return `var(--option-${slot % colourCount})`;
}

const noSlots: Readonly<Record<string, number>> = {};

/** Gives each option of the type in the window its colour, which it keeps for ever. */
export function useAssignedColours(type: DecisionType | null): void {
  const { settings } = useWorkbench();
  useEffect(() => {
    if (type) settings.assignColours(type.id, type.active_version.options);
  }, [settings, type]);
}

/** The colours of a type's options. */
export function useOptionColours(typeId: string, options: readonly string[]): (option: string) => string {
  const slots = useSettings((state) => state.colours[typeId]) ?? noSlots;
  return (option) => slotColour(slots[option] ?? Math.max(0, options.indexOf(option)));
}

/** The mark of an option: its colour and shape. */
export function OptionMark({ typeId, option }: { typeId: string; option: string }) {
  const slot = useSettings((state) => state.colours[typeId]?.[option]) ?? 0;
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" fill={slotColour(slot)}>
      {shapes[Math.floor(slot / colourCount) % shapes.length]}
    </svg>
  );
}

/** An option by mark and name; without one, that there is no label. */
export function OptionName({ typeId, option }: { typeId: string; option: string | null }) {
  if (option === null) return <span className="muted">No label</span>;
  const name = showUnseen(option);
  return (
    <span className="option" title={name}>
      <OptionMark typeId={typeId} option={option} />
      <span>{name}</span>
    </span>
  );
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
