import type { Zone } from './zone.ts';

/** Filled in by the clocks that scripts make: the moment and zone that one shows. */
export const clocks = {
  read: (_value: unknown): { readonly ms: number; readonly zone: Zone } | undefined => undefined,
};
