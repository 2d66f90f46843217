import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

const MAX_DEPTH = 256;

/**
 * Reads a JSON body. Any other media type is 400, as clients of this protocol expect.
 *
 * @returns undefined when there is no body
 * @throws BadRequestError with the parser's words in `detail`
 */
export function parseJsonBody(text: string, contentType: string | undefined): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  requireJson(contentType);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new BadRequestError('The request body is not valid JSON', {
      id: 'HTTP_BAD_JSON',
      detail: { parser: (error as Error).message },
    });
  }
  refuseDepth(value);
  return value;
}

function requireJson(contentType: string | undefined): void {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (type === 'application/json' && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return;
  throw new BadRequestError(
    contentType === undefined
      ? 'The request has a body but no Content-Type'
      : `The Content-Type is '${contentType}'`,
    { id: 'HTTP_MEDIA_TYPE', hint: "Send 'application/json', in UTF-8" },
  );
}

/** Iterative, because the stack of a recursive check is what a deep body would be aimed at. */
function refuseDepth(value: JsonValue): void {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new BadRequestError(`The request body is nested deeper than ${MAX_DEPTH} levels`, {
        id: 'HTTP_TOO_DEEP',
      });
    }
    level = level.flatMap((each) => (Array.isArray(each) ? each : isObject(each) ? Object.values(each) : []));
  }
}

/** @throws BadRequestError unless the body is a JSON object */
export function requireObject(body: JsonValue | undefined): JsonObject {
  if (isObject(body)) return body;
  throw new BadRequestError(
    body === undefined ? 'The request has no body' : 'The request body is not a JSON object',
    { id: 'HTTP_BODY_NOT_OBJECT', hint: 'Send a JSON object' },
  );
}
