import type { JsonObject, JsonValue } from '#json/index.ts';
import { ENCRYPTED } from './envelope.ts';

/** An envelope as it stands in some text: JSON, a script, a process file, or a string inside one of them. */
export interface WrittenEnvelope {
  readonly start: number;
  readonly end: number;
  readonly json: JsonValue;
  /** Another one, written as this one is. */
  readonly write: (envelope: JsonObject) => string;
}

/**
 * Its first name. Each JSON string around it puts backslashes before its quotes (one, three, seven, …); in an attribute
 * of XML they are entities.
 */
const BEGIN = /\{(?:\s|\\+[nrt])*((\\*)"|&quot;)\$crypto\1/g;
/** Something that has the members of an envelope, in whatever notation. */
const LOOKS_SEALED = new RegExp(`${ENCRYPTED}[^]{0,60}?cipher`, 'g');

export function findEnvelopes(text: string): {
  readonly envelopes: readonly WrittenEnvelope[];
  /** Where there is something like an envelope that could not be read. */
  readonly unreadable: readonly number[];
} {
  const envelopes: WrittenEnvelope[] = [];
  let end = 0;
  for (const { index: start, 1: quote = '', 2: slashes } of text.matchAll(BEGIN)) {
    if (start < end) continue;
    const found = readAt(text, start, slashes === undefined ? ENTITIES : escaped(Math.log2(quote.length)));
    if (found === undefined) continue;
    envelopes.push(found);
    end = found.end;
  }
  const unreadable = [...text.matchAll(LOOKS_SEALED)]
    .map(({ index }) => index)
    .filter((at) => !envelopes.some((one) => one.start < at && at < one.end));
  return { envelopes, unreadable };
}

/** How JSON is written in a place where it cannot stand as it is. */
interface Notation {
  readonly read: (written: string) => string;
  readonly write: (json: string) => string;
}

const ENTITIES: Notation = {
  read: (written) => written.replaceAll('&quot;', '"'),
  write: (json) => json.replaceAll('"', '&quot;'),
};

/** Inside so many JSON strings. */
function escaped(levels: number): Notation {
  const repeat = (text: string, once: (text: string) => string) => {
    let result = text;
    for (let level = 0; level < levels; level++) result = once(result);
    return result;
  };
  return {
    read: (written) => repeat(written, (text) => JSON.parse(`"${text}"`) as string),
    write: (json) => repeat(json, (text) => JSON.stringify(text).slice(1, -1)),
  };
}

function readAt(text: string, start: number, { read, write }: Notation): WrittenEnvelope | undefined {
  const end = closingBrace(text, start);
  if (end === undefined) return undefined;
  try {
    const json = JSON.parse(read(text.slice(start, end))) as JsonValue;
    return { start, end, json, write: (envelope) => write(JSON.stringify(envelope)) };
  } catch {
    return undefined;
  }
}

/** Nothing in an envelope holds a brace: names of keys and ciphers, and Base64. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
