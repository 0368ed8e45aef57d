import { CloseButton, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import { useFirstPart } from '../hooks/use-first-part.ts';
import { showUnseen } from '../text/names.ts';
import { NumberField } from './number-field.tsx';

/** The values that a threshold may have. */
export const thresholdBounds = { min: 0, max: 1, step: 0.01, decimalScale: 4 };

type Props = {
  options: readonly string[];
  thresholds: ConfidenceThresholds;
  set(patch: Partial<ConfidenceThresholds>): void;
  /** Shows what is known of an option; `take` sets its threshold. */
  below?(option: string, take: (threshold: number) => void): ReactNode;
};

/** The options that are decided directly only from a higher confidence, and a list to add one. */
export function OwnThresholds({ options, thresholds: { auto_decide, by_option = {} }, set, below }: Props) {
  const others = useFirstPart(options).filter((option) => !Object.hasOwn(by_option, option));
  const put = (own: [string, number][]) => set({ by_option: own.length === 0 ? undefined : Object.fromEntries(own) });
  const own = Object.entries(by_option);
  const change = (option: string, to: number) => put(own.map(([name, at]) => [name, name === option ? to : at]));
  return (
    <>
      {own.map(([option, threshold]) => (
        <div key={option} className="stack tight">
          <NumberField
            label={`${showUnseen(option)} directly from`}
            {...thresholdBounds}
            min={auto_decide}
            value={threshold}
            onNumber={(value) => change(option, value)}
            rightSectionPointerEvents="all"
            rightSection={
              <CloseButton
                size="sm"
                aria-label={`No own threshold for ${showUnseen(option)}`}
                onClick={() => put(own.filter(([name]) => name !== option))}
              />
            }
          />
          {below?.(option, (threshold) => change(option, threshold))}
        </div>
      ))}
      <NativeSelect
        label="An option that needs more confidence"
        value=""
        onChange={(event) => put([...own, [event.currentTarget.value, auto_decide]])}
      >
        <option value="">{own.length === 0 ? 'None' : 'Add one…'}</option>
        {others.map((option) => (
          <option key={option} value={option}>
            {showUnseen(option)}
          </option>
        ))}
      </NativeSelect>
    </>
  );
}
