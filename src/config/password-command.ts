import { type ExecFileException, execFile } from 'node:child_process';

const LONGEST_MS = 30_000;
/** What does not say for how long it is good is asked for again after that. */
const KEPT_MS = 60_000;
/** What is good for less is not begun with. */
const SPARE_MS = 30_000;
const MOST_BYTES = 65_536;

interface Printed {
  readonly password: Promise<string>;
  /** Until when it is good, by `Date.now()`. */
  readonly until: Promise<number>;
}

/** What was printed, by command; there are only as few as the settings name. */
const printed = new Map<string, Printed>();

/**
 * What a command of the operator prints: a password, or a token of a cloud. Sessions that begin together ask once; a JSON web token
 * is kept until it is about to be over, all else for a minute.
 */
export async function printedPassword(command: string): Promise<string> {
  const known = printed.get(command);
  if (known !== undefined && (await known.until) > Date.now()) return known.password;
  const again = printed.get(command);
  // Somebody else may have asked meanwhile.
  if (again !== undefined && again !== known) return again.password;
  const password = ask(command);
  const until = password.then(
    (text) => goodUntil(text),
    () => 0,
  );
  printed.set(command, { password, until });
  return password;
}

export function forgetPrintedPassword(command: string): void {
  printed.delete(command);
}

function ask(command: string): Promise<string> {
  const limits = { timeout: LONGEST_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', command], limits, (error, stdout, stderr) => {
      const password = stdout.trim();
      if (error !== null) {
        const why = whyOf(error, stderr);
        reject(new Error(`the command for the password of the database has failed: ${why}`));
      } else if (password === '')
        reject(new Error('the command for the password of the database prints nothing'));
      else resolve(password);
    });
  });
}

/** Why it failed, in its own words, without the command line, which may hold more than others should see. */
function whyOf({ code, killed }: ExecFileException, stderr: string): string {
  const how = killed === true ? `no end after ${LONGEST_MS / 1_000} s` : `exit code ${code}`;
  const words = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return words === '' ? how : `${how}: ${words}`;
}

function goodUntil(password: string): number {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(password) ?? [];
  if (payload === undefined) return Date.now() + KEPT_MS;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number')
      return claims.exp * 1_000 - SPARE_MS;
  } catch {
    // It only looks like a token.
  }
  return Date.now() + KEPT_MS;
}
