/** Functions and names of CEL's libraries, JavaScript, SQL and spreadsheets, with their equivalents in a rule. */
import { ruleFunctions } from '../functions.ts';
import { findNearest } from '../suggest.ts';
import { macros } from '../tree.ts';

/** A hint about something that the language does not have. */
type Refusal = { message: string; suggestion: string | null };
/** A call as it is written: `math` of `math.greatest`, the receiver of a method else, and the arguments. */
export type WrittenCall = { name: string; library: string | null; receiver: string | null; args: readonly string[] };

const whereMissing = 'Write has(ctx.field) ? ctx.field : fallback.';
const noLibrary = 'Send the value as a number, or test the text with matches or startsWith.';
const noClock = 'Put the time into the input, and compare it with timestamp(ctx.time).';

/** Replacements by foreign names: `$0` is the first argument or the receiver, `$1` the rest, `$*` both. */
const remedies: readonly [names: string, remedy: string][] = [
  ['len length count', 'Write size($*).'],
  ['greatest', 'Write max($*).'],
  ['least', 'Write min($*).'],
  ['lower lowercase tolowercase tolower lcase casefold', 'Write $0.foldCase().'],
  ['upper uppercase touppercase toupper ucase', 'Write $0.upperAscii().'],
  ['strip', 'Write $0.trim().'],
  ['includes', 'Write $0.contains($1), or $1 in $0 of a list.'],
  ['any some', 'Write $0.exists(item, …).'],
  ['every', 'Write $0.all(item, …).'],
  ['existsone', 'Write $0.exists_one(item, …).'],
  ['transformlist transformmap transformmapentry', 'Write $0.map(item, …).'],
  ['hasall sets.contains', 'Write list.all(item, item in other).'],
  ['hasany sets.intersects', 'Write list.exists(item, item in other).'],
  ['sets.equivalent', 'Write a.all(item, item in b) && b.all(item, item in a).'],
  ['isempty isblank', 'Write $0 == "" or size($0) == 0.'],
  ['isnull', 'Write $0 == null.'],
  ['get orvalue coalesce ifnull nvl', whereMissing],
  ['exists', 'Write has($0), or list.exists(item, …).'],
  ['hasvalue isset defined', 'Write has(ctx.field).'],
  ['if iif', 'Write test ? value : otherwise.'],
  ['find findall extract regex_match regexp_matches test', 'Write $0.matches("pattern").'],
  ['date datetime todate parsedate', 'Write timestamp("2026-01-31T09:00:00Z").'],
  ['now today sysdate getdate current_date', noClock],
  ['year', 'Write timestamp($0).getFullYear().'],
  ['month', 'Write timestamp($0).getMonth(), 0 for January.'],
  ['day', 'Write timestamp($0).getDate().'],
  ['weekday', 'Write timestamp($0).getDayOfWeek(), 0 for Sunday.'],
  ['hour', 'Write timestamp($0).getHours().'],
  ['str tostring text', 'Write string($*).'],
  ['float number tonumber parsefloat decimal', 'Write double($*).'],
  ['integer parseint uint', 'Write int($*).'],
  ['dyn', 'Leave out dyn: write $*.'],
  ['typeof istype', 'Write type($0) == string.'],
  ['concat', 'Join strings with +.'],
  ['quantity isquantity ip isip containsip cidr iscidr containscidr semver issemver url isurl', noLibrary],
];

const remedyByName = new Map(remedies.flatMap(([names, remedy]) => names.split(' ').map((name) => [name, remedy])));
/** Names in front of a point that stand for a library, not for a value. */
const libraries = new Set(['math', 'sets', 'strings', 'regex', 'optional', 'base64', 'cel', 'date', 'json']);
const maxShown = 60;

/** True for a name that other languages have for a library of functions. */
export function isLibrary(name: string): boolean {
  return libraries.has(name.toLowerCase());
}

/** Says what does here what a function of another name does elsewhere, or which one was meant. */
export function refuseUnknownFunction(call: WrittenCall): Refusal {
  const { name, library } = call;
  const full = library === null ? name : `${library}.${name}`;
  const message = `Unknown function: ${full}.`;
  const own = remedyByName.get(full.toLowerCase());
  const remedy = own ?? remedyByName.get(name.toLowerCase());
  if (library !== null && own === undefined && ruleFunctions.has(name))
    return { message, suggestion: `Write ${name}(${shorten(call.args)}).` };
  if (remedy !== undefined) return { message, suggestion: fill(remedy, call) };
  if (macros.some((macro) => macro === name)) return { message, suggestion: `Write list.${name}(item, …).` };
  const nearest = findNearest(name, [...ruleFunctions.keys(), ...macros, 'has']);
  return { message, suggestion: nearest ? `Did you mean ${nearest}?` : null };
}

function fill(remedy: string, { receiver, args }: WrittenCall): string {
  const all = receiver === null ? args : [receiver, ...args];
  const parts: Record<string, string> = {
    $0: shorten(all.slice(0, 1)),
    $1: shorten(all.slice(1)),
    '$*': shorten(all),
  };
  return remedy.replace(/\$[01*]/g, (place) => parts[place] ?? '');
}

function shorten(parts: readonly string[]): string {
  const text = parts.join(', ');
  return text === '' || text.length > maxShown ? '…' : text;
}

/** Suggests a literal for a name that means one in other languages: `True`, `NULL`, `None`. */
export function suggestLiteral(name: string): string | null {
  const lowered = name.toLowerCase();
  if (lowered === 'true' || lowered === 'false' || lowered === 'null') return `Write ${lowered}.`;
  return ['none', 'nil', 'undefined'].includes(lowered) ? 'Write null, or !has(ctx.field) for a missing field.' : null;
}

/** Reads `ctx.order-id` as `ctx["order-id"]` where `id` is not a name in scope; null where it is a difference. */
export function findHyphenatedName(source: string, scope: readonly string[]): string | null {
  const match = /^(.+)\.([A-Za-z_]\w*(?:-[A-Za-z_]\w*)+)$/.exec(source);
  const [, ...rest] = match?.[2]?.split('-') ?? [];
  return match && rest.some((name) => !scope.includes(name)) ? `${match[1]}["${match[2]}"]` : null;
}
