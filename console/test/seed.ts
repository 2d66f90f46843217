import { eventually } from '../../test/support/eventually.ts';
import type { TestServer } from '../../test/support/server.ts';
import { badgeProcess } from './badge-process.ts';

export const PEOPLE_PASSWORD = 'Asking-4-access';

const PEOPLE: readonly (readonly [string, string, string, string])[] = [
  ['bkim', 'Bo', 'Kim', 'IT'],
  ['avo', 'Anna', 'Vogel', 'IT'],
  ['cdi', 'Carla', 'Diaz', 'Finance'],
  ['dnagy', 'Dora', 'Nagy', 'Finance'],
  ['ewei', 'Emil', 'Wei', 'Sales'],
  ['fhall', 'Freya', 'Hall', 'Sales'],
  ['gmoro', 'Gino', 'Moro', 'People'],
  ['hsato', 'Hana', 'Sato', 'IT'],
  ['iruiz', 'Iris', 'Ruiz', 'Legal'],
  ['jberg', 'Jonas', 'Berg', 'IT'],
  ['kowusu', 'Kofi', 'Owusu', 'Finance'],
  ['llund', 'Lena', 'Lund', 'Sales'],
];
/** More than are drawn at once. */
const FURTHER = 60;

/** People and roles, schedules of each kind, a request that waits for a decision, a process that has failed for good. */
export async function seed({ api, observed }: TestServer): Promise<void> {
  const put = async (path: string, body: unknown) => {
    // A server that is busy turns away what it has not looked at, and takes it later.
    const { status, body: said } = await eventually(
      () => api('PUT', path, { body }),
      (answer) => answer.status !== 429 && answer.status !== 503,
    );
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(said)}`);
  };
  await put('managed/role/auditor', {
    name: 'auditor',
    description: 'Reads all managed objects',
    requestable: true,
  });
  await put('managed/role/engineer', {
    name: 'engineer',
    description: 'Has the tools of those who build',
    condition: 'department eq "IT"',
  });
  for (const [id, givenName, sn, department] of PEOPLE) {
    await put(`managed/user/${id}`, {
      userName: id,
      givenName,
      sn,
      department,
      mail: `${givenName}.${sn}@example.com`.toLowerCase(),
      ...(id === 'avo' || id === 'bkim' ? { password: PEOPLE_PASSWORD } : {}),
      ...(id === 'avo' ? { manager: { _ref: 'managed/user/bkim' } } : {}),
    });
  }
  const worker = (n: number) =>
    put(`managed/user/w${n}`, {
      userName: `w${n}`,
      givenName: 'Worker',
      sn: `Number ${n}`,
      department: 'Field',
      mail: `worker.${n}@example.com`,
    });
  // A few at a time: on a busy machine so many scripts at once would wait for their turn in vain.
  for (let n = 0; n < FURTHER; n += 6) {
    await Promise.all(Array.from({ length: Math.min(6, FURTHER - n) }, (_, more) => worker(n + more)));
  }
  const script = (source: string) => ({ script: { type: 'text/javascript', source } });
  const schedule = {
    type: 'cron',
    enabled: true,
    persisted: true,
    invokeService: 'script',
    timeZone: 'Europe/Berlin',
  };
  await put('scheduler/job/nightly-report', {
    ...schedule,
    schedule: '0 0 2 * * ?',
    invokeContext: script('logger.info("reported"); 1'),
  });
  await put('scheduler/job/sync-hr', {
    ...schedule,
    schedule: '0 0 * * * ?',
    invokeContext: script('var person = null; person.mail.toLowerCase()'),
  });
  await put('scheduler/job/forget-leavers', {
    ...schedule,
    schedule: '0 30 2 * * ?',
    invokeService: 'taskscanner',
    invokeContext: {
      waitForCompletion: false,
      scan: {
        object: 'managed/user',
        _queryFilter: 'accountStatus eq "inactive"',
        taskState: { started: '/housekeeping/started', completed: '/housekeeping/forgotten' },
      },
      task: { script: { type: 'text/javascript', source: 'true' } },
    },
  });
  for (const id of ['nightly-report', 'sync-hr', 'sync-hr', 'sync-hr']) {
    await api('POST', `scheduler/job/${id}?_action=trigger`, { body: {} });
  }
  await observed('trigger.completed', ({ schedule: of }) => of === 'nightly-report');
  await observed('trigger.failed', ({ schedule: of }) => of === 'sync-hr');
  const request = { _key: 'accessRequest', role: 'auditor', reason: 'The audit of this year' };
  const ask = () =>
    api('POST', 'workflow/processinstance', { body: request, user: 'avo', password: PEOPLE_PASSWORD });
  // The folder of processes is looked at in the background.
  await eventually(ask, ({ status }) => status === 201);
  await seedBadges(api);
}

/** One instance waits for its badge, another one's letter has failed; a later version would write it. */
async function seedBadges(api: TestServer['api']): Promise<void> {
  const deploy = (letter: string) =>
    api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'badge.bpmn20.xml', content: badgeProcess(letter) },
    });
  await deploy('var person = null;\nexecution.setVariable("letter", person.mail);');
  for (const holder of ['cdi', 'dnagy']) {
    await api('POST', 'workflow/processinstance', { body: { _key: 'badge', holder } });
  }
  const tasks = `workflow/taskinstance?_queryId=filtered-query&name=${encodeURIComponent('Print the badge')}`;
  const { body } = await api('GET', tasks);
  await api('POST', `workflow/taskinstance/${body.result[0]._id}?_action=complete`, { body: {} });
  await deploy('execution.setVariable("letter", "to " + holder);');
  await eventually(
    () => api('GET', 'workflow/job/deadletter?_queryId=query-all-ids'),
    ({ body: letters }) => letters.result.length === 1,
  );
}
