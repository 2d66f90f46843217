import { InvalidAsn1Error, MessageParserError, ResultCodeError } from 'ldapts';
import { ConnectorError, type ConnectorErrorKind } from '../../contract.ts';

/** What a result code of a directory means (RFC 4511, appendix A). */
const KINDS: Readonly<Record<number, ConnectorErrorKind>> = {
  1: 'protocol',
  2: 'protocol',
  3: 'timeout',
  4: 'protocol',
  7: 'misconfigured',
  8: 'misconfigured',
  11: 'throttled',
  12: 'notSupported',
  13: 'misconfigured',
  16: 'invalid',
  17: 'misconfigured',
  18: 'invalid',
  19: 'invalid',
  20: 'alreadyExists',
  21: 'invalid',
  32: 'notFound',
  34: 'invalid',
  48: 'misconfigured',
  49: 'invalidCredentials',
  50: 'denied',
  51: 'busy',
  52: 'unavailable',
  53: 'denied',
  64: 'invalid',
  65: 'invalid',
  66: 'invalid',
  67: 'invalid',
  68: 'alreadyExists',
  69: 'invalid',
  71: 'notSupported',
  80: 'protocol',
  122: 'conflict',
};

/** Error codes of sockets, and of certificates, for a directory that is not trusted. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** Whatever a directory, or the way there, answers; what is none of theirs stays what it is. */
export function asConnectorError(error: unknown): unknown {
  if (error instanceof ConnectorError || !(error instanceof Error)) return error;
  if (error instanceof ResultCodeError) return ofResultCode(error);
  if (error instanceof MessageParserError || error instanceof InvalidAsn1Error) {
    return new ConnectorError('protocol', `What was answered is no LDAP: ${error.message}`, { cause: error });
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED.test(code)) {
    return new ConnectorError('misconfigured', `The directory is not trusted: ${error.message}`, {
      nativeCode: code,
      cause: error,
    });
  }
  const isOfSocket = /^E[A-Z_]+$/.test(code) || /socket|connection/i.test(error.message);
  if (!isOfSocket || ('code' in error && typeof error.code === 'number')) return error;
  const [said = ''] = error.message.split('\n');
  return new ConnectorError('unavailable', said, { nativeCode: code, cause: error });
}

function ofResultCode(error: ResultCodeError): ConnectorError {
  const { code, message } = error;
  const words = message.replace(/ Code: 0x[0-9a-f]+$/i, '');
  const [, attribute] =
    /^([A-Za-z][\w;-]*): (?:value #|multiple values|attribute type|no )/.exec(words) ?? [];
  const [, member] = code === 65 ? (/requires attribute '((?:unique)?member)'/i.exec(words) ?? []) : [];
  if (member !== undefined) {
    return new ConnectorError(
      'invalid',
      `A group there needs a '${member}': the last one cannot be removed, and none is made without`,
      { attribute: member, nativeCode: String(code), cause: error },
    );
  }
  return new ConnectorError(KINDS[code] ?? 'protocol', WORDS[code] ?? words, {
    nativeCode: String(code),
    cause: error,
    ...(attribute === undefined ? {} : { attribute }),
  });
}

/** Where directories have no words, or some that nobody understands. */
const WORDS: Readonly<Record<number, string>> = {
  32: 'There is no such entry',
  49: 'The name or the password is wrong',
  66: 'The entry has others below it',
  68: 'There is an entry of that name already',
};

export function isResult(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof ResultCodeError && codes.includes(error.code);
}
