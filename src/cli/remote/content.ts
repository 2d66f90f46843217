import type { PatchOperation } from '#client/index.ts';
import { wordsOf } from '#errors/index.ts';
import { UsageError } from '../usage-error.ts';
import { type Flags, readInput, readText, textOf } from './connection.ts';
import type { Flag } from './verb.ts';

export const FILE_FLAG: Readonly<Record<string, Flag>> = {
  file: {
    value: '<file>',
    short: 'f',
    does: 'JSON; - is the input. What is secret goes there: others can read a command line',
  },
};

export const ASSIGNMENTS = '[name=text …]';

export const CONTENT_NOTES = `  name=text           a property that is text; name:=json is a number, true, a list, …`;

export function isAssignment(text: string): boolean {
  return text.includes('=');
}

/** What is to be sent: from the command line, a file or the input. */
export function contentOf(flags: Flags, assignments: readonly string[]): unknown {
  const file = textOf(flags, 'file');
  if (file === undefined) {
    if (assignments.length === 0) throw new UsageError('there is nothing to send: name=text, or -f <file>');
    return Object.fromEntries(assignments.map(assigned));
  }
  if (assignments.length > 0)
    throw new UsageError('the content comes from -f or from name=text, not from both');
  if (file === '-' && flags['password-stdin'] === true) {
    throw new UsageError('the input holds the password or the content, not both');
  }
  return jsonOf(file === '-' ? readInput() : readText(file, '-f'), file === '-' ? 'the input' : `'${file}'`);
}

function assigned(text: string): [string, unknown] {
  const [, name, isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`'${text}' is no name=text`);
  return [name, isJson === ':' ? jsonOf(value, `'${text}'`) : value];
}

export function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is no JSON: ${wordsOf(error)}`);
  }
}

export function operationsOf(content: unknown): readonly PatchOperation[] {
  // What stands in a list is judged by the node, which says what is wrong with which.
  if (Array.isArray(content)) return content;
  if (typeof content !== 'object' || content === null) {
    throw new UsageError('a patch is an object of JSON, or a list of operations');
  }
  return Object.entries(content).map(([name, value]) => ({
    operation: 'replace',
    field: name.startsWith('/') ? name : `/${name.replace(/[%~/]/g, encodeSign)}`,
    value,
  }));
}

/** Writes a character that stands for something else in a pointer. */
function encodeSign(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
