import { join } from 'node:path';
import pg from 'pg';
import { ConfigStore, readSettings } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { type ClaimedJob, runJobs } from '#queue/index.ts';
import { Connection, systemContext } from '#resource/index.ts';
import { noScripts } from '#script/index.ts';
import { WORKFLOW_QUEUE } from '#workflow/job/enqueue-job.ts';
import { buildCore, type CoreOptions } from '../../src/app/core.ts';

/** The application in this process without doors and agents, on a project of nothing but a location. */
export async function openWorkflowCore(
  database: Database,
  location: string,
  { name = 'alone', scripts = () => noScripts }: { name?: string; scripts?: CoreOptions['scripts'] } = {},
) {
  const environment = { SVC_PROJECT: location };
  const config = await ConfigStore.open({
    settings: readSettings(environment),
    environment,
    report: () => {},
  });
  const core = buildCore({
    database,
    config,
    allowedNetworks: [],
    observe: () => {},
    keyRing: {},
    scripts,
    state: () => ({ state: 'ACTIVE_READY', shortDesc: '' }),
    answerLimitBytes: 2 ** 26,
    bodyLimitBytes: 2 ** 20,
    version: '0',
    serviceDirectory: join(location, 'service'),
  });
  await core.queue.prepare();
  const { id: nodeId } = await database.db
    .insertInto('cluster_node')
    .values({ name, epoch: 1, state: 'running', roles: ['worker'] })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    core,
    holder: { nodeId, epoch: 1 },
    connection: new Connection(core.router, systemContext()),
    /** As a request of an ordinary user comes in. */
    connectionOf(userName: string) {
      const { security, client, ...context } = systemContext();
      const authorization = { ...security.authorization, id: userName, roles: ['svc-authorized'] };
      const user = { ...security, authenticationId: userName, authorization };
      return new Connection(core.router, {
        ...context,
        security: user,
        client: { ...client, isExternal: true },
      });
    },
    /** Jobs of processes that are due, as a node claims them. */
    claim: (most: number): Promise<ClaimedJob[]> =>
      core.queue.claim(database.db, WORKFLOW_QUEUE, most, { nodeId, epoch: 1 }),
    run: (jobs: readonly ClaimedJob[]) => runJobs(core.queue, jobs),
  };
}

/** Statements that this process sends while `work` is done. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const statements: string[] = [];
  prototype.query = function query(...args) {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string })?.text ?? '');
    // Notices are those of whatever was done before, and a connection is made when there is none left.
    if (!/pg_notify|set_config\('idle_in/.test(text))
      statements.push(text.trim().replace(/\s+/g, ' ').slice(0, 120));
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return statements;
}
