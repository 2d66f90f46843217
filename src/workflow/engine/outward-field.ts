import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Expression, onlyNode, splitTemplate, toJson, toText, type Value } from '../expression/index.ts';
import { readAddress } from './outward-address.ts';

/** A header as its task has it, not looked at yet; the value is null where the line has none. */
export type HeaderLine = { readonly name: string; readonly value: string | null };

type Resolve = (expression: Expression) => Promise<Value>;
type Reader = (template: Expression, resolve: Resolve) => Promise<JsonValue>;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['http.requestUrl', readAddress],
  ['http.requestHeaders', readHeaderLines],
  ['mail.headers', readHeaderLines],
  ['mail.to', readRecipients],
  ['mail.cc', readRecipients],
  ['mail.bcc', readRecipients],
]);

/**
 * The value of a field of a task of a type. Headers (`headerLines` reads them), recipients (texts) and the host of an address
 * (`addressIn`) are told apart in the template, and each is evaluated alone: whoever sets a variable may write a value, and no
 * header, recipient or host of its own.
 */
export async function outwardField(
  type: string,
  name: string,
  template: Expression,
  resolve: Resolve,
): Promise<JsonValue> {
  const reader = READERS.get(`${type}.${name}`);
  return reader === undefined ? toJson(await resolve(template)) : await reader(template, resolve);
}

/** The headers that a field has been given. */
export function headerLines(fields: JsonObject, name: string): HeaderLine[] {
  const lines = getMember(fields, name);
  return (Array.isArray(lines) ? lines : []).filter(isObject).map(({ name = null, value = null }) => ({
    name: toText(name),
    value: value === null ? null : toText(value),
  }));
}

async function readHeaderLines(template: Expression, resolve: Resolve): Promise<JsonValue> {
  const lines = splitTemplate(template, /\r?\n/g).filter((line) => !isBlank(line));
  const [first] = lines;
  const kind = first && lines.length === 1 ? onlyNode(first)?.kind : undefined;
  // The process has given the whole field to one variable, with as many headers as that has.
  if (first && (kind === 'name' || kind === 'function')) return headersOf(toJson(await resolve(first)));
  const found: HeaderLine[] = [];
  for (const line of lines) {
    const [name, value] = splitTemplate(line, /:/g, 2);
    if (name === undefined) continue;
    const text = toText(await resolve(name));
    if (value !== undefined) found.push({ name: text.trim(), value: toText(await resolve(value)) });
    else if (text.trim() !== '') found.push(headerOf(text));
  }
  return found;
}

function headersOf(value: JsonValue): HeaderLine[] {
  if (Array.isArray(value)) return value.flatMap((each) => headersOf(each));
  if (isObject(value)) return Object.entries(value).map(([name, each]) => ({ name, value: toText(each) }));
  return toText(value)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(headerOf);
}

/** A text with a line break becomes a name as a whole, which no header may have. */
function headerOf(text: string): HeaderLine {
  const [, name = text, value = null] = /^([^:]*):(.*)$/.exec(text) ?? [];
  return { name: name.trim(), value };
}

async function readRecipients(template: Expression, resolve: Resolve): Promise<string[]> {
  const found: string[] = [];
  for (const piece of splitTemplate(template, /\\.|"|,/gs)) {
    const value = await resolve(piece);
    if (Array.isArray(value)) found.push(...value.map((each) => toText(each)));
    // A variable alone may hold several; one with words around it is one.
    else if (onlyNode(piece) !== undefined) found.push(...splitRecipients(toText(value)));
    else found.push(toText(value));
  }
  return found.filter((text) => text.trim() !== '');
}

/** Commas inside quotes belong to a name, and so does all behind a quote that nothing closes. */
function splitRecipients(text: string): string[] {
  return text.match(/(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^,"])+/gs) ?? [];
}

function isBlank({ parts }: Expression): boolean {
  return parts.every((part) => typeof part === 'string' && part.trim() === '');
}
