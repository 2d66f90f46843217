import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Finding, systemCodeOf } from '#errors/index.ts';

/** Names the file that holds the password of the database alone; it is read for each session, so that it may change. */
export const PASSWORD_FILE = 'SVC_DATABASE_PASSWORD_FILE';
/** How a URL of the database says so on its way to whoever connects. */
const PARAMETER = 'svc_password_file';
const URLS = ['DATABASE_URL', 'SVC_DATABASE_DIRECT_URL', 'SVC_DATABASE_READ_URL'] as const;

type Values = Readonly<Record<string, string | undefined>>;

/** The URLs of the database as they are to be used, and what is wrong with the file. */
export function withPasswordFile(values: Values): { readonly urls: Values; readonly findings: Finding[] } {
  const file = values[PASSWORD_FILE]?.trim() ?? '';
  if (file === '') return { urls: {}, findings: [] };
  const wrong = (message: string, hint?: string): Finding => ({
    id: 'SETTING_INVALID',
    where: '',
    message: `${PASSWORD_FILE} ${message}`,
    ...(hint === undefined ? {} : { hint }),
  });
  const findings: Finding[] = [];
  const urls: Record<string, string> = {};
  for (const name of URLS) {
    const url = values[name]?.trim() ?? '';
    if (url === '' || url.includes(`${PARAMETER}=`)) continue;
    if (/^[^/]*\/\/[^/?#@]*:[^/?#]*@/.test(url))
      findings.push(wrong(`is set, and ${name} has a password, too`, 'Leave one of them out'));
    urls[name] = `${url}${url.includes('?') ? '&' : '?'}${PARAMETER}=${encodeURIComponent(file)}`;
  }
  if ((values['DATABASE_URL'] ?? '').trim() === '') findings.push(wrong('needs DATABASE_URL beside it'));
  try {
    if (readFileSync(file, 'utf8').trim() === '')
      findings.push(wrong(`names a file that is empty: '${file}'`));
  } catch (error) {
    findings.push(wrong(`names a file that cannot be read (${systemCodeOf(error)}): '${file}'`));
  }
  return { urls, findings };
}

/** Reads the password for a session; undefined where the URL has it, or there is none. */
export function passwordReaderOf(url: string | undefined): (() => Promise<string>) | undefined {
  if (url?.includes(`${PARAMETER}=`) !== true) return undefined;
  const file = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(PARAMETER);
  return file === null ? undefined : async () => (await readFile(file, 'utf8')).trim();
}

/** The URL with the password as it is now: for programs that know nothing of such a file. */
export async function urlWithPassword(url: string): Promise<string> {
  const read = passwordReaderOf(url);
  if (read === undefined) return url;
  const [address = '', query] = url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.delete(PARAMETER);
  const whole = address.replace('@', `:${encodeURIComponent(await read())}@`);
  return parameters.size === 0 ? whole : `${whole}?${parameters}`;
}
