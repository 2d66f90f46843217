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
  addSize(size, value, { mostNodes, mostBytes: Number.POSITIVE_INFINITY, indent: 0 }, 1);
  return size;
}

/**
 * Whether the JSON text of a value has at most about so many bytes. Nothing is written, and nothing looked at beyond them; parts that
 * are shared count each time.
 *
 * @param indent blanks for each level, and a line for each member; 0 for a text of one line
 */
export function fitsWritten(value: JsonValue, mostBytes: number, indent = 0): boolean {
  const size = { nodes: 0, bytes: 0 };
  try {
    addSize(size, value, { mostNodes: Number.POSITIVE_INFINITY, mostBytes, indent }, 1);
  } catch (error) {
    // So deep that it could not be written either.
    if (error instanceof RangeError) return false;
    throw error;
  }
  return size.bytes <= mostBytes;
}

/** What a member's name takes, with its quotes and colon. */
export function nameBytes(name: string): number {
  return Buffer.byteLength(name) + FRAME_BYTES;
}

interface Bounds {
  readonly mostNodes: number;
  readonly mostBytes: number;
  readonly indent: number;
}

/** @param level of the members of the value */
function addSize(size: JsonSize, value: JsonValue, bounds: Bounds, level: number): void {
  if (size.nodes >= bounds.mostNodes || size.bytes > bounds.mostBytes) return;
  const line = bounds.indent === 0 ? 0 : 1 + level * bounds.indent;
  size.nodes += 1;
  if (typeof value === 'string') {
    size.bytes += Buffer.byteLength(value) + FRAME_BYTES;
  } else if (Array.isArray(value)) {
    size.bytes += FRAME_BYTES + line;
    for (const element of value) {
      size.bytes += line;
      addSize(size, element, bounds, level + 1);
    }
  } else if (isObject(value)) {
    size.bytes += FRAME_BYTES + line;
    for (const name of Object.keys(value)) {
      size.bytes += nameBytes(name) + line;
      addSize(size, value[name]!, bounds, level + 1);
    }
  } else {
    size.bytes += SCALAR_BYTES;
  }
}
