import { readFileSync } from 'node:fs';
import type { Auth, ClientOptions } from '#client/index.ts';
import { systemCodeOf, wordsOf } from '#errors/index.ts';
import { shownAddress } from '#json/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { chosenProfile, findProfile, type Profile, saveProfile } from './profiles.ts';
import { askSecret } from './prompt.ts';

export type Flags = Parameters<Command['run']>[0];

const SESSION = /^(?:__(?:Host|Secure)-)?session-jwt=/;

export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError for what is no number from 1 */
export function countOf(flags: Flags, name: string): number | undefined {
  const given = textOf(flags, name);
  if (given === undefined) return undefined;
  const count = Number(given);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`'${given}' is no number for --${name}`);
}

/** Finds out which node is asked, and as whom: flags count before the environment, and that before the profile. */
export function connectionOf(flags: Flags): ClientOptions {
  const name = chosenProfile(textOf(flags, 'profile'));
  const profile = findProfile(name);
  const url = urlOf(flags, profile);
  const auth = authOf(flags);
  // What somebody is let in with goes to nobody but who has given it.
  if (auth !== undefined || profile === undefined || profile.url !== url) {
    return { url, ...(auth === undefined ? {} : { auth }) };
  }
  const { apiKey, cookie, user } = profile;
  if (apiKey !== undefined) return { url, auth: { apiKey } };
  if (cookie === undefined) return { url };
  const renewed = (next: string) => saveProfile(name, { ...profile, cookie: next });
  return {
    url,
    auth: { cookie },
    fetch: noticing((next) => next !== cookie && renewed(next)),
    ...(process.stdin.isTTY === true ? { reauthenticate: () => askSecret(`Password of ${user}: `) } : {}),
  };
}

/** A fetch that tells of the session that an answer begins or renews. */
export function noticing(tell: (cookie: string) => unknown): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const [cookie] = response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
    if (cookie !== undefined && SESSION.test(cookie) && !cookie.endsWith('=')) tell(cookie);
    return response;
  };
}

export function urlOf(flags: Flags, profile?: Profile): string {
  const own = `http://127.0.0.1:${process.env['PORT'] ?? '8080'}`;
  const url = textOf(flags, 'url') ?? process.env['SVC_URL'] ?? profile?.url ?? own;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`'${shownAddress(url)}' is no URL of a node`);
  return url;
}

/** Nothing, where nothing is said: the node tells what is missing. */
function authOf(flags: Flags): Auth | undefined {
  const apiKey = secretOf('SVC_API_KEY');
  const password = flags['password-stdin'] === true ? firstLine(readInput()) : secretOf('SVC_PASSWORD');
  if (apiKey !== undefined && password !== undefined) {
    throw new UsageError('there is an API key and a password; leave one of them out');
  }
  if (apiKey !== undefined) return { apiKey };
  if (password === undefined) return undefined;
  return { user: process.env['SVC_USER'] ?? 'svc-admin', password };
}

export function secretOf(variable: string): string | undefined {
  const value = process.env[variable]?.trim();
  const file = process.env[`${variable}_FILE`]?.trim();
  if (value !== undefined && value !== '') return value;
  return file === undefined || file === '' ? undefined : readText(file, `${variable}_FILE`).trim();
}

/** @throws UsageError that says what the file was for */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${what} names a file that cannot be read (${systemCodeOf(error) ?? wordsOf(error)}): '${file}'`,
    );
  }
}

export function readInput(): string {
  return readFileSync(0, 'utf8');
}

export function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
