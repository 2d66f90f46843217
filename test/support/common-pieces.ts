import { sql } from 'kysely';
import { runJob } from '#queue/index.ts';
import { noScripts, type Scripts } from '#script/index.ts';
import type { CommonWork } from './common-work.ts';
import type { openWorkflowCore } from './workflow-core.ts';

/** As many as go together at first, however fast the machine is. */
export const MANY = 4;

/** What pieces are about: objects of a scan, sources of a delivery and of a reconciliation. */
export const PIECE_FILES = {
  'conf/managed.json': {
    objects: ['mark', 'item', 'source', 'followed', 'compared'].map((name) => ({ name })),
  },
  'conf/sync.json': {
    mappings: ['followed', 'compared'].map((name) => ({
      name,
      source: 'managed/source',
      target: `managed/${name}`,
      enableSync: name === 'followed',
      properties: [{ source: 'n', target: 'n' }],
      policies: [{ situation: 'ABSENT', action: 'CREATE' }],
    })),
  },
};

/** In the place of the script of a scan, so that no thread is asked. */
export const sayingYes: Scripts = {
  ...noScripts,
  evaluate: async () => ({ value: true, bindings: {}, log: [] }),
};

/** A job of many pieces, and one of one, whose lane then comes to its end. */
export async function commonPieces({
  core: { queue },
  holder,
  connection,
}: Awaited<ReturnType<typeof openWorkflowCore>>): Promise<Readonly<Record<string, CommonWork>>> {
  const { db } = queue.database;
  const put = (type: string, count: number) =>
    sql`
    insert into managed_object (type, id, data)
    select ${type}, n::text, jsonb_build_object('n', n) from generate_series(1, ${count}::int) n
    on conflict (type, id) do update set rev = managed_object.rev + 1, data = excluded.data`.execute(db);
  const act = async (name: string) => {
    const [job] = await queue.claim(db, name, 1, holder);
    const { end, error } = await runJob(queue, job!);
    if (end !== 'completed') throw new Error(`A job of '${name}' is ${end}: ${error}`);
  };
  const drain = async () => {
    for (const { name } of queue.workers)
      for (const job of await queue.claim(db, name, 100, holder)) await runJob(queue, job);
  };
  const scan = {
    object: 'managed/item',
    _queryFilter: 'true',
    taskState: { started: '/started', completed: '/completed' },
  };
  const script = { type: 'text/javascript', source: 'true' };
  const scanned = (count: number): CommonWork => ({
    async prepare() {
      await sql`delete from managed_object where type = 'item'`.execute(db);
      await put('item', count);
      await connection.action('taskscanner', 'execute', { numberOfThreads: 1, scan, task: { script } });
      await act('scan-page');
    },
    act: () => act('scan-slice'),
  });
  const delivered = (count: number): CommonWork => ({
    async prepare() {
      await sql`delete from managed_object where type in ('source', 'followed')`.execute(db);
      await sql`truncate sync_link, sync_state, sync_outbox`.execute(db);
      await put('source', count);
      await connection.action('sync', 'deliverAll', null, { parameters: { mapping: 'followed' } });
    },
    act: () => act('sync'),
  });
  const reconciled = (count: number): CommonWork => ({
    async prepare() {
      await drain();
      await sql`delete from managed_object where type in ('source', 'compared')`.execute(db);
      await sql`truncate sync_link, sync_state, sync_outbox`.execute(db);
      await put('source', count);
      await connection.action('recon', 'recon', null, { parameters: { mapping: 'compared' } });
      await act('recon-step');
    },
    act: () => act('recon-chunk'),
  });
  return {
    'a slice of one object of a scan': scanned(1),
    [`a slice of ${MANY} objects`]: scanned(MANY),
    'a delivery that makes its target': delivered(1),
    [`${MANY} of them`]: delivered(MANY),
    'an entry of a reconciliation that makes its target': reconciled(1),
    [`a chunk of ${MANY}`]: reconciled(MANY),
  };
}
