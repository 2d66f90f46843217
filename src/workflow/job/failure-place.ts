import type { ResourceError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { JobPlace } from '#queue/index.ts';

/** How many frames of a stack are told: what is deeper is mostly the same again and again. */
const MOST_FRAMES = 20;
const FRAME = /^\s+at (.*) \((.+):(\d+):(\d+)\)$/;

/**
 * Where a job failed: the element, and in a script the line and column as well. Of a script there are besides `script` (its
 * file, or the element that it stands in), `line`, `column` and `stack`, in which only scripts appear.
 */
export function placeOfFailure({ detail, cause }: ResourceError): JobPlace | undefined {
  const { process, element } = isObject(detail) ? detail : {};
  if (typeof process !== 'string' || typeof element !== 'string') return undefined;
  const here = `${process}/${element}`;
  // The stack of anything but a script is about our own code.
  if (!(cause instanceof Error) || cause.name !== 'ScriptThrownError') return { at: here };
  const said = `${cause.name}: ${cause.message}`;
  const trace = cause.stack?.startsWith(said) === true ? cause.stack.slice(said.length) : '';
  const frames = trace.split('\n').flatMap((text) => {
    const [, called, file = '', line = '', column = ''] = FRAME.exec(text) ?? [];
    if (called === undefined) return [];
    // A script in the process file is called by its version and its element.
    const script = file.endsWith(` ${element}`) ? here : file;
    return [{ called, script, line: Number(line), column: Number(column) }];
  });
  const [first] = frames;
  if (first === undefined) return { at: here };
  const { script, line, column } = first;
  const stack = frames
    .slice(0, MOST_FRAMES)
    .map((frame) => `at ${frame.called} (${frame.script}:${frame.line}:${frame.column})`)
    .join('\n');
  return { at: script === here ? `${here}:${line}:${column}` : here, script, line, column, stack };
}
