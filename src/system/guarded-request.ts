import { type AddressGuard, sendRequest } from '#egress/index.ts';
import { ResourceError } from '#errors/index.ts';
import { ConnectorError, type ConnectorHost } from './contract.ts';

/** The signal of a call ends it sooner. */
const LONGEST_MS = 600_000;
const MAX_BYTES = 50_000_000;
/** There was no connection by which anything could have been asked. */
const UNREACHED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

/** HTTP as connectors have it: where the operator lets them, and with their words for what fails. */
export function guardedRequest(guard: AddressGuard): ConnectorHost['request'] {
  return async ({ ca, signal, ...request }) => {
    try {
      return await sendRequest(
        {
          ...request,
          signal,
          timeoutMs: LONGEST_MS,
          followsRedirects: false,
          maxBytes: MAX_BYTES,
          ...(ca === undefined ? {} : { ca }),
        },
        guard,
      );
    } catch (error) {
      throw asConnectorError(error, signal);
    }
  };
}

function asConnectorError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ConnectorError('timeout', 'It was ended');
  if (!(error instanceof ResourceError)) return error;
  const { cause, code, message } = error;
  if (/certificate|self.signed|altnames|unable to verify/i.test(message)) {
    return new ConnectorError('misconfigured', `The service is not trusted: ${message}`, { cause });
  }
  if (code === 503) {
    const wasAsked = !(cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code));
    return new ConnectorError('unavailable', message, { cause, wasAsked });
  }
  // What the operator does not allow is told in the words of the network rules.
  return code === 400 ? new ConnectorError('misconfigured', message, { cause }) : error;
}
