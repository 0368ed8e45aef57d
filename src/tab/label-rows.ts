/** Labelling of rows without an answer, a card at a time, by keys: 1 to 9 answer, s skips, u takes back. */
import { find, make, say } from '../edge/page/elements.ts';
import { countOf } from '../engine/numeric.ts';
import type { GivenLabel, OpenLine } from './messages.ts';
import { describeInput } from './result.ts';

const maxKeys = 9;

/** Labels given since the last training. */
export class RowLabels {
  readonly #options: readonly string[];
  readonly #open: readonly OpenLine[];
  readonly #train: (labels: GivenLabel[]) => void;
  /** A label or null, a skip, for each row that was shown, in turn. */
  readonly #given: (string | null)[] = [];

  constructor(options: readonly string[], open: readonly OpenLine[], train: (labels: GivenLabel[]) => void) {
    this.#options = options;
    this.#open = open;
    this.#train = train;
    find('labelling', HTMLElement).hidden = open.length === 0;
    this.#show();
  }

  /** Labels that no training has learned yet. */
  get count(): number {
    return this.#given.filter((label) => label !== null).length;
  }

  /** Takes a key; true where it was one of the labelling. */
  press(key: string): boolean {
    const option = this.#options[Number(key) - 1];
    if (/^[1-9]$/.test(key) && option !== undefined) return this.#give(option);
    if (key === 's') return this.#give(null);
    if (key !== 'u' || this.#given.length === 0) return false;
    this.#given.pop();
    this.#show();
    return true;
  }

  #give(label: string | null): boolean {
    if (this.#given.length >= this.#open.length) return false;
    this.#given.push(label);
    this.#show();
    return true;
  }

  #show(): void {
    const line = this.#open[this.#given.length];
    const keys = this.#options.map((option, at) => {
      const give = make('button', { type: 'button', disabled: line === undefined }, make('bdi', {}, option));
      if (at < maxKeys) give.prepend(make('kbd', {}, `${at + 1}`), ' ');
      give.addEventListener('click', () => this.#give(option));
      return give;
    });
    const act = (key: string, name: string) => {
      const button = make('button', { type: 'button', className: 'plain' }, make('kbd', {}, key), ` ${name}`);
      button.addEventListener('click', () => this.press(key));
      return button;
    };
    const train = make('button', { type: 'button', disabled: this.count === 0 }, 'Train with these labels');
    train.addEventListener('click', () => this.#train(this.#list()));
    const left = this.#open.length - this.#given.length;
    find('card', HTMLDivElement).replaceChildren(
      say(`${countOf(left, 'row')} to go, ${countOf(this.count, 'label')} given.`, 'hint'),
      make('p', { className: 'case' }, line === undefined ? 'There are no more.' : describeInput(line.input)),
      make('p', { className: 'acts' }, ...keys, act('s', 'Skip'), act('u', 'Undo'), train),
    );
  }

  #list(): GivenLabel[] {
    return this.#given.flatMap((decision, at) => {
      const row = this.#open[at]?.row;
      return decision === null || row === undefined ? [] : [{ row, decision }];
    });
  }
}
