/** The result of a training on the page: the number, the matrix with its rows, and what is to be known beside it. */
import { find, make, say } from '../edge/page/elements.ts';
import { quoteAccuracy } from '../engine/measure/quote-share.ts';
import { countOf, formatCount, formatShare } from '../engine/numeric.ts';
import { drawMatrix } from '../engine/report/draw-matrix.ts';
import type { HeldOutLine, TrainedResult } from './messages.ts';

/** Rows that are shown before the others are asked for. */
const firstRows = 8;
const maxShownRows = 500;

/** Shows the figures of a trained policy. */
export function showResult(result: TrainedResult): void {
  const { whole, notes, learned, seconds, ofRows } = result;
  const quote = whole === null ? null : quoteAccuracy(whole.accuracy);
  find('number', HTMLHeadingElement).replaceChildren(
    quote === null ? 'Not measured: no row is held out' : `${result.name}: ${quote.phrase}`,
  );
  const trained = `Learned from ${countOf(learned, 'row')}${seconds === null ? '' : ` in ${seconds.toFixed(1)} s`}.`;
  const first =
    ofRows === null
      ? []
      : [
          say(
            `A first number, of some of the ${formatCount(ofRows)} rows. All of them are being learned: it changes then.`,
          ),
        ];
  find('figures', HTMLDivElement).replaceChildren(
    ...first,
    ...(whole === null ? [] : [say(whole.headline)]),
    say([trained, ...notes].join(' '), 'hint'),
  );
  showMatrix(result);
}

/** The matrix of the report, whose cells show their rows. */
function showMatrix({ confusion, heldOut }: TrainedResult): void {
  const place = find('matrix', HTMLDivElement);
  place.innerHTML = drawMatrix(confusion);
  showRows(
    'Wrong, the most confident first',
    heldOut.filter(({ expected, predicted }) => expected !== predicted),
  );
  const { confusion_labels: labels } = confusion;
  for (const [right, line] of [...place.querySelectorAll('.matrix tbody tr')].entries()) {
    for (const [decided, cell] of [...line.querySelectorAll('td')].entries()) {
      const [expected, predicted] = [labels[right] ?? '', labels[decided] ?? ''];
      const rows = heldOut.filter((row) => row.expected === expected && row.predicted === predicted);
      if (rows.length === 0) continue;
      const open = make('button', { type: 'button', className: 'cell' }, cell.textContent);
      open.setAttribute('aria-label', `${countOf(rows.length, 'row')} of ${expected} decided as ${predicted}`);
      open.addEventListener('click', () => showRows(`${expected}, decided as ${predicted}`, rows));
      cell.replaceChildren(open);
    }
  }
}

function showRows(title: string, rows: readonly HeldOutLine[], count = firstRows): void {
  const sorted = [...rows].sort((a, b) => b.probability - a.probability).slice(0, count);
  const heads = ['Actual', 'Decided', 'Sure', 'Input'].map((head) => make('th', { scope: 'col' }, head));
  const lines = sorted.map(({ expected, predicted, probability, input }) =>
    make(
      'tr',
      {},
      ...[expected, predicted].map((option) => make('td', {}, make('bdi', {}, option))),
      make('td', {}, formatShare(probability)),
      make('td', { className: 'input' }, describeInput(input)),
    ),
  );
  const more = make('button', { type: 'button', className: 'plain' }, 'Show more');
  more.addEventListener('click', () => showRows(title, rows, maxShownRows));
  const head = make('thead', {}, make('tr', {}, ...heads));
  find('rows', HTMLDivElement).replaceChildren(
    make('h3', {}, `${title}: ${countOf(rows.length, 'row')}`),
    ...(rows.length === 0 ? [] : [make('table', { className: 'rows' }, head, make('tbody', {}, ...lines))]),
    ...(rows.length > sorted.length && count < maxShownRows ? [make('p', {}, more)] : []),
  );
}

/** Writes an input in one line: its one text alone, else fields with their values. */
function describeInput(input: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(input);
  const [[, only] = []] = fields;
  if (fields.length === 1 && typeof only === 'string') return only;
  return fields
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' · ');
}
