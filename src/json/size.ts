import { isObject, type JsonValue } from './value.ts';

/** How large a value is, seen without writing it out. */
export interface JsonSize {
  /** Values in it, itself included. */
  nodes: number;
  /** About as many as its JSON text has: escapes are not counted, and each number counts as eight. */
  bytes: number;
}

const SCALAR_BYTES = 8;
/** Quotes and a comma, or brackets and a comma. */
const FRAME_BYTES = 3;

/** @param mostNodes nothing is counted beyond them: the value may be one that shares its parts, and far larger than memory */
export function sizeOf(value: JsonValue, mostNodes = Number.POSITIVE_INFINITY): JsonSize {
  const size = { nodes: 0, bytes: 0 };
  addSize(size, value, mostNodes);
  return size;
}

/** What a member's name takes, with its quotes and colon. */
export function nameBytes(name: string): number {
  return Buffer.byteLength(name) + FRAME_BYTES;
}

function addSize(size: JsonSize, value: JsonValue, mostNodes: number): void {
  if (size.nodes >= mostNodes) return;
  size.nodes += 1;
  if (typeof value === 'string') {
    size.bytes += Buffer.byteLength(value) + FRAME_BYTES;
  } else if (Array.isArray(value)) {
    size.bytes += FRAME_BYTES;
    for (const element of value) addSize(size, element, mostNodes);
  } else if (isObject(value)) {
    size.bytes += FRAME_BYTES;
    for (const name of Object.keys(value)) {
      size.bytes += nameBytes(name);
      addSize(size, value[name]!, mostNodes);
    }
  } else {
    size.bytes += SCALAR_BYTES;
  }
}
