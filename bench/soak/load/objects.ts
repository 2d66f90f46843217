import { askSomeNode, type Ground, keepDoing } from './load.ts';

const COUNTERS = 5;

/** Objects that are created, changed, deleted and looked for; hooks write beside them. */
export async function loadObjects(ground: Ground): Promise<void> {
  const { journal, random } = ground;
  const live: { key: string; id: string }[] = [];
  let serial = 0;

  const createPlain = async () => {
    const key = `plain-${++serial}`;
    const answered = await askSomeNode(ground, 'POST', 'managed/plain', { key });
    journal.note('createPlain', key, answered.node, answered);
    if (answered.outcome === 'done') live.push({ key, id: answered.body._id });
  };
  const createHooked = async () => {
    const key = `hooked-${++serial}`;
    const answered = await askSomeNode(ground, 'POST', 'managed/hooked', { key });
    journal.note('createHooked', key, answered.node, answered);
  };
  const increment = async () => {
    const op = `op-${++serial}`;
    const counter = Math.floor(random.between(0, COUNTERS));
    const answered = await askSomeNode(ground, 'PATCH', `managed/counter/counter-${counter}`, [
      { operation: 'increment', field: '/n', value: 1 },
      { operation: 'replace', field: '/last', value: op },
    ]);
    journal.note('increment', op, answered.node, answered);
  };
  const deletePlain = async () => {
    const [gone] = live.splice(Math.floor(random.between(0, live.length)), 1);
    if (gone === undefined) return;
    const answered = await askSomeNode(ground, 'DELETE', `managed/plain/${gone.id}`);
    journal.note('deletePlain', gone.key, answered.node, answered);
  };
  /** Whichever node is asked knows what another has acknowledged. */
  const find = async () => {
    const [sought] = live.splice(Math.floor(random.between(0, live.length)), 1);
    if (sought === undefined) return;
    const filter = encodeURIComponent(`key eq "${sought.key}"`);
    const answered = await askSomeNode(ground, 'GET', `managed/plain?_queryFilter=${filter}`);
    if (answered.outcome === 'done' && answered.body.result.length !== 1) {
      journal.wrongReads.push(`${answered.node} found ${answered.body.result.length} of ${sought.key}`);
    }
    live.push(sought);
  };
  await keepDoing(ground, { count: 6, paceMs: 250 }, async () => {
    if (live.length > 200) live.splice(0, 100);
    const act = random.pick([
      createPlain,
      createPlain,
      createHooked,
      createHooked,
      increment,
      increment,
      deletePlain,
      find,
    ]);
    await act();
  });
}

export async function prepareObjects({ pool }: Ground): Promise<void> {
  await pool.query(
    `insert into managed_object (type, id, data)
     select 'counter', 'counter-' || n, '{"n": 0, "last": null}' from generate_series(0, $1::int - 1) n`,
    [COUNTERS],
  );
}
