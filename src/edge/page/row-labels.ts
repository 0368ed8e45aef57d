/** Labelling of rows, a card at a time: 1 to 9 answer, s skips, u takes back; two options also by swipes. */
import { listPressNames } from '../../engine/labelling/key-presses.ts';
import { countOf } from '../../engine/numeric.ts';
import { find, make, say } from './elements.ts';

const maxKeys = 9;
/** How far a finger goes sideways, in pixels, and how much farther than up or down. */
const minSwipe = 60;
const minSlope = 2;

type Input = Readonly<Record<string, unknown>>;
type LabelledRows = {
  options: readonly string[];
  rows: readonly { input: Input }[];
  /** Labels from before, in the order of the rows; null for a skip. */
  given?: readonly (string | null)[];
  /** The act that takes the labels, which the card offers once there is one. */
  finish: { name: string; take(): void };
  /** Hears of every label, skip and undo. */
  onChange?(given: readonly (string | null)[]): void;
};

/** The labels of rows that are shown one after another, in the element `card`. */
export class RowLabels {
  readonly #about: LabelledRows;
  readonly #given: (string | null)[];
  readonly #card = find('card', HTMLDivElement);

  constructor(about: LabelledRows) {
    this.#about = about;
    this.#given = [...(about.given ?? [])].slice(0, about.rows.length);
    if (about.options.length === 2) this.#takeSwipes(about.options);
    this.#show();
  }

  /** A label, or null for a skip, for each row that was shown, in turn. */
  get given(): readonly (string | null)[] {
    return this.#given;
  }

  get count(): number {
    return this.#given.filter((label) => label !== null).length;
  }

  /** Takes a key that is pressed outside a field; it is found by what it types, else by its place on the board. */
  take(event: KeyboardEvent): void {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
    if (isTyping || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (listPressNames(event).some((name) => this.#press(name.toLowerCase()))) event.preventDefault();
  }

  #press(key: string): boolean {
    const option = this.#about.options[Number(key) - 1];
    if (/^[1-9]$/.test(key) && option !== undefined) return this.#give(option);
    if (key === 's') return this.#give(null);
    if (key !== 'u' || this.#given.length === 0) return false;
    this.#given.pop();
    this.#change();
    return true;
  }

  #give(label: string | null): boolean {
    if (this.#given.length >= this.#about.rows.length) return false;
    this.#given.push(label);
    this.#change();
    return true;
  }

  #takeSwipes([left = '', right = '']: readonly string[]): void {
    let start: Touch | null = null;
    this.#card.ontouchstart = ({ touches }) => {
      start = touches.length === 1 ? (touches[0] ?? null) : null;
    };
    this.#card.ontouchend = ({ changedTouches: [end] }) => {
      const [across, down] = start && end ? [end.clientX - start.clientX, end.clientY - start.clientY] : [0, 0];
      if (Math.abs(across) >= minSwipe && Math.abs(across) > minSlope * Math.abs(down))
        this.#give(across < 0 ? left : right);
    };
  }

  #change(): void {
    this.#about.onChange?.(this.#given);
    this.#show();
  }

  #show(): void {
    const { options, rows, finish } = this.#about;
    const row = rows[this.#given.length];
    const shown = row === undefined ? say('There are no more.', 'case') : showInput(row.input);
    shown.tabIndex = 0;
    const keys = options.map((option, at) => {
      const give = make('button', { type: 'button', disabled: row === undefined }, make('bdi', {}, option));
      if (at < maxKeys) give.prepend(make('kbd', {}, `${at + 1}`), ' ');
      give.addEventListener('click', () => this.#give(option));
      return give;
    });
    const act = (key: string, name: string) => {
      const button = make('button', { type: 'button', className: 'plain' }, make('kbd', {}, key), ` ${name}`);
      button.addEventListener('click', () => this.#press(key));
      return button;
    };
    const take = make('button', { type: 'button', disabled: this.count === 0 }, finish.name);
    take.addEventListener('click', () => finish.take());
    const left = rows.length - this.#given.length;
    const [first, second] = options.length === 2 && matchMedia('(pointer: coarse)').matches ? options : [];
    const swipes = second === undefined ? '' : ` Swipe left for “${first}”, right for “${second}”.`;
    this.#card.replaceChildren(
      say(`${countOf(left, 'row')} to go, ${countOf(this.count, 'label')} given.${swipes}`, 'hint'),
      shown,
      make('p', { className: 'acts' }, ...keys, act('s', 'Skip'), act('u', 'Undo'), take),
    );
  }
}

/** Shows an input: its one text alone, else each field that has a value. */
function showInput(input: Input): HTMLElement {
  const fields = Object.entries(input).filter(([, value]) => value !== null && value !== '');
  const [[, only] = []] = fields;
  if (fields.length === 1 && typeof only === 'string') return say(only, 'case');
  const lines = fields.map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, describe(value))),
  );
  return make('div', { className: 'case' }, make('table', {}, make('tbody', {}, ...lines)));
}

const describe = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
