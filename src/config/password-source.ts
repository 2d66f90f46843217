import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Finding, systemCodeOf } from '#errors/index.ts';
import { forgetPrintedPassword, printedPassword } from './password-command.ts';

/** Where the password of the database is to be had when a session begins, so that it may change. */
export const PASSWORD_SOURCES = ['SVC_DATABASE_PASSWORD_FILE', 'SVC_DATABASE_PASSWORD_COMMAND'] as const;
const [FILE, COMMAND] = PASSWORD_SOURCES;
/** How a URL of the database says so on its way to whoever connects. */
const PARAMETERS = { [FILE]: 'svc_password_file', [COMMAND]: 'svc_password_command' } as const;
const URLS = ['DATABASE_URL', 'SVC_DATABASE_DIRECT_URL', 'SVC_DATABASE_READ_URL'] as const;

type Values = Readonly<Record<string, string | undefined>>;

/** The URLs of the database as they are to be used, and what is wrong with where its password is. */
export function withPasswordSource(values: Values): { readonly urls: Values; readonly findings: Finding[] } {
  const given = PASSWORD_SOURCES.filter((name) => (values[name]?.trim() ?? '') !== '');
  const [source] = given;
  if (source === undefined) return { urls: {}, findings: [] };
  const text = values[source]?.trim() ?? '';
  const wrong = (message: string, hint?: string): Finding => ({
    id: 'SETTING_INVALID',
    where: '',
    message: `${source} ${message}`,
    ...(hint === undefined ? {} : { hint }),
  });
  const findings: Finding[] = [];
  if (given.length > 1) findings.push(wrong(`is set, and ${COMMAND}, too`, 'Leave one of them out'));
  const urls: Record<string, string> = {};
  for (const name of URLS) {
    const url = values[name]?.trim() ?? '';
    if (url === '' || Object.values(PARAMETERS).some((parameter) => url.includes(`${parameter}=`))) continue;
    if (/^[^/]*\/\/[^/?#@]*:[^/?#]*@/.test(url))
      findings.push(wrong(`is set, and ${name} has a password, too`, 'Leave one of them out'));
    urls[name] = `${url}${url.includes('?') ? '&' : '?'}${PARAMETERS[source]}=${encodeURIComponent(text)}`;
  }
  if ((values['DATABASE_URL'] ?? '').trim() === '') findings.push(wrong('needs DATABASE_URL beside it'));
  if (source === FILE) findings.push(...wrongOfFile(text).map((message) => wrong(message)));
  return { urls, findings };
}

function wrongOfFile(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim() === '' ? [`names a file that is empty: '${file}'`] : [];
  } catch (error) {
    return [`names a file that cannot be read (${systemCodeOf(error)}): '${file}'`];
  }
}

/** Reads the password for a session; undefined where the URL has it, or there is none. */
export function passwordReaderOf(url: string | undefined): (() => Promise<string>) | undefined {
  const [file, command] = [parameterOf(url, FILE), parameterOf(url, COMMAND)];
  if (command !== undefined) return () => printedPassword(command);
  return file === undefined ? undefined : () => passwordIn(file);
}

/** Whoever writes it in place has it empty for a moment: with no password the driver would leave the session open. */
async function passwordIn(file: string): Promise<string> {
  const password = (await readFile(file, 'utf8')).trim();
  if (password === '') throw new Error(`the file with the password of the database is empty: '${file}'`);
  return password;
}

/** The server has refused the password: the next session asks for it anew. */
export function forgetPasswordOf(url: string | undefined): void {
  const command = parameterOf(url, COMMAND);
  if (command !== undefined) forgetPrintedPassword(command);
}

function parameterOf(url: string | undefined, source: (typeof PASSWORD_SOURCES)[number]): string | undefined {
  if (url?.includes(`${PARAMETERS[source]}=`) !== true) return undefined;
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(PARAMETERS[source]) ?? undefined;
}

/** The URL with the password as it is now: for programs that know of no such source. */
export async function urlWithPassword(url: string): Promise<string> {
  const read = passwordReaderOf(url);
  if (read === undefined) return url;
  const [address = '', query] = url.split('?');
  const parameters = new URLSearchParams(query);
  for (const parameter of Object.values(PARAMETERS)) parameters.delete(parameter);
  const whole = address.replace('@', `:${encodeURIComponent(await read())}@`);
  return parameters.size === 0 ? whole : `${whole}?${parameters}`;
}
