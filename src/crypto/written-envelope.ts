import type { JsonObject, JsonValue } from '#json/index.ts';

/** An envelope as it stands in some text: JSON, a script, a process file, or a string inside one of them. */
export interface WrittenEnvelope {
  readonly start: number;
  readonly end: number;
  readonly json: JsonValue;
  /** Writes another envelope in the way in which this one is written. */
  readonly write: (envelope: JsonObject) => string;
}

/**
 * Its first name. Each JSON string around it puts backslashes before its quotes (one, three, seven, …); in an attribute
 * of XML they are entities.
 */
const BEGIN = /\{(?:\s|\\+[nrt])*((\\*)"|&quot;)\$crypto\1/g;
/** Braces open at once in an envelope, with room to spare; beginnings that never end cost no more than that. */
const MOST_BRACES = 8;

export function findEnvelopes(text: string): readonly WrittenEnvelope[] {
  const envelopes: WrittenEnvelope[] = [];
  let end = 0;
  for (const { index: start, 1: quote = '', 2: slashes } of text.matchAll(BEGIN)) {
    if (start < end) continue;
    const found = readAt(text, start, slashes === undefined ? ENTITIES : escaped(Math.log2(quote.length)));
    if (found === undefined) continue;
    envelopes.push(found);
    end = found.end;
  }
  return envelopes;
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
    read: (written) => repeat(written, (text) => String(JSON.parse(`"${text}"`))),
    write: (json) => repeat(json, (text) => JSON.stringify(text).slice(1, -1)),
  };
}

function readAt(text: string, start: number, { read, write }: Notation): WrittenEnvelope | undefined {
  const end = closingBrace(text, start);
  if (end === undefined) return undefined;
  try {
    const json: JsonValue = JSON.parse(read(text.slice(start, end)));
    return { start, end, json, write: (envelope) => write(JSON.stringify(envelope)) };
  } catch {
    return undefined;
  }
}

/** Nothing in an envelope holds a brace: names of keys and ciphers, and Base64. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{' && ++depth > MOST_BRACES) return undefined;
    if (text[at] === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
