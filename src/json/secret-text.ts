import { isSecretName } from './secret-name.ts';

/** What is a secret by itself, whatever it is called: a private key, a token of JSON. */
const WHOLE = /^\s*(?:-----BEGIN [A-Z ]*PRIVATE KEY|ey[IJ][\w-]{10,}\.ey[IJ][\w-]+\.[\w-]*\s*$)/;
/** A URL with the name and the password of a user in it. */
const URL_OF_USER = /^[a-z][a-z0-9+.:-]*:\/\/[^\s/?#:@]*:([^\s/?#]+)@/i;
/** `jdbc:oracle:thin:scott/tiger@host`. */
const ORACLE_USER = /^jdbc:oracle:[a-z]+:[^\s/@]+\/([^\s@]+)@/i;
const ADDRESS = /^(?:jdbc:|[a-z][a-z0-9+.:-]*:\/\/)/i;
const FORM = /^[\w.-]+=[^&\s]*(?:&[\w.-]+=[^&\s]*)+$/;
/** Texts such as `Server=db;User Id=sa;Password=…` and `host=db user=sa password=…` name a place or a user besides. */
const PLACE =
  /(?:^|[;\s])(?:server|data source|host|hostaddr|addr|address|endpoint|accountname|defaultendpointsprotocol|uid|user|user ?id|user ?name|database|dbname|initial catalog|bootstrap\.servers)=[^=]/i;
const OF_ADDRESS = /(?<![\w.-])([\w.-]+)=([^&;#\s]+)/g;
const OF_PLACE = {
  semicolons: /(?<![\w.-])([\w.-]+)=([^=;][^;]*)/g,
  blanks: /(?<![\w.-])([\w.-]+)=("[^"]*"|'[^']*'|[^=;\s][^;\s]*)/g,
} as const;
const BLANK = '***';
const LONGEST = 10_000;

export function isSecretText(text: string): boolean {
  return WHOLE.test(text);
}

/** @returns undefined for a text without passwords in it */
export function withoutPasswords(text: string): string | undefined {
  const places = passwordsIn(text);
  if (places.length === 0) return undefined;
  let shown = '';
  let end = 0;
  for (const [from, to] of places.toSorted((one, other) => one[0] - other[0])) {
    if (from < end) continue;
    shown += text.slice(end, from) + BLANK;
    end = to;
  }
  return shown + text.slice(end);
}

function passwordsIn(text: string): (readonly [from: number, to: number])[] {
  if (text.length > LONGEST || text.includes('\n')) return [];
  const users = [URL_OF_USER, ORACLE_USER].flatMap((pattern) => {
    const found = pattern.exec(text);
    const password = found?.[1];
    if (!found || password === undefined || holdsReference(password)) return [];
    // An @ ends what is found.
    const to = found[0].length - 1;
    return [[to - password.length, to] as const];
  });
  const parameters = patternOf(text);
  if (parameters === undefined) return users;
  const named = [...text.matchAll(parameters)].flatMap((found) => {
    const [all, name = '', value = ''] = found;
    if (!isSecretName(name) || holdsReference(value)) return [];
    const to = found.index + all.length;
    return [[to - value.length, to] as const];
  });
  return [...users, ...named];
}

function patternOf(text: string): RegExp | undefined {
  if (ADDRESS.test(text) || FORM.test(text)) return OF_ADDRESS;
  if (!PLACE.test(text)) return undefined;
  return /;\s*[^;\s]/.test(text) ? OF_PLACE.semicolons : OF_PLACE.blanks;
}

/** References such as `&{mail.password}` are no secrets, because they hold none themselves. */
export function holdsReference(value: unknown): boolean {
  return typeof value === 'string' && /&\{[^{}]+\}/.test(value);
}
