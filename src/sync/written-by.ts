import type { JsonObject } from '#json/index.ts';
import type { Provenance } from './map-properties.ts';

/** A delivery that has written something of a target that is still there. */
export interface DeliveryNote extends JsonObject {
  readonly at: string;
  readonly transactionId: string | null;
  /** Who has made the change that it followed from. */
  readonly userId: string | null;
  readonly sourceRev: string | null;
  /** The reconciliation that it was a part of. */
  readonly reconId: string | null;
}

export interface WrittenBy {
  readonly provenance: Provenance;
  readonly deliveries: readonly DeliveryNote[];
}

/**
 * Says of each attribute which delivery has written it: this one, or the one that was known before. Deliveries of which nothing is
 * left are forgotten.
 *
 * @param written pointers into the target; null: nothing
 */
export function writtenBy(
  before: WrittenBy | undefined,
  mapped: Provenance,
  written: readonly string[] | null,
  now: DeliveryNote,
): WrittenBy {
  const deliveries: DeliveryNote[] = [];
  const provenance: Provenance = {};
  for (const [attribute, { delivery: _, ...given }] of Object.entries(mapped)) {
    const isWritten = written?.some(
      (pointer) => isWithin(pointer, attribute) || isWithin(attribute, pointer),
    );
    const known = before?.provenance[attribute]?.delivery;
    const note = isWritten === true ? now : known === undefined ? undefined : before?.deliveries[known];
    if (note === undefined) {
      provenance[attribute] = given;
      continue;
    }
    const place = deliveries.indexOf(note);
    provenance[attribute] = { ...given, delivery: place === -1 ? deliveries.push(note) - 1 : place };
  }
  return { provenance, deliveries };
}

function isWithin(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}
