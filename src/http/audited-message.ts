import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '#json/index.ts';
import { parseQueryFilter } from '#resource/index.ts';
import type { Incoming } from './incoming.ts';
import { isSecretHeader } from './shown-header.ts';
import type { Answer } from './write-response.ts';

const HIDDEN = '***';

/**
 * Headers that are left out because they say nothing of who asked for what; those that may hold a secret are left out
 * besides.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding']);

/** Parameters whose value is one of ours, or a name of a field. */
const PLAIN_PARAMETER =
  /^_(?:action|fields|sortKeys|queryId|pageSize|pagedResultsOffset|totalPagedResultsPolicy|dryRun|changesLimit|trace|nestedFields|prettyPrint|mimeType)$/i;
/** What somebody looks for may be a secret: texts in a query filter, its lists, and the numbers behind its operators. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?/gs;
const LIST = /(?<= )\[[^\]]*\]/g;
const NUMBER = /( (?:eq|co|sw|ew|lt|le|gt|ge) +)[^ "'()]+/gi;

/**
 * What the audit of access shows of a message beside the request that it was. Nothing in it can hold a secret: values of
 * parameters, filters and cookies that callers choose are hidden.
 */
export function auditedMessage(incoming: Incoming, answer: Answer): () => JsonObject {
  return () => {
    const { message, search, isSecure, method, path } = incoming;
    const { localAddress = '', localPort = 0 } = message.socket;
    return {
      server: { ip: localAddress, port: localPort },
      http: {
        request: {
          secure: isSecure,
          method,
          path,
          queryParameters: parametersOf(search),
          headers: incoming.shownHeaders(LEFT_OUT),
          cookies: cookiesOf(message),
        },
        response: { headers: listed(answer.headers) },
      },
    };
  };
}

function parametersOf(search: URLSearchParams): JsonObject {
  const shown = new Map<string, string[]>();
  for (const [name, value] of search) {
    const text = PLAIN_PARAMETER.test(name)
      ? value
      : /^_queryFilter$/i.test(name)
        ? shownFilter(value)
        : HIDDEN;
    const before = shown.get(name);
    if (before === undefined) shown.set(name, [text]);
    else before.push(text);
  }
  return Object.fromEntries(shown);
}

/** Nobody knows what stands where in one that cannot be read. */
function shownFilter(text: string): string {
  try {
    parseQueryFilter(text);
  } catch {
    return HIDDEN;
  }
  return text.replace(QUOTED, `"${HIDDEN}"`).replace(LIST, `[${HIDDEN}]`).replace(NUMBER, `$1${HIDDEN}`);
}

/** Their names: each may be a key to something. */
function cookiesOf({ headers }: IncomingMessage): JsonObject {
  const names = (headers.cookie ?? '').split(';').map((pair) => pair.replace(/=.*/s, '').trim());
  return Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, HIDDEN]));
}

function listed(headers: Readonly<Record<string, string>>): JsonObject {
  const shown = Object.entries(headers).filter(([name]) => !isSecretHeader(name));
  return Object.fromEntries(shown.map(([name, value]) => [name.toLowerCase(), [value]]));
}
