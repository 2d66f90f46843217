import { withoutPasswords } from './secret-text.ts';

const LONGEST = 200;
const USER = /^(https?:[/\\]*)[^/\\?#]*@/i;
const SCHEME = /^(?:jdbc:)?[^:/\\?#@]*:[/\\]{2,}/;

/** An address as messages may show it, whether it is one or not: without its user, what comes behind its path, and secrets. */
export function shownAddress(text: string): string {
  const shown = withoutUser(text)
    .replace(/([?#;]).+/s, '$1***')
    .slice(0, LONGEST);
  return withoutPasswords(shown) ?? shown;
}

function withoutUser(text: string): string {
  if (/^https?:/i.test(text) && URL.canParse(text)) return text.replace(USER, '$1***@');
  // In what is no address a password may hold any sign.
  const end = text.lastIndexOf('@');
  return end < 0 ? text : `${SCHEME.exec(text)?.[0] ?? ''}***${text.slice(end)}`;
}
