import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '#database/index.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { fillEverything, fillHistory, LISTED_PROCESS } from './growth-fill.ts';
import { createBenchDatabase, onServer } from './postgres.ts';
import { completionText, LOOK_AHEAD_MS } from './scheduler-load.ts';
import { call, startService } from './service.ts';

/** A node on a database of a certain size, and what is asked of it. */
export interface GrowthSite {
  readonly size: number;
  readonly database: string;
  readonly operations: Readonly<Record<string, () => Promise<unknown>>>;
}

/** Claimed and completed at once. */
const CLAIM = 100;

export async function openSite(
  scope: AsyncDisposableStack,
  project: string,
  size: number,
): Promise<GrowthSite> {
  const { url: databaseUrl } = scope.use(await createBenchDatabase());
  await fillEverything(databaseUrl, size);
  const environment = { SVC_ROLES: 'api', SVC_SCRIPT_THREADS: '1' };
  const { url } = scope.use(await startService({ databaseUrl, project, environment }));
  await call(url, 'POST', 'workflow/deployment?_action=deploy', {
    name: 'listed.bpmn20.xml',
    content: LISTED_PROCESS,
  });
  const ready = "select 1 from svc_index where property = '/userName' and ready";
  while ((await onServer(databaseUrl, ready)).length === 0) await delay(100);
  await fillHistory(databaseUrl, size);
  return {
    size,
    database: new URL(databaseUrl).pathname.slice(1),
    operations: { ...requestsOf(url, size), ...(await claimsOf(scope, databaseUrl)) },
  };
}

function requestsOf(url: string, size: number): GrowthSite['operations'] {
  const any = (name: string, of = size) => `${name}-${1 + Math.floor(Math.random() * of)}`;
  const get = (path: string) => call(url, 'GET', path);
  const filter = (text: string) => `_queryFilter=${encodeURIComponent(text)}&_pageSize=20`;
  const started: string[] = [];
  let cookie = '';
  return {
    'GET of a user': () => get(`managed/user/${any('user')}`),
    'create of a user': () => call(url, 'POST', 'managed/user', { userName: any('new'), sn: 'Name' }),
    'patch of a user': () =>
      call(url, 'PATCH', `managed/user/${any('user')}`, [
        { operation: 'replace', field: '/mail', value: any('mail') },
      ]),
    'users by an indexed property': () =>
      get(`managed/user?${filter(`userName eq "${any('user').replace('-', '')}"`)}`),
    'a page of users, from the middle on': async () => {
      const from = cookie === '' ? `_pagedResultsOffset=${size / 2}` : `_pagedResultsCookie=${cookie}`;
      const page = (await get(`managed/user?${filter('true')}&${from}`)) as {
        pagedResultsCookie: string | null;
      };
      cookie = page.pagedResultsCookie ?? '';
    },
    'a page of a scan': () => get(`managed/user?${filter('!(/completed pr)')}`),
    'audit of one object': () => get(`audit/activity?${filter(`objectId eq "managed/user/${any('user')}"`)}`),
    'GET of a schedule': () => get(`scheduler/job/${any('job')}`),
    'change of a schedule': () =>
      call(url, 'PUT', `scheduler/job/${any('job')}`, {
        type: 'cron',
        schedule: `0 ${Math.floor(Math.random() * 60)} * * * ?`,
        timeZone: 'UTC',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: 'null' } },
      }),
    'a page of schedules': () => get(`scheduler/job?${filter('true')}`),
    'the last firings of a schedule': () =>
      get(
        `scheduler/firing?${filter(`schedule eq "${any('job', Math.min(size, 1000))}"`)}&_sortKeys=-plannedAt`,
      ),
    'start of a process instance': async () => {
      const { _id } = (await call(url, 'POST', 'workflow/processinstance', { _key: 'listed' })) as {
        _id: string;
      };
      started.push(_id);
    },
    'completion of a task': async () => {
      const instance = started.pop();
      if (instance === undefined) throw new Error('No instance is left');
      return call(url, 'POST', `workflow/taskinstance/${instance.slice(0, -1)}2?_action=complete`, {});
    },
    'tasks of an assignee': () =>
      get(
        `workflow/taskinstance?_queryId=filtered-query&_pageSize=20&assignee=${any('user', Math.min(size, 1000))}`,
      ),
    'history of a business key': () =>
      get(
        `workflow/processinstance/history?_queryId=filtered-query&_pageSize=20&businessKey=${any('order')}`,
      ),
    'the latest instances of a process': () =>
      get(
        'workflow/processinstance/history?_queryId=filtered-query&_pageSize=20&processDefinitionKey=listed&_sortKeys=-startTime',
      ),
  };
}

/** By the statement of the product, without a node: all of one size have as many that are due. */
async function claimsOf(scope: AsyncDisposableStack, url: string): Promise<GrowthSite['operations']> {
  const database = openDatabase({ url, poolSize: 2 });
  scope.defer(() => database.close());
  await onServer(url, "insert into cluster_node (name) select 'claimer-' || n from generate_series(1, 8) n");
  const [node] = await onServer<{ id: number }>(url, "select id from cluster_node where name = 'claimer-1'");
  const complete = completionText('complete-with-ledger');
  return {
    [`claim and completion of ${CLAIM} firings`]: async () => {
      const { runs } = await claimDue(database.db, {
        holder: { nodeId: node!.id, epoch: 1 },
        limit: CLAIM,
        lookAheadMs: LOOK_AHEAD_MS,
        watermark: 0,
        startLimit: CLAIM,
      });
      await database.pool.query(complete, [node!.id]);
      // Due again, so that the next claim finds as many.
      await database.pool.query(
        'update scheduler_due set due_at = clock_timestamp() where trigger_id = any($1::bigint[])',
        [runs.map(({ triggerId }) => triggerId)],
      );
    },
  };
}
