import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { dateValue } from '#workflow/index.ts';
import { type ActRow, isTrue } from './act-tables-repository.ts';
import { JavaValueError, javaValue } from './java-value.ts';

/** What a variable of the other engine holds. @param bytes as Base64, by their ids @returns a reason where it does not come */
export function variableValue(
  row: ActRow,
  bytes: ReadonlyMap<string, string>,
): { readonly value: JsonValue } | { readonly reason: string } {
  const { type, long, double, text = null, bytearray_id: at } = row;
  const held = at === null || at === undefined ? undefined : Buffer.from(bytes.get(at) ?? '', 'base64');
  switch (type?.toLowerCase()) {
    case 'null':
      return { value: null };
    case 'string':
    case 'uuid':
      return { value: text };
    case 'longstring':
      return { value: held?.toString('utf8') ?? text };
    case 'integer':
    case 'short':
    case 'long':
      return numberOf(row, long ?? text);
    case 'double':
      return numberOf(row, double ?? null);
    case 'bigdecimal':
    case 'biginteger':
      return numberOf(row, text);
    case 'boolean':
      return { value: isTrue(long ?? null) };
    case 'date':
    case 'instant':
      return { value: long === null || long === undefined ? null : dateValue(Number(long)) };
    case 'json':
    case 'longjson':
    case 'jsonvalue':
      return jsonOf(row, held?.toString('utf8') ?? text ?? 'null');
    case 'serializable':
      return serialized(row, held);
    default:
      return { reason: `The variable '${row['name']}' is of the type '${type}', which is not known here` };
  }
}

function numberOf({ name }: ActRow, text: string | null) {
  if (text === null) return { value: null };
  const number = Number(text);
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? { value: number } : { reason: `The variable '${name}' is a number that JSON cannot hold` };
}

function jsonOf({ name }: ActRow, text: string) {
  try {
    const value: JsonValue = JSON.parse(text);
    return { value };
  } catch {
    return { reason: `The variable '${name}' should be JSON and is not` };
  }
}

function serialized({ name }: ActRow, held: Buffer | undefined) {
  if (held === undefined || held.length === 0) return { value: null };
  try {
    return { value: javaValue(held) };
  } catch (error) {
    if (!(error instanceof JavaValueError)) throw error;
    return { reason: `The variable '${name}' was serialized by Java, and holds ${error.message}` };
  }
}

/** Deeper chains of contexts are none. */
const MOST_CONTEXTS = 50;

/**
 * In whose name an instance acts: out of the chain of contexts that the other server keeps with it, or of whoever has started it. Whom
 * nobody has started acts as the server.
 */
export function keptContext(
  saved: JsonValue | undefined,
  starter: string | null,
  role: string,
): JsonObject | undefined {
  let at: JsonValue | undefined = saved;
  for (let level = 0; level < MOST_CONTEXTS && isObject(at); level++) {
    for (const one of [at, at['security']]) {
      if (!isObject(one)) continue;
      const { authenticationId, authorization, authorizationId } = one;
      const rights = isObject(authorization) ? authorization : authorizationId;
      if (typeof authenticationId === 'string' && isObject(rights))
        return { id: String(rights['id'] ?? authenticationId), authenticationId, authorization: rights };
    }
    at = at['parent'];
  }
  if (starter === null) return undefined;
  const authorization = { id: starter, component: 'managed/user', roles: [role] };
  return { id: starter, authenticationId: starter, authorization };
}
