import { Badge } from '../../parts/badge.tsx';

/** An entry of any topic. */
export interface Entry {
  readonly _id: string;
  readonly topic: string;
  readonly timestamp: string;
  readonly userId?: string | null;
  readonly objectId?: string | null;
  readonly operation?: string;
  readonly status?: string;
  readonly result?: string;
  readonly changedFields?: readonly string[];
  readonly transactionId: string;
}

/** What an entry is about, whichever topic it is of. */
export function objectOf({ objectId, topic }: Entry): string {
  return objectId ?? (topic === 'authentication' ? '' : '–');
}

export function Outcome({ entry: { status, result } }: { readonly entry: Entry }) {
  const said = status ?? result;
  if (said === undefined) return null;
  const isGood = /^SUCCESS/.test(said);
  return (
    <Badge tone={isGood ? 'good' : 'bad'} mark={isGood ? '✓' : '✗'}>
      {said.toLowerCase()}
    </Badge>
  );
}

/** All that one request has caused begins with its id. */
export function requestOf(transactionId: string): string {
  return transactionId.split('/')[0] ?? transactionId;
}
