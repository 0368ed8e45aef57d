import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

declare module 'react' {
  /** Lengths, shares and colours that only a stylesheet reads. */
  interface CSSProperties {
    [custom: `--${string}`]: string | number;
  }
}

const indigo: MantineColorsTuple = [
  '#eef0fd',
  '#dfe3fb',
  '#c3caf7',
  '#a3aef2',
  '#8b97ff',
  '#6b79ea',
  '#3d4fd6',
  '#3343bd',
  '#2a389f',
  '#212c80',
];

/** The greys of the widgets in the dark theme, from text to ground; base.css has the same. */
const dark: MantineColorsTuple = [
  '#e9ebf1',
  '#c6cbd6',
  '#a2a9b9',
  '#7d8494',
  '#454b59',
  '#2a2e39',
  '#22262f',
  '#1a1d25',
  '#14161c',
  '#0e1015',
];

/** As in `base.css`. Nothing fades out: a key pressed meanwhile would be lost. */
const appears = { duration: 120, exitDuration: 0 };
const small = { defaultProps: { size: 'xs' } };
/**
 * A list exists only while it is open: 150 options drawn with every change of their field took half of a label's time.
 * It scrolls by itself: a scroller within it would be a part that no key reaches.
 */
const list = {
  comboboxProps: { shadow: 'md', keepMounted: false },
  withScrollArea: false,
  styles: { options: { maxHeight: 300, overflowY: 'auto' as const } },
};

/** 13 px on 20, lines instead of boxes, one accent: the tokens of base.css carried into the widgets. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.8125rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.25rem', sm: '1.25rem', md: '1.25rem', lg: '1.5rem', xl: '1.75rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  colors: { indigo, dark },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 4 },
  radius: { sm: '0.375rem' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Not by `extend` of each, which would load all with the first script: they come with the parts that show them.
  components: {
    // The act that a place or dialog is there for is `filled`.
    Button: { defaultProps: { size: 'xs', variant: 'default' } },
    ActionIcon: { defaultProps: { size: 'md', variant: 'subtle', color: 'gray' } },
    TextInput: small,
    Textarea: small,
    NumberInput: small,
    NativeSelect: small,
    Autocomplete: { defaultProps: list },
    Select: { defaultProps: { size: 'xs', ...list } },
    MultiSelect: { defaultProps: list },
    Radio: small,
    // The first item takes the focus; the placeholder that would is not a child that a menu may have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, transitionProps: appears } },
    Checkbox: small,
    SegmentedControl: small,
    InputWrapper: small,
    Loader: { defaultProps: { size: 'xs' } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        transitionProps: appears,
        // The title of a dialog is not a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Tooltip: {
      defaultProps: { openDelay: 400, transitionProps: appears, multiline: true, maw: 320, withArrow: true },
    },
  },
});

const shared = {
  '--mantine-color-body': 'var(--pane)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-placeholder': 'var(--muted)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default-border': 'var(--line-soft)',
  '--mantine-color-default': 'var(--pane)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-color-indigo-filled': 'var(--accent)',
  '--mantine-color-indigo-filled-hover': 'var(--accent-strong)',
  '--mantine-color-indigo-light': 'var(--chosen)',
  '--mantine-color-indigo-light-hover': 'var(--hover)',
  '--mantine-color-indigo-light-color': 'var(--accent)',
};

/** Ties the variables of the widgets to the tokens of base.css, in both themes. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared });
