import { PayloadTooLargeError } from '#errors/index.ts';
import { sizeOf } from '#json/index.ts';
import type { ProcessState } from '../engine/index.ts';

/** The most bytes of all variables of an instance together: each step reads and hands on all of them. */
const MOST_BYTES = 2 ** 24;

/**
 * Refuses a step that leaves an instance with more variables than one may have. One that had more before may go on, and
 * not grow.
 *
 * @param before null at the start
 * @throws PayloadTooLargeError `WORKFLOW_VARIABLES_TOO_LARGE`
 */
export function requireStorableVariables(
  name: string,
  before: ProcessState | null,
  after: ProcessState | null,
): void {
  if (after === null) return;
  const { bytes } = sizeOf(after.variables);
  if (bytes <= MOST_BYTES || (before !== null && bytes <= sizeOf(before.variables).bytes)) return;
  throw new PayloadTooLargeError(
    `'${name}' would have ${bytes} bytes of variables; ${MOST_BYTES} are allowed`,
    {
      id: 'WORKFLOW_VARIABLES_TOO_LARGE',
      hint: 'Keep what is large in managed objects, and their ids in variables',
      detail: { bytes, allowed: MOST_BYTES },
    },
  );
}
