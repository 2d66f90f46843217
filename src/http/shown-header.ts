import { isSecretByAnyWord } from '#json/index.ts';

/**
 * Headers that may hold a secret, by their name: those of this server, and those of any other that its clients still
 * send. They are shown neither to scripts nor in the audit.
 */
const OF_HEADERS = /key|cookie|session|assertion|saml/i;

export function isSecretHeader(name: string): boolean {
  return isSecretByAnyWord(name) || OF_HEADERS.test(name);
}
