/** Kinds and roles that a file gives its columns, in lines of their own or before the names. */
import type { Json } from '../../json.ts';

/** The role of a column, where the file gives one. */
type ColumnRoleMark = 'answer' | 'aside' | null;
/** The names without what was said with them, the lines that only say it, and the role of each column. */
export type SaidColumns = { names: Json[]; lines: number; roles: ColumnRoleMark[]; note: string };

const toText = (cell: Json | undefined) => String(cell ?? '').trim();

/** Kinds as databases and data frames write them, and the words and letters of Orange. */
const databaseKind =
  /^(?:nullable|lowcardinality|array|list)?\(*(?:u?int(?:eger)?\d*|(?:big|small|tiny|medium) ?int|serial|float\d*|double(?: precision)?|real|decimal|numeric|number|money|bool(?:ean)?|bit|n?(?:var)?char(?:acter)?2?(?: varying)?|n?text|string|str|object|category|nominal|ordinal|categorical|factor|logical|character|<\w{3,4}>|date(?:time)?\d*(?:\[ns\])?|time(?:stamp)?(?:tz|_ntz|_ltz)?(?: with(?:out)? time zone)?|uuid|jsonb?|enum|blob|clob|bytes)(?:type)?(?:\(.*)?\)*$/i;
const orangeKind = /^(?:c|continuous|numeric|d|discrete|categorical|s|string|text|t|time)$/i;
const orangeRole = /^(?:c|class|m|meta|metas|i|ignore)?(?: \w+=.*)*$/i;

const toRole = (text: string): ColumnRoleMark => (/^c/i.test(text) ? 'answer' : /^[mi]/i.test(text) ? 'aside' : null);

/** Whether cells say the kind of each column, with words that no row below has. */
export function areKinds(cells: readonly Json[], below: readonly (readonly Json[])[], width: number): boolean {
  const texts = cells.slice(0, width).map(toText);
  const isKind = (text: string, column: number) =>
    text === ''
      ? column === 0 || below.every((row) => toText(row[column]) === '')
      : databaseKind.test(text) || orangeKind.test(text) || listsValues(text, below, column);
  return (
    below.length > 0 &&
    texts.length === width &&
    texts.every(isKind) &&
    texts.some((text) => text.length > 1 || (text !== '' && width > 1)) &&
    texts.every((text, column) => text === '' || !below.some((row) => toText(row[column]) === text))
  );
}

/** Whether a text of several words lists all values of a column, as Orange may write for a discrete one. */
function listsValues(text: string, below: readonly (readonly Json[])[], column: number): boolean {
  const values = new Set(text.split(' '));
  return values.size > 1 && below.every((row) => values.has(toText(row[column])) || toText(row[column]) === '');
}

/** `mS#note`: a role, a kind, and the name behind them. */
const marked = /^([cmi]?)([CDSTNU]?)#(.+)$/;

function readMarks(names: readonly Json[]): SaidColumns | null {
  const marks = names.map((name) => marked.exec(toText(name)));
  const found = marks.filter((mark) => mark !== null && `${mark[1]}${mark[2]}` !== '').length;
  if (found * 2 < names.length || found === 0) return null;
  return {
    names: names.map((name, column) => marks[column]?.[3] ?? name),
    lines: 0,
    roles: marks.map((mark) => toRole(mark?.[1] ?? '')),
    note: 'What stands before “#” in the names is the kind and role of a column, as Orange writes them, and left out',
  };
}

function readLines(names: readonly Json[], below: readonly (readonly Json[])[]): SaidColumns | null {
  const [kinds, second, ...rest] = below;
  if (kinds === undefined || second === undefined) return null;
  const width = names.findLastIndex((name) => toText(name) !== '') + 1;
  const roles = second.slice(0, width).map(toText);
  const hasRoles = rest.length > 0 && roles.every((role) => orangeRole.test(role)) && roles.some((role) => role !== '');
  const rows = hasRoles ? rest : below.slice(1);
  if (!areKinds(kinds, rows, width)) return null;
  // Single letters may be the values of a row: those of other columns must differ.
  const areLetters = kinds.slice(0, width).every((kind) => toText(kind).length === 1);
  if (areLetters && !hasRoles && new Set(kinds.map(toText)).size < 2) return null;
  const lines = hasRoles ? 2 : 1;
  return {
    names: [...names],
    lines,
    roles: Array.from({ length: width }, (_, column) => (hasRoles ? toRole(roles[column] ?? '') : null)),
    note: hasRoles
      ? 'The two lines below the names say the kind and role of each column, and are no rows'
      : 'The line below the names says the kind of each column, and is no row',
  };
}

/** The forms in which a file says more of its columns, the more certain first. */
const forms = [readMarks, readLines];

/** Reads the kinds and roles of columns with their names and in the lines below them; null without any. */
export function readSaidColumns(names: readonly Json[], below: readonly (readonly Json[])[]): SaidColumns | null {
  for (const read of forms) {
    const said = read(names, below);
    if (said !== null) return said;
  }
  return null;
}
