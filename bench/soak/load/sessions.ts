import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../../../test/support/api.ts';
import { type Answered, ask } from '../client.ts';
import { type Ground, keepDoing } from './load.ts';

/** Requests that one session makes, each of some node. */
const USES = 8;

/** Sessions that begin on one node, are used on all of them, and end on another. */
export async function loadSessions(ground: Ground): Promise<void> {
  const { journal } = ground;
  let serial = 0;
  await keepDoing(ground, { count: 2, paceMs: 400 }, async () => {
    const key = `session-${++serial}`;
    const begun = await askSome(ground, 'POST', 'authentication?_action=login', {
      'X-Svc-Username': 'svc-admin',
      'X-Svc-Password': ADMIN_PASSWORD,
    });
    journal.note('beginSession', key, begun.node, begun);
    const cookie = begun.headers?.get('Set-Cookie')?.split(';')[0];
    if (begun.outcome !== 'done' || cookie === undefined) return;
    const session = { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' };
    const use = async (state: 'open' | 'ended') => {
      const answered = await askSome(ground, 'GET', 'info/login', session);
      journal.note('useSession', key, answered.node, answered, state);
    };
    for (let n = 0; n < USES; n++) {
      await use('open');
      await delay(100);
    }
    const ended = await askSome(ground, 'POST', 'authentication?_action=logout', session);
    journal.note('endSession', key, ended.node, ended);
    if (ended.outcome !== 'done') return;
    for (let n = 0; n < ground.nodes.length; n++) await use('ended');
  });
}

async function askSome(
  { nodes, random }: Ground,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answered & { readonly node: string }> {
  for (;;) {
    const up = nodes.filter(({ url }) => url !== undefined);
    if (up.length > 0) {
      const node = random.pick(up);
      return { ...(await ask(node.url!, method, path, undefined, headers)), node: node.name };
    }
    await delay(50);
  }
}
