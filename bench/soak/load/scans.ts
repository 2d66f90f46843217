import { SCAN_SCRIPT, scanOf } from '../project.ts';
import { askSomeNode, type Ground, keepDoing } from './load.ts';

const OBJECTS = 40;

/** Scans, each over objects of its own. */
export async function loadScans(ground: Ground): Promise<void> {
  const { journal } = ground;
  let serial = 0;
  await keepDoing(ground, { count: 1, paceMs: 2_000 }, async () => {
    const scan = `scan-${++serial}`;
    const made = await makeItems(ground, scan);
    if (!made) return;
    const body = scanOf(scan, SCAN_SCRIPT);
    const answered = await askSomeNode(ground, 'POST', 'taskscanner?_action=execute', body);
    journal.note('scan', scan, answered.node, answered, answered.body?._id ?? null);
  });
}

async function makeItems({ pool }: Ground, scan: string): Promise<boolean> {
  return pool
    .query(
      `with made as (
         insert into managed_object (type, id, data)
         select 'item', $1 || '-' || n, jsonb_build_object('batch', $1::text, 'n', n, 'times', 0)
         from generate_series(1, $2::int) n returning id)
       insert into soak.item (id, scan) select id, $1 from made`,
      [scan, OBJECTS],
    )
    .then(
      () => true,
      () => false,
    );
}
