import type { Incoming } from './incoming.ts';
import type { Answer } from './write-response.ts';

/** Where the nodes may have standbys answer: what tells a caller's own writes from those of others. */
export interface Commits {
  /** The position in the log that has all that is stored now. */
  told(): Promise<string>;
}

const COOKIE = 'svc-lsn';
/** Whoever has written nothing for so long sees it anyhow. */
const COOKIE_S = 60;

/** What must be in what the caller is answered; `everything`: all that is stored. Undefined where it does not say. */
export function seenBy({ header, isSecure }: Incoming): string | undefined {
  const isStrict =
    header('x-svc-consistency')?.toLowerCase() === 'strong' ||
    header('cache-control')?.toLowerCase().includes('no-cache') === true;
  if (isStrict) return 'everything';
  const pairs = (header('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  return header('x-svc-commit-lsn') ?? pairs.find(([name]) => name === cookieName(isSecure))?.[1];
}

/** Tells a caller who has written; a browser, which sends no header of its own, by a cookie beside that of its session. */
export async function tellSeen(
  answer: Answer,
  { header, isSecure }: Incoming,
  commits: Commits,
): Promise<Answer> {
  // The write is done, whether this can be asked or not.
  const seen = await commits.told().catch(() => undefined);
  if (seen === undefined) return answer;
  answer.headers['X-Svc-Commit-Lsn'] = seen;
  if (header('cookie') !== undefined) {
    const secure = isSecure ? '; Secure' : '';
    answer.headers['Set-Cookie'] ??=
      `${cookieName(isSecure)}=${seen}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_S}${secure}`;
  }
  return answer;
}

function cookieName(isSecure: boolean): string {
  return isSecure ? `__Host-${COOKIE}` : COOKIE;
}
