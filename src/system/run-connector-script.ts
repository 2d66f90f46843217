import { ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { systemContext } from '#resource/index.ts';
import { type BindingsOf, ScriptError, type Scripts, type ScriptUse } from '#script/index.ts';
import { ConnectorError, type ConnectorErrorKind, type ConnectorHost } from './contract.ts';

/** A file of functions that is a connector. */
export const CONNECTOR_USE = {
  title:
    'the file of a system whose connector is svc.scripted: its exports are test, schema, search and the like',
  bindings: {
    http: {
      type: 'object',
      says: '`http.request({method, url, headers, body})` answers `{status, headers, body}`; it goes where `allow` of the system says, with the credentials of the system',
    },
    operation: { type: 'string', says: 'which function is called' },
    call: { type: 'object', says: 'its argument' },
  },
} as const satisfies ScriptUse;

/** The file and the function are bindings, so that this is compiled once for all of them. */
const SOURCE = `((connector) =>
  typeof connector[operation] === 'function'
    ? { value: connector[operation](call) ?? null }
    : { isMissing: true })(require(file))`;

/** What a status that a script throws means; any other is a mistake of the script. */
const KINDS: Readonly<Record<number, ConnectorErrorKind>> = {
  400: 'invalid',
  401: 'invalidCredentials',
  403: 'denied',
  404: 'notFound',
  405: 'notSupported',
  408: 'timeout',
  409: 'alreadyExists',
  410: 'notFound',
  412: 'conflict',
  413: 'invalid',
  422: 'invalid',
  424: 'dependencyMissing',
  428: 'conflict',
  429: 'throttled',
  501: 'notSupported',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};

/** What a request of the script has come to, on its way through the script. */
class RequestFailure extends ResourceError {
  override readonly name = 'RequestFailure';
  readonly error: ConnectorError;

  constructor(error: ConnectorError) {
    super(502, error.message, { id: 'SYSTEM_REQUEST_FAILED', cause: error, detail: { kind: error.kind } });
    this.error = error;
  }
}

/** Functions of scripts as connectors call them: they reach neither resources nor secrets of the server. */
export function connectorScripts(scripts: Pick<Scripts, 'evaluate'>): ConnectorHost['runScript'] {
  return async ({ file, name, argument, request, signal, timeoutMs }) => {
    const bindings = {
      http: { isOfConnector: true },
      operation: name,
      call: argument,
    } satisfies BindingsOf<typeof CONNECTOR_USE>;
    try {
      // Whoever waits for this may hold a sandbox, so that it must not wait for one to be free.
      const { value } = await scripts.evaluate(
        { ...systemContext(), scriptDepth: 1, signal },
        {
          reference: {
            language: 'javascript',
            source: SOURCE,
            globals: { file },
            transactional: true,
            timeoutMs,
          },
          label: `${file} ${name}`,
          bindings,
          isAlone: true,
          operations: {
            'http.request': async ([given = null]) => {
              try {
                return await request(given);
              } catch (error) {
                throw error instanceof ConnectorError ? new RequestFailure(error) : error;
              }
            },
          },
        },
      );
      if (isObject(value) && value['isMissing'] !== true) return { value: value['value'] ?? null };
      return 'none';
    } catch (error) {
      if (signal.aborted) throw new ConnectorError('timeout', 'It was ended');
      throw asConnectorError(file, error);
    }
  };
}

function asConnectorError(file: string, error: unknown): unknown {
  if (error instanceof RequestFailure) return error.error;
  if (!(error instanceof ResourceError)) return error;
  const kind = error instanceof ScriptError ? (KINDS[error.code] ?? 'protocol') : kindOfFailure(error);
  const { attribute, existingId, missing, retryAfter }: JsonObject = isObject(error.detail)
    ? error.detail
    : {};
  return new ConnectorError(
    kind,
    error instanceof ScriptError ? error.message : `${file}: ${error.message}`,
    {
      ...(typeof attribute === 'string' ? { attribute } : {}),
      ...(typeof existingId === 'string' ? { existingId } : {}),
      ...(typeof missing === 'string' ? { missing } : {}),
      ...(typeof retryAfter === 'number' && retryAfter > 0 ? { retryAfterMs: retryAfter * 1000 } : {}),
      cause: error,
    },
  );
}

/** A file that is not there, or does not compile, is a mistake of the configuration. */
function kindOfFailure({ code }: ResourceError): ConnectorErrorKind {
  return code === 404 || code === 400 || code === 503 ? 'misconfigured' : 'protocol';
}
