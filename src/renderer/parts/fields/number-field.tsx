/** A field of a number that is never without one. */
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<NumberInputProps, 'value' | 'onChange' | 'onBlur'> & {
  value: number;
  onNumber(value: number): void;
};

/** Emptied, or with half a number in it, it changes nothing, and shows its last number again when it is left. */
export function NumberField({ value, onNumber, ...further }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <NumberInput
      {...further}
      value={typed ?? value}
      onChange={(entered) => {
        setTyped(typeof entered === 'string' ? entered : null);
        if (typeof entered === 'number') onNumber(entered);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
