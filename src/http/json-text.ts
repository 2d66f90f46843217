import { answerTooLarge } from '#errors/index.ts';
import { fitsWritten, type JsonValue } from '#json/index.ts';

/** How an answer is written. */
export interface TextForm {
  readonly prettyPrint: boolean;
  /** Default: as many as there are. */
  readonly mostBytes?: number;
}

/** @throws PayloadTooLargeError `ANSWER_TOO_LARGE` */
export function textOf(
  body: unknown,
  { prettyPrint, mostBytes = Number.POSITIVE_INFINITY }: TextForm,
): string {
  if (Number.isFinite(mostBytes)) requireWritable(body as JsonValue, prettyPrint, mostBytes);
  const text = written(body, prettyPrint);
  if (text === undefined || text.length > mostBytes) throw answerTooLarge(mostBytes);
  return text;
}

/** Blanks multiply: what is looked at by people is smaller than what is read by programs. */
const MOST_PRETTY_BYTES = 8_388_608;
const INDENT = 2;

/** Refuses a body that is too large before it is written: that takes long, and nobody else has a turn meanwhile. */
function requireWritable(body: JsonValue, prettyPrint: boolean, mostBytes: number): void {
  if (!prettyPrint) {
    if (!fitsWritten(body, mostBytes)) throw answerTooLarge(mostBytes);
    return;
  }
  const most = Math.min(mostBytes, MOST_PRETTY_BYTES);
  if (!fitsWritten(body, most, INDENT)) throw answerTooLarge(most, 'Ask for less, or without _prettyPrint');
}

/** Undefined of what has no text: there is a longest one, which blanks alone can fill. */
function written(body: unknown, prettyPrint: boolean): string | undefined {
  try {
    return JSON.stringify(body, null, prettyPrint ? INDENT : undefined);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
