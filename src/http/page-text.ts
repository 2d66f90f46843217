import { setImmediate as turn } from 'node:timers/promises';
import { answerTooLarge } from '#errors/index.ts';
import { fitsWritten } from '#json/index.ts';
import { type QueryResult, resourceBody } from '#resource/index.ts';
import { type TextForm, textOf } from './json-text.ts';

/** About a millisecond of writing: then others have a turn. */
const SLICE_LENGTH = 262_144;

/**
 * The text of a page, written row by row, so that a large one keeps nobody else waiting.
 *
 * @throws PayloadTooLargeError `ANSWER_TOO_LARGE`
 */
export async function pageText(page: QueryResult, form: TextForm): Promise<string | Buffer> {
  const { result, estimated, warnings } = page;
  const rest = {
    resultCount: result.length,
    pagedResultsCookie: page.pagedResultsCookie,
    totalPagedResultsPolicy: page.totalPagedResultsPolicy,
    totalPagedResults: page.totalPagedResults,
    remainingPagedResults: -1,
    ...(estimated === undefined ? {} : { estimated }),
    ...(warnings === undefined ? {} : { warnings }),
  };
  // It has a bound that is low enough.
  if (form.prettyPrint) return textOf({ result: result.map(resourceBody), ...rest }, form);
  const { mostBytes = Number.POSITIVE_INFINITY } = form;
  const slices: Buffer[] = [];
  let bytes = 0;
  let text = '{"result":[';
  for (const [at, row] of result.entries()) {
    if (at > 0) text += ',';
    const body = resourceBody(row);
    if (!fitsWritten(body, mostBytes - bytes - text.length)) throw answerTooLarge(mostBytes);
    text += JSON.stringify(body);
    if (text.length < SLICE_LENGTH) continue;
    const slice = Buffer.from(text);
    slices.push(slice);
    bytes += slice.length;
    text = '';
    await turn();
  }
  text += `],${JSON.stringify(rest).slice(1)}`;
  if (bytes + Buffer.byteLength(text) > mostBytes) throw answerTooLarge(mostBytes);
  return slices.length === 0 ? text : Buffer.concat([...slices, Buffer.from(text)]);
}
