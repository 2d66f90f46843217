import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Answered, ask } from '../client.ts';
import type { Journal } from '../journal.ts';
import type { SoakNode } from '../node.ts';
import type { Random } from '../random.ts';

/** What a part of the load works with. */
export interface Ground {
  readonly nodes: readonly SoakNode[];
  readonly journal: Journal;
  readonly random: Random;
  /** The database itself, past all faults of the network. */
  readonly pool: pg.Pool;
  readonly isStopped: () => boolean;
}

/** Asks some node that is up; waits for one when none is. */
export async function askSomeNode(
  { nodes, random, journal }: Ground,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered & { readonly node: string }> {
  for (;;) {
    const up = nodes.filter(({ url }) => url !== undefined);
    if (up.length > 0) {
      const node = random.pick(up);
      const answered = await ask(node.url!, method, path, body);
      if (method === 'GET') journal.count(node.name, answered);
      return { ...answered, node: node.name };
    }
    await delay(50);
  }
}

/** Does one thing after the other, `count` of them side by side, each about every `paceMs`. */
export async function keepDoing(
  ground: Ground,
  { count, paceMs }: { count: number; paceMs: number },
  act: () => Promise<void>,
): Promise<void> {
  const work = async () => {
    while (!ground.isStopped()) {
      await act();
      await delay(ground.random.between(0.5, 1.5) * paceMs);
    }
  };
  await Promise.all(Array.from({ length: count }, work));
}

/** Repeats until the answer is a yes; for what prepares or tidies up and has to be there. */
export async function insist(
  ground: Ground,
  method: string,
  path: string,
  body: unknown,
  isFine: (answered: Answered) => boolean = ({ outcome }) => outcome === 'done',
): Promise<Answered & { readonly node: string }> {
  for (let attempt = 1; ; attempt++) {
    const answered = await askSomeNode(ground, method, path, body);
    if (isFine(answered)) return answered;
    if (attempt === 60) {
      throw new Error(
        `${method} ${path}: ${answered.status} ${JSON.stringify(answered.body)} ${answered.detail}`,
      );
    }
    await delay(500);
  }
}
