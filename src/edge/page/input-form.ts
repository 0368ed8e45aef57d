/** The form for one input: a field of the page for each field that the policy reads. */
import { readPlain } from '../../engine/import/field-kinds.ts';
import type { EdgeField, Input } from '../api.ts';
import { make } from './elements.ts';

type Control = { field: EdgeField; element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement };

/** A text that cannot be an input's value, with the name of its field. */
export class UnreadableField extends Error {}

const maxShownValues = 200;

/** Fills a form with controls; the function reads what was entered. Throws UnreadableField. */
export function fillForm(form: HTMLFormElement, fields: readonly EdgeField[]): () => Input {
  const controls = fields.map((field, index): Control => {
    const element = makeControl(field, `values-${index}`);
    element.required = field.required;
    const hint = describeField(field);
    const label = make('label', {}, make('bdi', {}, field.path.join('.')), element);
    if (hint !== '') label.append(make('span', { className: 'hint' }, hint));
    if (element instanceof HTMLTextAreaElement) label.className = 'wide';
    form.append(label);
    if (field.values !== null) form.append(makeValues(field.values, `values-${index}`));
    return { field, element };
  });
  const clear = make('button', { type: 'reset', className: 'plain' }, 'Clear');
  form.append(make('p', { className: 'acts' }, make('button', { type: 'submit' }, 'Decide'), clear));
  return () => {
    const input: Record<string, unknown> = {};
    for (const { field, element } of controls)
      if (element.value.trim() !== '') place(input, field.path, readValue(field, element.value));
    return input;
  };
}

function makeControl({ kind }: EdgeField, listId: string): Control['element'] {
  switch (kind) {
    case 'boolean':
      return make(
        'select',
        {},
        make('option', { value: '' }, 'not known'),
        make('option', { value: 'true' }, 'yes'),
        make('option', { value: 'false' }, 'no'),
      );
    case 'number':
      return make('input', { type: 'number', step: 'any' });
    case 'date':
      return make('input', { type: 'date' });
    case 'text':
    case 'conversation':
      return make('textarea');
    default: {
      const element = make('input', { type: 'text' });
      element.setAttribute('list', listId);
      return element;
    }
  }
}

function makeValues(values: readonly string[], id: string): HTMLDataListElement {
  return make('datalist', { id }, ...values.slice(0, maxShownValues).map((value) => make('option', { value })));
}

function describeField({ kind, range, required }: EdgeField): string {
  const parts = [
    range === null ? '' : `${range[0]} to ${range[1]} in the examples`,
    kind === 'numbers' || kind === 'strings' || kind === 'objects' ? 'a list as JSON, such as ["a", "b"]' : '',
    required ? 'needed' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function readValue({ kind, path }: EdgeField, text: string): unknown {
  switch (kind) {
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'numbers':
    case 'strings':
    case 'objects':
      return readList(text, path.join('.'));
    case 'any':
      return readPlain(text);
    default:
      return text;
  }
}

function readList(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Said below, as for JSON that is no list.
  }
  throw new UnreadableField(`${name} is no list as JSON. Write it such as ["a", "b"].`);
}

/** Puts a value at its path in an input. */
export function place(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...inner] = path;
  if (inner.length === 0) {
    Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const known = Object.hasOwn(input, name) ? input[name] : undefined;
  const level: Record<string, unknown> = typeof known === 'object' && known !== null ? { ...known } : {};
  place(level, inner, value);
  place(input, [name], level);
}
