import { Textarea, type TextareaProps } from '@mantine/core';

type GrowingTextProps = TextareaProps & { minRows: number; maxRows?: number };

/**
 * A field of several lines that grows with its text. The browser sizes it, where it can: the library measures, and lays
 * the whole page out for it while the place is still being made.
 */
export function GrowingText({ minRows, maxRows, ...field }: GrowingTextProps) {
  if (!globalThis.CSS?.supports('field-sizing', 'content')) {
    return <Textarea autosize minRows={minRows} {...(maxRows === undefined ? {} : { maxRows })} {...field} />;
  }
  const toHeight = (rows: number) => `calc(${rows}lh + 2 * var(--input-padding-y) + 2px)`;
  const maxHeight = maxRows === undefined ? 'none' : toHeight(maxRows);
  const input = { fieldSizing: 'content', minHeight: toHeight(minRows), maxHeight } as const;
  return <Textarea styles={{ input }} {...field} />;
}

type JsonTextProps = Omit<GrowingTextProps, 'onChange' | 'error'> & {
  problem: string | undefined;
  onText(text: string): void;
};

/** A field of several lines for JSON, with what is wrong in it. */
export function JsonText({ problem, onText, ...field }: JsonTextProps) {
  return (
    <GrowingText
      classNames={{ input: 'mono' }}
      spellCheck={false}
      onChange={(event) => onText(event.currentTarget.value)}
      error={problem}
      {...field}
    />
  );
}
