import { z } from 'zod';

const text = z.string();

/** The lines of an export; unknown members are of no account. */
export const trailLineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('trail'), version: z.literal(1) }),
  z.object({
    kind: z.literal('entry'),
    /** False of entries from before the first seal. */
    sealed: z.boolean().default(true),
    id: text,
    topic: text,
    recordedAt: text,
    transactionId: text.default(''),
    userId: text.nullable().default(null),
    objectId: text.nullable().default(null),
    node: text.nullable(),
    signature: text.nullable(),
    /** JSON, however deep. */
    event: z.unknown().optional(),
  }),
  z.object({
    kind: z.literal('seal'),
    number: z.number(),
    month: text,
    node: text,
    part: z.number(),
    sealedAt: text,
    ids: z.array(text),
    previous: text,
    digest: text,
    signature: text,
  }),
  /** A row among the seals that no node can have made. */
  z.object({ kind: z.literal('unsound'), number: text }),
  z.object({ kind: z.literal('end'), digest: text, signature: text }),
]);
