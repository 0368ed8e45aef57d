/** The part of the report about groups that must not be harmed. */

import type { MeasuredShare } from '../measured.ts';
import { formatCount, formatRange, formatShare } from '../numeric.ts';
import type { GroupReport } from './groups.ts';
import { quoteText } from './html.ts';

/** Writes for each field its sentence and a table of the option that goes to its groups least evenly. */
export function describeGroups(reports: readonly GroupReport[]): string {
  return reports.map(describeField).join('');
}

function describeField({ sentence, groups, ratios: [lowest] }: GroupReport): string {
  const said = `<p>${quoteText(sentence)}</p>`;
  if (lowest === undefined) return said;
  const heads = [
    'Group',
    'Examples',
    quoteText(lowest.option),
    'wrongly',
    'wrongly not',
    'Automated',
    'Wrong among these',
  ];
  const rows = groups.map(({ name, rows: count, options, automatic, error_automatic: error }) => {
    const own = options.find(({ option }) => option === lowest.option);
    const shares = [own?.given, own?.false_positive, own?.false_negative, automatic, error];
    const cells = own === undefined ? '<td colspan="5">too few</td>' : shares.map(showRange).join('');
    return `<tr><th scope="row">${quoteText(name)}</th><td>${formatCount(count)}</td>${cells}</tr>`;
  });
  return `${said}<table class="groups"><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr>${rows.join('')}</table>`;
}

function showRange(measured: MeasuredShare | null | undefined): string {
  if (measured == null || measured.share === null) return '<td>none</td>';
  const { share, low, high } = measured;
  return `<td>${formatShare(share)}<br><span class="quiet">${formatRange({ low, high })}</span></td>`;
}
