import { isConflict, isUnavailable } from '../pool/sql-state.ts';

/** Ends work that was to be stored together with other work. */
export class NeedsTransaction extends Error {
  constructor() {
    super('this work needs a transaction of its own');
  }
}

/** Asks something of work that is over. Whoever gave it up has been told why; this is for those who were left behind by that. */
export class WorkIsOver extends Error {
  constructor() {
    super('this work is over: nothing of it is stored any more');
  }
}

/** A pending row could not be stored: what was said of it on the way is not true. */
export class RefusedRow extends Error {
  constructor() {
    super('a row that waited for the commit could not be stored');
  }
}

/** A nested failure may arrive wrapped: the database's own error is then the innermost cause. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return isConflict(root) || isUnavailable(root) ? root : error;
}
