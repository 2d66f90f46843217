/** What a scan does, written by hand: the objects one after the other over one connection, each in a transaction. */
import pg from 'pg';

export interface LoopOptions {
  readonly url: string;
  /** Ends after so long. */
  readonly ms: number;
  /** Also change the object, as the script does that patches it. */
  readonly patches: boolean;
}

/** @returns how many objects were processed */
export async function loopOverObjects({ url, ms, patches }: LoopOptions): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const until = performance.now() + ms;
  let done = 0;
  for (let after = ''; performance.now() < until; ) {
    const { rows } = await client.query<{ id: string }>(
      `select id from managed_object where type = 'item' and id > $1 order by id limit 1000`,
      [after],
    );
    for (const { id } of rows) {
      if (performance.now() >= until) break;
      await processByHand(client, id, patches);
      done++;
    }
    after = rows.at(-1)?.id ?? '';
  }
  await client.end();
  return done;
}

/** One object: claim under a lock, perhaps change, complete; exactly once. */
export async function processByHand(client: pg.ClientBase, id: string, patches: boolean): Promise<void> {
  await client.query('begin');
  await client.query({
    name: 'read',
    text: `select data from managed_object where type = 'item' and id = $1 for update`,
    values: [id],
  });
  const stamp = (field: string, value: unknown) =>
    client.query({
      name: 'stamp',
      text: `update managed_object set rev = rev + 1, updated_at = now(), data = data || jsonb_build_object($2::text, $3::text)
             where type = 'item' and id = $1`,
      values: [id, field, value],
    });
  await stamp('started', new Date().toISOString());
  if (patches) await stamp('seen', 'yes');
  await stamp('completed', new Date().toISOString());
  await client.query('commit');
}
