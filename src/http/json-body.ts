import { parseJsonDocument } from '#config/index.ts';
import { BadRequestError, wordsOf } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { requireSound } from './sound-json.ts';

/**
 * Reads a JSON body. Any other media type is 400, as clients of this protocol expect. Of two members of one name the
 * last counts, and numbers are doubles: an integer beyond 2^53 becomes the nearest of them.
 *
 * @returns undefined when there is no body
 * @throws BadRequestError with the parser's words in `detail`; ResourceError 413 for too many values
 */
export function parseJsonBody(
  text: string,
  contentType: string | undefined,
  bodyLimitBytes: number,
  mediaTypes: readonly string[] = ['application/json'],
): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  requireJson(contentType, mediaTypes);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadRequestError('The request body is not valid JSON', {
      id: 'HTTP_BAD_JSON',
      detail: { parser: withoutQuotation(wordsOf(error)), ...placeOfMistake(text) },
    });
  }
  requireSound(value, text, bodyLimitBytes);
  return value;
}

/** The parser quotes what stands around an error, which may be a password; the answer is also kept in the audit. */
function withoutQuotation(message: string): string {
  const said = message
    .replace(/,? ?(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, ' in JSON')
    .replace(/ token '[\p{L}\p{N}]'/u, ' text');
  return said.startsWith(' ') ? `Unexpected text${said}` : said;
}

/**
 * Line and column, and the line with all that may be a value hidden: its marks show what is wrong. Nothing of a long text: anybody
 * may send one, and it is a programme that reads the answer.
 */
function placeOfMistake(text: string): JsonObject {
  if (text.length > MOST_SEARCHED) return {};
  const position = parseJsonDocument(text).problems.at(-1)?.position;
  if (position === undefined) return {};
  const { line, column } = position;
  const whole = text.split('\n', line)[line - 1] ?? '';
  const from = Math.max(0, column - 1 - SHOWN);
  const before = masked(whole.slice(from, column - 1));
  const after = masked(whole.slice(column - 1, column - 1 + SHOWN));
  return { line, column, excerpt: `${before}⟶${after}` };
}

/** Characters; this many are read in a few milliseconds. */
const MOST_SEARCHED = 65_536;
const SHOWN = 30;

function masked(text: string): string {
  return text.trimEnd().replace(/[^\s{}[\],:"']+/g, '…');
}

function requireJson(contentType: string | undefined, mediaTypes: readonly string[]): void {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (mediaTypes.includes(type) && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return;
  throw new BadRequestError(
    contentType === undefined
      ? 'The request has a body but no Content-Type'
      : `The Content-Type is '${contentType}'`,
    { id: 'HTTP_MEDIA_TYPE', hint: `Send '${mediaTypes.join("' or '")}', in UTF-8` },
  );
}

/** @throws BadRequestError unless the body is a JSON object */
export function requireObject(body: JsonValue | undefined): JsonObject {
  if (isObject(body)) return body;
  throw new BadRequestError(
    body === undefined ? 'The request has no body' : 'The request body is not a JSON object',
    { id: 'HTTP_BODY_NOT_OBJECT', hint: 'Send a JSON object' },
  );
}
