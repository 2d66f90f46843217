import { didYouMean, type Finding, nearest } from '#errors/index.ts';
import {
  getMember,
  isObject,
  isSecretName,
  isSecretText,
  type JsonValue,
  shownAddress,
  withoutPasswords,
} from '#json/index.ts';
import type { AnyConfigDefinition, Doubt } from './config-definition.ts';
import type { SchemaIssue } from './config-schema.ts';
import type { UndescribedKey } from './described-keys.ts';
import type { JsonDocument } from './json-document.ts';
import { variableOf } from './property-source.ts';
import type { Mistyped } from './substitution.ts';

/** A checked configuration text, as findings need it. */
export interface CheckedText {
  /** File as the operator knows it, such as `conf/scheduler.json`. */
  readonly file: string;
  readonly document: JsonDocument;
  /** The value after substitution. */
  readonly value: JsonValue;
  readonly undescribed: readonly UndescribedKey[];
}

export function unknownKeyFinding(text: CheckedText, { path, key, candidates }: UndescribedKey): Finding {
  const hint = didYouMean(key, candidates);
  return {
    id: 'CONFIG_UNKNOWN_KEY',
    where: place(text, [...path, key], 'key'),
    message: `unknown key "${key}"`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * What a schema has against a value, in the house's words. A missing key that stands there misspelt is left to
 * the finding about the unknown key.
 */
export function issueFinding(
  text: CheckedText,
  definition: AnyConfigDefinition,
  issue: SchemaIssue,
): Finding | undefined {
  const { path } = issue;
  const { params } = issue;
  const value = valueAt(text.value, path);
  if (value === undefined && path.length > 0 && params?.statement === undefined)
    return missingKeyFinding(text, definition, path);
  const hint = params?.hint ?? unresolvedHint(value) ?? spellingHint(issue, value);
  const said = path.length === 0 ? '' : `"${formatPath(path)}" `;
  return {
    id: params?.id ?? 'CONFIG_BAD_VALUE',
    where: place(text, path, 'value'),
    message: params?.statement ?? `${said}${demandOf(issue)}, not ${showValue(value, path)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Undefined when the key stands there misspelt: the finding about the unknown key says it all. */
export function missingKeyFinding(
  text: CheckedText,
  definition: AnyConfigDefinition,
  path: readonly PropertyKey[],
): Finding | undefined {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  const neighbours = text.undescribed.filter((other) => isSamePath(other.path, parent));
  if (neighbours.some((other) => other.refused && nearest(other.key, other.candidates) === key))
    return undefined;
  const misspelt = neighbours.find((other) => nearest(other.key, [key]) !== undefined);
  const special = definition.missing?.[formatPath(path)];
  const hint = misspelt === undefined ? special?.hint : `Rename "${misspelt.key}" to "${key}"`;
  return {
    id: special?.id ?? 'CONFIG_MISSING_KEY',
    where: place(text, parent, 'value'),
    message: `missing required key "${key}"`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A value that is not of the type that its `$…` says. */
export function mistypedFinding(file: string, document: JsonDocument, { path, message }: Mistyped): Finding {
  const { line, column } = document.positionOf(path, 'value');
  return { id: 'CONFIG_BAD_TYPE', where: `${file}:${line}:${column}`, message };
}

/** Keys that are taken and change nothing. */
export function idleKeysFinding(text: CheckedText, keys: readonly string[], because: string): Finding {
  const named = keys.map((key) => `"${key}"`).join(', ');
  return {
    id: 'CONFIG_WITHOUT_EFFECT',
    where: place(text, keys.slice(0, 1), 'key'),
    message: `${named} ${keys.length === 1 ? 'has' : 'have'} no effect: ${because}`,
  };
}

/** Keys that nothing reads, by their paths; the place is that of the first. */
export function unreadKeysFinding(
  text: CheckedText,
  keys: readonly UndescribedKey[],
  what: string,
  hint?: string,
): Finding {
  const named = keys.map(({ path, key }) => `"${formatPath([...path, key])}"`);
  const shown = named.slice(0, MOST_NAMED);
  const more = named.length - shown.length;
  const list = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
  return {
    id: 'CONFIG_UNREAD_KEY',
    where: place(
      text,
      keys.slice(0, 1).flatMap(({ path, key }) => [...path, key]),
      'key',
    ),
    message: `${list} ${named.length === 1 ? 'is' : 'are'} ${what}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

const MOST_NAMED = 8;

/** A value that is taken, and probably not meant. */
export function doubtFinding(text: CheckedText, key: string, doubt: Doubt): Finding {
  return { ...doubt, where: place(text, [key], 'value') };
}

/** The last part of a sentence that begins with the name of the value. */
function demandOf(issue: SchemaIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[String(issue.expected)] ?? `of type ${String(issue.expected)}`}`;
    case 'invalid_value':
      return `must be one of ${listOf(issue.values)
        .map((value) => JSON.stringify(value))
        .join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}`;
    default:
      return issue.message;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

function spellingHint(issue: SchemaIssue, value: JsonValue | undefined): string | undefined {
  const words = listOf(issue.values).filter((word) => typeof word === 'string');
  return typeof value === 'string' ? didYouMean(value, words) : undefined;
}

function unresolvedHint(value: JsonValue | undefined): string | undefined {
  const name = typeof value === 'string' ? /&\{([^&{}]+)\}/.exec(value)?.[1] : undefined;
  return name === undefined
    ? undefined
    : `'${name}' has no value: set it in conf/boot/boot.properties or as ${variableOf(name)}`;
}

function listOf(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

const LONGEST_SHOWN = 60;

function showValue(value: JsonValue | undefined, path: readonly PropertyKey[]): string {
  if (path.some((key) => isSecretName(String(key)) || /password|secret/i.test(String(key))))
    return 'the value there';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string' && isSecretText(value)) return 'the value there';
  const shown = JSON.stringify(typeof value === 'string' ? withoutSecrets(value) : value);
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown;
}

/** What was meant for an address may be none, and hold a password all the same. */
function withoutSecrets(text: string): string {
  const place = text.indexOf('//');
  return place >= 0 && text.includes('@', place) ? shownAddress(text) : (withoutPasswords(text) ?? text);
}

function valueAt(root: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value)) value = getMember(value, String(key));
    else return undefined;
  }
  return value;
}

function isSamePath(one: readonly PropertyKey[], other: readonly PropertyKey[]): boolean {
  return one.length === other.length && one.every((key, depth) => key === other[depth]);
}

/** `threadPool.threadCount`, `objects[2].name`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function place(text: CheckedText, path: readonly PropertyKey[], part: 'key' | 'value'): string {
  const { line, column } = text.document.positionOf(path, part);
  return `${text.file}:${line}:${column}`;
}
