import type { ScriptPosition } from './failures.ts';
import type { TextPosition } from './source-edits.ts';

interface Frame {
  readonly functionName: string;
  readonly fileName: string;
  readonly place: TextPosition;
}

interface MappedTrace {
  /** The innermost place in a script. */
  readonly position?: ScriptPosition;
  readonly text: string;
}

const FRAME = /^\s*at (?:(.*) \()?(.*?):(\d+)(?::(\d+))?\)?$/;

/**
 * A stack trace of QuickJS in the authors' coordinates. `positionOf` knows the scripts; frames that it does not
 * know, such as those of the prelude, are left out.
 */
export function mapStackTrace(
  stack: string,
  positionOf: (fileName: string, place: TextPosition) => ScriptPosition | undefined,
): MappedTrace {
  const lines: string[] = [];
  let first: ScriptPosition | undefined;
  for (const line of stack.split('\n')) {
    const frame = parseFrame(line);
    const position = frame && positionOf(frame.fileName, frame.place);
    if (frame === undefined || position === undefined) continue;
    first ??= position;
    lines.push(`at ${frame.functionName} (${position.fileName}:${position.line}:${position.column})`);
  }
  return { ...(first === undefined ? {} : { position: first }), text: lines.join('\n') };
}

function parseFrame(line: string): Frame | undefined {
  const match = FRAME.exec(line);
  if (match === null) return undefined;
  const [, functionName = '<anonymous>', fileName = '', row, column = '1'] = match;
  return { functionName, fileName, place: { line: Number(row), column: Number(column) } };
}
