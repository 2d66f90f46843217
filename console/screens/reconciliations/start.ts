import { client } from '../../session/client.ts';

/** What is to be compared. */
export interface Order {
  readonly mapping: string;
  /** With commas; empty: all. */
  readonly ids: string;
  /** A query filter of the sources; empty: all. */
  readonly filter: string;
}

/** Has a plan made, which changes nothing but that it is there. @returns its run */
export async function startPlan({ mapping, ids, filter }: Order): Promise<string> {
  const { _id } = await client.send<{ readonly _id: string }>({
    method: 'POST',
    path: ['recon'],
    parameters: {
      _action: ids === '' ? 'recon' : 'reconById',
      mapping,
      mode: 'plan',
      ...(ids === '' ? {} : { ids }),
    },
    body: filter === '' ? {} : { sourceQuery: { _queryFilter: filter }, runTargetPhase: false },
  });
  return _id;
}
