/**
 * A node that lives in its own process, for others to lose: it joins the cluster, claims what is due, starts it, and
 * holds on to it. Its parent kills or stops it.
 */
import { Membership, sessionName } from '#cluster/index.ts';
import { openDatabase } from '#database/index.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { answerParent } from './child.ts';
import { LOOK_AHEAD_MS } from './scheduler-load.ts';

export interface HolderTask {
  readonly name: string;
  readonly claims: number;
}

const url = process.env['BENCH_DATABASE_URL']!;

answerParent(async ({ name, claims }: HolderTask): Promise<{ pid: number; claimed: number }> => {
  const first = openDatabase({ url, poolSize: 1 });
  const nodeId = await Membership.identify(first.db, name);
  await first.close();
  const database = openDatabase({ url, poolSize: 4, applicationName: sessionName(nodeId) });
  const membership = new Membership({
    database,
    sessionUrl: url,
    nodeName: name,
    nodeId,
    roles: ['worker'],
    observe: () => {},
  });
  await membership.start();
  const { runs } = await claimDue(database.db, {
    holder: { nodeId, epoch: membership.epoch },
    limit: claims,
    lookAheadMs: LOOK_AHEAD_MS,
    watermark: 0,
    startLimit: claims,
  });
  return { pid: process.pid, claimed: runs.length };
});
