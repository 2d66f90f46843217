import type { JsonObject } from '#client/index.ts';
import { didYouMean } from '#errors/index.ts';
import { printable } from '../printable.ts';
import { UsageError } from '../usage-error.ts';
import { yamlText } from './yaml-text.ts';

export const FORMS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Form = (typeof FORMS)[number];

const MOST_COLUMNS = 6;
const WIDEST_CELL = 40;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export function readForm(given: string | undefined): Form {
  if (given === undefined) return process.stdout.isTTY ? 'table' : 'json';
  const form = FORMS.find((each) => each === given);
  if (form !== undefined) return form;
  throw new UsageError(
    `there is no output '${given}'. ${didYouMean(given, FORMS) ?? `There are ${FORMS.join(', ')}`}`,
  );
}

/** For people. */
export function isTable(form: Form): boolean {
  return form === 'table' || form === 'wide';
}

export function showObject(object: object, form: Form): void {
  const members: JsonObject = { ...object };
  if (form === 'json') say(JSON.stringify(members, null, 2));
  else if (form === 'yaml') say(yamlText(members));
  else if (form === 'name') say(String(members['_id']));
  else {
    const width = Math.max(...Object.keys(members).map((name) => name.length));
    for (const [name, value] of Object.entries(members)) say(`${name.padEnd(width)}  ${cell(value)}`);
  }
}

/** Shows a list page by page: a table has the columns and widths of its first page. */
export class ListWriter {
  readonly #form: Form;
  readonly #fields: readonly string[] | undefined;
  #columns: readonly { readonly name: string; readonly width: number }[] | undefined;

  readonly #note: ((object: JsonObject) => void) | undefined;

  /** @param note told of each object that is shown */
  constructor(form: Form, fields: readonly string[] | undefined, note?: (object: JsonObject) => void) {
    this.#form = form;
    this.#fields = fields;
    this.#note = note;
  }

  show(objects: readonly JsonObject[]): void {
    for (const object of objects) this.#note?.(object);
    if (isTable(this.#form)) this.#showRows(objects);
    else if (this.#form === 'yaml') {
      if (objects.length > 0) say(yamlText(objects));
    } else
      for (const object of objects)
        say(this.#form === 'json' ? JSON.stringify(object) : String(object['_id']));
  }

  #showRows(objects: readonly JsonObject[]): void {
    const isFirst = this.#columns === undefined;
    this.#columns ??= columnsOf(
      objects,
      this.#fields,
      this.#form === 'wide' ? Number.POSITIVE_INFINITY : MOST_COLUMNS,
    );
    const columns = this.#columns;
    const line = (texts: readonly string[]) => {
      const cells = columns.map(({ width }, at) => (texts[at] ?? '').slice(0, width).padEnd(width));
      const text = cells.join('  ').trimEnd();
      say(process.stdout.isTTY && this.#form === 'table' ? text.slice(0, process.stdout.columns) : text);
    };
    if (isFirst) line(columns.map(({ name }) => name.replace(/^_/, '').toUpperCase()));
    for (const object of objects) line(columns.map(({ name }) => cell(object[name])));
  }
}

function columnsOf(objects: readonly JsonObject[], fields: readonly string[] | undefined, most: number) {
  const seen = new Set(
    objects.flatMap((object) => Object.keys(object).filter((name) => isShort(object[name]))),
  );
  seen.delete('_rev');
  const names = ['_id', ...(fields ?? [...seen]).filter((name) => name !== '_id')];
  const shown = fields === undefined ? names.slice(0, most) : names;
  return shown.map((name) => {
    const longest = Math.max(name.length, ...objects.map((object) => cell(object[name]).length));
    return { name, width: name === '_id' ? longest : Math.min(longest, WIDEST_CELL) };
  });
}

function isShort(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && INSTANT.test(value)) return localTime(value);
  return printable(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\n', '\\n');
}

/** A time with the offset that clocks of this machine have then. */
function localTime(instant: string): string {
  const at = new Date(instant);
  const offset = -at.getTimezoneOffset();
  if (Number.isNaN(offset) || offset === 0) return instant;
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1);
  return `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

export function say(text: string): void {
  console.log(printable(text));
}
