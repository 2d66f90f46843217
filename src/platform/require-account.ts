import type { WriteContext } from '#resource/index.ts';

/** Is asked where something that a caller says leads to an object, so that others write it by that later. */
export type RequireAccount = (
  context: WriteContext,
  object: { readonly collection: string; readonly id: string },
  /** JSON pointer, or parameter, of what leads there. */
  field: string,
) => Promise<void>;
