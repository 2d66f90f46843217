import { ConnectorError, type ConnectorErrorKind } from '../../contract.ts';

/** What a state of SQL means, or all of its class (the first two characters). */
export const SQL_STATES: Readonly<Record<string, ConnectorErrorKind>> = {
  '08': 'unavailable',
  '0A': 'notSupported',
  '22': 'invalid',
  '23': 'invalid',
  '23503': 'dependencyMissing',
  '23505': 'alreadyExists',
  '23P01': 'alreadyExists',
  '25006': 'denied',
  '28': 'invalidCredentials',
  '3D000': 'misconfigured',
  '3F000': 'misconfigured',
  '40': 'busy',
  '42501': 'denied',
  '428C9': 'invalid',
  '42': 'misconfigured',
  '53': 'busy',
  '54': 'invalid',
  '55': 'busy',
  '57014': 'timeout',
  '57': 'unavailable',
  '58': 'unavailable',
  P0001: 'invalid',
};

/** What a number of MySQL or MariaDB means. */
export const MYSQL_CODES: Readonly<Record<number, ConnectorErrorKind>> = {
  1040: 'busy',
  1044: 'denied',
  1045: 'invalidCredentials',
  1048: 'invalid',
  1049: 'misconfigured',
  1053: 'unavailable',
  1054: 'misconfigured',
  1062: 'alreadyExists',
  1064: 'misconfigured',
  1136: 'misconfigured',
  1142: 'denied',
  1143: 'denied',
  1146: 'misconfigured',
  1153: 'invalid',
  1158: 'unavailable',
  1159: 'timeout',
  1161: 'timeout',
  1203: 'busy',
  1205: 'busy',
  1213: 'busy',
  1226: 'throttled',
  1227: 'denied',
  1235: 'notSupported',
  1264: 'invalid',
  1265: 'invalid',
  1290: 'denied',
  1292: 'invalid',
  1317: 'timeout',
  1364: 'invalid',
  1366: 'invalid',
  1370: 'denied',
  1406: 'invalid',
  1451: 'conflict',
  1452: 'dependencyMissing',
  1586: 'alreadyExists',
  1644: 'invalid',
  1698: 'invalidCredentials',
  1792: 'denied',
  1836: 'denied',
  1906: 'invalid',
  1927: 'unavailable',
  1969: 'timeout',
  3024: 'timeout',
  3819: 'invalid',
  4025: 'invalid',
  4151: 'invalidCredentials',
};

/** Where databases say more than the caller is to know, or what nobody understands. */
const WORDS: Readonly<Partial<Record<ConnectorErrorKind, string>>> = {
  alreadyExists: 'There is a row with such a value already',
  invalidCredentials: 'The name or the password is wrong',
};

const UNTRUSTED =
  /^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO|HANDSHAKE_SSL_ERROR)/;
const NO_TLS = /does not support (?:SSL|secure) connection/i;

/**
 * Whatever a database, or the way there, answers; what is none of theirs stays what it is. What the database adds to its words is left
 * out: it shows whole rows.
 */
export function asConnectorError(
  error: unknown,
  said: {
    readonly kind: ConnectorErrorKind | undefined;
    readonly code: string | undefined;
    readonly attribute: string | undefined;
    readonly missing?: string | undefined;
  },
): unknown {
  if (error instanceof ConnectorError || !(error instanceof Error)) return error;
  const { code, attribute, missing } = said;
  if (code !== undefined) {
    const kind = said.kind ?? 'protocol';
    return new ConnectorError(kind, WORDS[kind] ?? error.message, {
      nativeCode: code,
      ...(attribute === undefined ? {} : { attribute }),
      ...(missing === undefined ? {} : { missing }),
    });
  }
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NO_TLS.test(error.message)) {
    return new ConnectorError(
      'misconfigured',
      'The database offers no TLS; "ssl": false goes there without',
      {
        nativeCode: own,
      },
    );
  }
  if (UNTRUSTED.test(own) || /certificate/i.test(error.message)) {
    return new ConnectorError('misconfigured', `The database is not trusted: ${error.message}`, {
      nativeCode: own,
    });
  }
  const isOfSocket =
    /^E[A-Z_]+$/.test(own) ||
    /^PROTOCOL_CONNECTION_LOST$/.test(own) ||
    /connection terminated|connection (?:is|was) (?:lost|closed)|closed state|not queryable|socket/i.test(
      error.message,
    );
  if (isOfSocket)
    return new ConnectorError('unavailable', error.message.split('\n')[0] || own, { nativeCode: own });
  return new ConnectorError('protocol', `What was answered cannot be read: ${error.message.slice(0, 200)}`, {
    nativeCode: own,
  });
}
