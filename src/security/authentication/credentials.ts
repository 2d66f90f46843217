import { UnauthorizedError } from '#errors/index.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * The credentials of a request: `X-Svc-Username` with `X-Svc-Password`, else HTTP Basic.
 *
 * @returns undefined when it carries none
 * @throws UnauthorizedError when a Basic header cannot be read
 */
export function readCredentials(header: (name: string) => string | undefined): Credentials | undefined {
  const username = header('x-svc-username');
  const password = header('x-svc-password');
  if (username !== undefined && password !== undefined) {
    return { username: decodeExtended(username), password: decodeExtended(password) };
  }
  const basic = /^basic +(.+)$/i.exec(header('authorization') ?? '');
  if (basic === null) return undefined;
  const [, user, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic[1]!, 'base64').toString('utf8')) ?? [];
  if (user === undefined || secret === undefined) throw accessDenied();
  return { username: user, password: secret };
}

/** The same words whatever was wrong, so that nobody learns which accounts there are. */
export function accessDenied(): UnauthorizedError {
  return new UnauthorizedError('Access Denied', {
    id: 'AUTH_REQUIRED',
    hint: 'Send X-Svc-Username and X-Svc-Password, HTTP Basic, or Authorization: Bearer with a token; what was wrong is not told',
  });
}

/** RFC 5987: `UTF-8''J%C3%B6rg`, so that a header can carry any character. */
export function decodeExtended(value: string): string {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value);
  if (match === null) return value;
  try {
    return decodeURIComponent(match[1]!);
  } catch {
    return value;
  }
}
