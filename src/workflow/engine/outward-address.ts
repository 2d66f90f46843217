import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Expression, toText, type Value } from '../expression/index.ts';

/** The address of a request, and the value in it, if there is one, that would have moved its host. */
export type OutwardAddress = { readonly url: string; readonly misplaced: string | null };

/** What part of a host, a port, a name or a password may be written with, or the address of a machine in brackets. */
const PIECE = /^(?:[\w.~%!$&'()*+,;=-]*|\[[\da-f:.]+\])$/i;
const OPEN_AUTHORITY = /^https?:\/\/([^/?#\\]*)$/i;

/**
 * Reads a template of a URL. Its scheme, host and port end where the template says so: a value that stands among them, or right
 * behind, brings nothing that would end them elsewhere. One at the beginning may be the whole, or its base.
 */
export async function readAddress(
  template: Expression,
  resolve: (expression: Expression) => Promise<Value>,
): Promise<OutwardAddress> {
  const parts = trimmed(template.parts);
  let url = '';
  let misplaced: string | null = null;
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') {
      url += part;
      continue;
    }
    const given = toText(await resolve({ text: template.text, parts: [part] }));
    const value = url === '' ? given.trimStart() : given;
    const next = parts[at + 1];
    if (!fits(url, value, typeof next === 'string' ? next : '')) misplaced ??= value;
    url += value;
  }
  return { url, misplaced };
}

/** The address that a field has been given. */
export function addressIn(value: JsonValue | undefined): OutwardAddress {
  const { url = '', misplaced = null }: JsonObject = isObject(value) ? value : { url: value ?? '' };
  return { url: toText(url).trim(), misplaced: misplaced === null ? null : toText(misplaced) };
}

/** @param next what the template says right behind */
function fits(before: string, value: string, next: string): boolean {
  if (before === '') return !next.startsWith('://') || /^https?$/i.test(value);
  const authority = OPEN_AUTHORITY.exec(before)?.[1];
  if (authority === undefined) return /^https?:\/\//i.test(before) || /^[a-z]*$/i.test(value);
  // The template goes on with them.
  if (/^[^/?#\\]/.test(next)) return PIECE.test(value);
  if (authority === '') return true;
  if (authority.endsWith(':')) return /^\d*(?:[/?#]|$)/.test(value);
  return /[\w\])]$/.test(authority)
    ? /^(?::\d+)?(?:[/?#]|$)/.test(value)
    : /^[\w.-]*(?::\d+)?(?:[/?#]|$)/.test(value);
}

/** A process file has line breaks and indentation around it. */
function trimmed(parts: Expression['parts']): Expression['parts'] {
  const last = parts.length - 1;
  return parts
    .map((part, at) => {
      if (typeof part !== 'string') return part;
      const text = at === 0 ? part.trimStart() : part;
      return at === last ? text.trimEnd() : text;
    })
    .filter((part) => part !== '');
}
