import { isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { parseInstant } from '#time/index.ts';
import type { VariableWriter } from '../engine/index.ts';
import { dateOf, dateValue } from '../expression/index.ts';

/** Kept with every instance, handed to scripts, shown to nobody. */
export const CONTEXT_VARIABLE = 'svccontext';

export type VariableType = 'string' | 'integer' | 'double' | 'boolean' | 'date' | 'json' | 'null';

/** How a variable is stored: its value, for scalars the text that queries compare with, and who wrote it. */
export interface StoredVariable {
  readonly scope: number;
  readonly name: string;
  readonly owner: 'process' | VariableWriter;
  readonly type: VariableType;
  readonly value: JsonValue;
  readonly text_value: string | null;
}

export function storedVariable(
  scope: number,
  name: string,
  value: JsonValue,
  owner: StoredVariable['owner'] = 'process',
): StoredVariable {
  const ms = dateOf(value);
  if (ms !== undefined) return { scope, name, owner, type: 'date', value: ms, text_value: String(ms) };
  return { scope, name, owner, type: typeOf(value), value, text_value: textOf(value) };
}

function typeOf(value: JsonValue): VariableType {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'double';
    default:
      return value === null ? 'null' : 'json';
  }
}

/** Postgres cannot store the character U+0000 in text. */
function textOf(value: JsonValue): string | null {
  return typeof value === 'object' ? null : String(value).replaceAll('\u0000', '\uFFFD');
}

/** What of a caller's variables becomes some: in whose name a process acts is nobody's to say. */
export function givenVariables(variables: JsonObject): JsonObject {
  return shownVariables(variables);
}

/** The variables without what nobody is shown. */
export function shownVariables(variables: JsonObject): JsonObject {
  const { [CONTEXT_VARIABLE]: _, ...shown } = variables;
  return shown;
}

/** ISO timestamps in full: a bare date stays a text. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * The variables that the body of a start request means: texts that are ISO timestamps of 24 to 29 characters
 * become dates, and milliseconds since the epoch within lists and objects. At a start only.
 */
export function startVariables(body: JsonObject): JsonObject {
  const variables: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const read = readDates(value);
    const isDate = typeof value === 'string' && typeof read === 'number';
    setMember(variables, name, isDate ? dateValue(read) : read);
  }
  return variables;
}

function readDates(value: JsonValue): JsonValue {
  if (typeof value === 'string') return readTimestamp(value) ?? value;
  if (Array.isArray(value)) return value.map(readDates);
  if (!isObject(value)) return value;
  const read: JsonObject = {};
  for (const [key, member] of Object.entries(value)) setMember(read, key, readDates(member));
  return read;
}

function readTimestamp(text: string): number | undefined {
  if (text.length < 24 || text.length > 29 || !TIMESTAMP.test(text)) return undefined;
  const at = parseInstant(text.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(at) ? undefined : at;
}

/** A record of steps without what nobody is shown, wherever it stands; dates are milliseconds. */
export function withoutContext(value: JsonValue): JsonValue {
  const ms = dateOf(value);
  if (ms !== undefined) return ms;
  if (Array.isArray(value)) return value.filter((each) => !isContextEntry(each)).map(withoutContext);
  if (!isObject(value)) return value;
  const shown: JsonObject = {};
  for (const [key, member] of Object.entries(shownVariables(value)))
    setMember(shown, key, withoutContext(member));
  return shown;
}

function isContextEntry(value: JsonValue): boolean {
  return isObject(value) && value['name'] === CONTEXT_VARIABLE && 'scope' in value;
}
