import { withoutPasswords } from './secret-text.ts';

const LONGEST = 200;
const USER = /^(https?:[/\\]*)[^/\\?#]*@/i;
/** What a colon begins that stands behind the first name, unless it is a port: somebody has left out the host. */
const NO_PORT =
  /^((?:jdbc:)?[a-z][a-z0-9+.-]*:[/\\]{2,}[^/\\?#:@[]*:)(?!\d{0,5}(?:[/\\?#]|$))(?!\*\*\*)[^/\\?#]+/i;
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
  if (end < 0) return text.replace(NO_PORT, '$1***');
  return `${SCHEME.exec(text)?.[0] ?? ''}***${text.slice(end)}`;
}
