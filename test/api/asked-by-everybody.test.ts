import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { type AskedSite, readAccessMatrix, startAskedSite } from '../support/asked-site.ts';
import { passwordOf } from '../support/credentials.ts';
import { listenTo } from '../support/event-listener.ts';

/**
 * What user interfaces ask for. Names in braces stand for what the site has one of; `ofUser` is the status of an ordinary
 * user's answer, `answer` what is in that of an administrator.
 */
type Row = readonly [asked: string, ofUser: number, answer: unknown, body?: unknown];

const some = expect.arrayContaining([expect.anything()]);
const text = expect.any(String);
const page = { result: expect.any(Array) };
const full = { result: some };
const replace = (field: string, value: unknown) => [{ operation: 'replace', field, value }];
const NIGHT = { from: '2027-03-27T00:00:00Z', to: '2027-03-29T00:00:00Z' };
const CONDITION = '/userName eq "eve"';

const ASKED: Readonly<Record<string, readonly Row[]>> = {
  'schemas and counts': [
    ['GET schema', 200, { types: some }],
    ['GET schema?_fields=counts', 200, { counts: expect.anything() }],
    ['GET schema/managed/user', 200, { type: 'user', properties: { userName: { required: true } } }],
    ['GET schema/managed/user?_format=jsonschema', 200, { $schema: text, properties: expect.anything() }],
    ['GET schema/managed/role', 404, { type: 'role', may: some }],
    ['GET schema/config/schedule', 403, expect.anything()],
    ['GET schema/process/{definition}/start', 200, expect.anything()],
    ['GET schema/task/{task}', 403, expect.anything()],
    [
      'GET managed/user?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=ESTIMATE',
      403,
      { totalPagedResults: expect.any(Number) },
    ],
  ],
  rights: [
    ['GET access', 403, { rules: some }],
    [
      'POST access?_action=may',
      200,
      [{ granted: true, rule: { line: expect.any(Number) } }],
      [{ method: 'patch', path: 'managed/user/nobody', fields: ['/city'] }],
    ],
  ],
  events: [['GET events', 200, { topics: expect.arrayContaining(['firing', 'operation', 'log']) }]],
  'the state of the cluster': [
    ['GET status', 403, { state: text, findings: expect.any(Array), counts: { nodes: 1 } }],
    ['GET cluster?_fields=*', 403, { results: some }],
    ['GET cluster/{node}', 403, { state: text }],
    ['GET cluster/event?_queryFilter=true', 403, full],
    ['POST cluster/{node}?_action=drain&_dryRun=true', 403, expect.anything()],
    ['POST cluster/{node}?_action=resume&_dryRun=true', 403, expect.anything()],
  ],
  schedules: [
    ['POST scheduler/firing?_action=aggregate', 403, expect.anything(), { by: ['outcome'] }],
    ['POST scheduler/firing?_action=latest', 403, { result: some }, { ids: ['nightly'] }],
    ['POST scheduler/job?_action=calendar', 403, { schedules: some }, NIGHT],
    [
      'POST scheduler/job?_action=nextRunDates',
      403,
      { words: text, dst: some, dates: some },
      { schedule: '0 30 2 * * ?', timeZone: 'Europe/Berlin', count: 3 },
    ],
    ['GET scheduler/job/nightly', 403, { words: text }],
    [
      'POST scheduler/job/nightly?_action=trigger&_dryRun=true',
      403,
      { dryRun: true, trace: expect.any(Array), result: { _id: 'nightly' } },
    ],
    ['POST taskscanner/{run}?_action=retry&_dryRun=true', 403, { result: { total: 1 } }],
    ['GET taskscanner/{run}/failure?_queryFilter=true', 403, full],
  ],
  why: [
    [
      'POST scheduler/job/nightly?_action=why',
      403,
      { outcome: text, why: text, chain: some },
      { time: '2027-03-27T01:30:00Z' },
    ],
    ['POST workflow/taskinstance/{task}?_action=why', 403, { outcome: 'offered', why: text, chain: some }],
    ['POST cluster/{node}?_action=why', 403, { outcome: text, why: text, chain: some }],
    ['POST managed/user/eve?_action=explain', 404, { outcome: 'notGranted', why: text }, { role: 'auditor' }],
    [
      'POST managed/user/eve?_action=explain',
      200,
      { effectiveRoles: expect.any(Array) },
      { property: 'effectiveRoles' },
    ],
  ],
  rehearsals: [
    [
      'PATCH managed/role/auditor?_dryRun=true',
      403,
      { changes: some, trace: some },
      replace('/condition', CONDITION),
    ],
    [
      'POST script?_action=eval&_dryRun=true',
      403,
      { result: 1, trace: expect.any(Array), log: expect.any(Array) },
      { type: 'text/javascript', source: '1' },
    ],
  ],
  scripts: [
    [
      'POST script?_action=compile',
      403,
      { ok: true, diagnostics: some },
      { type: 'text/javascript', diagnostics: true, source: 'svc.reed(1)' },
    ],
    ['GET script/binding?use=onUpdate&type=user', 403, { globals: some }],
    ['GET script/file?_queryFilter=true', 403, full],
    ['GET script/file/own.js', 403, { content: "'own'", _rev: text }],
    ['PUT script/file/own.js?_dryRun=true', 403, { changes: some }, { content: "'mine'" }],
    ['PUT script/file/new.js?_dryRun=true', 403, { changes: some }, { content: "'new'" }],
    ['DELETE script/file/own.js?_dryRun=true', 403, { changes: some }],
    ['POST script/file/own.js?_action=usages', 403, expect.anything()],
  ],
  'the audit': [
    ['POST audit/activity/{entry}?_action=revert&_dryRun=true', 403, { changes: some }],
    [
      'POST audit?_action=revert&_dryRun=true',
      403,
      { changes: expect.any(Array) },
      { transactionId: '{transaction}' },
    ],
    ['GET audit/transaction/{transaction}', 403, expect.anything()],
    ['POST audit?_action=aggregate', 403, expect.anything(), { by: ['topic'] }],
    ['GET audit/_all?_queryFilter=true&_pageSize=5', 403, full],
    [`GET audit/activity?_queryFilter=${encodeURIComponent('changedFields eq "/description"')}`, 403, page],
  ],
  configuration: [
    ['GET config/_refused', 403, expect.anything()],
    ['GET config/audit?_fields=*,_origin,_effective', 403, { _rev: text, _origin: expect.anything() }],
    ['POST config/audit?_action=plan', 403, { findings: [], changes: some }, { content: { keepDays: 400 } }],
    ['PUT config/audit?_dryRun=true', 403, { changes: some }, { keepDays: 400 }],
    ['POST config/workflow?_action=revertToFile&_dryRun=true', 403, expect.anything(), {}],
  ],
  processes: [
    ['POST workflow/processdefinition/{definition}?_action=statistics', 403, expect.anything(), {}],
    [
      'POST workflow/processdefinition/{definition}?_action=planMigration',
      403,
      expect.anything(),
      { to: '{latest}' },
    ],
    [
      'POST workflow/processdefinition/{definition}?_action=compare',
      403,
      { elements: expect.any(Array) },
      { to: '{latest}' },
    ],
    ['POST workflow/processdefinition/{definition}?_action=suspend&_dryRun=true', 403, expect.anything()],
    ['GET workflow/processinstance/{instance}?_fields=activities', 403, { activities: some }],
    [
      'PATCH workflow/processinstance/{instance}?_dryRun=true',
      403,
      expect.anything(),
      [{ operation: 'add', field: '/processVariables/reason', value: 'Mended' }],
    ],
    [
      'POST workflow/processinstance/{instance}?_action=migrate&_dryRun=true',
      403,
      expect.anything(),
      { processDefinitionId: '{latest}' },
    ],
    ['POST workflow/job/{job}?_action=execute&_dryRun=true', 403, expect.anything()],
    ['GET workflow/job/deadletter/{letter}?_fields=*,failure', 403, { failure: { attempts: 3 } }],
    [
      'POST workflow/job/deadletter/{letter}?_action=retry&wait=5s',
      403,
      { outcome: expect.stringMatching(/failed|pending/) },
    ],
  ],
  'many objects': [
    [
      'POST operation?_dryRun=true',
      403,
      expect.anything(),
      { act: 'delete', resource: 'managed/role', queryFilter: 'true', dryRun: true },
    ],
    ['GET operation?_queryFilter=true', 403, full],
    ['GET operation/{operation}', 403, { state: 'PREPARED', sample: ['auditor'] }],
    ['GET operation/{operation}/failure?_queryFilter=true', 403, page],
    ['POST operation/{operation}?_action=cancel&_dryRun=true', 403, expect.anything()],
  ],
  'tasks and requests': [
    ['GET workflow/taskinstance?_queryId=mine', 200, page],
    ['GET workflow/taskinstance?_queryId=claimable', 200, full],
    ['GET workflow/taskinstance?_queryId=team', 200, page],
    ['POST workflow/taskinstance?_action=count', 200, { claimable: 1 }],
    [
      'POST workflow/taskinstance/{task}?_action=claim&_dryRun=true',
      403,
      expect.anything(),
      { userId: 'eve' },
    ],
    ['GET endpoint/requestables?_queryFilter=true', 200, full],
    ['GET endpoint/myrequests?_queryFilter=true', 200, page],
  ],
  'sessions, keys and what people keep': [
    ['GET authentication', 200, { providers: [{ provider: 'corporate' }] }],
    ['POST authentication?_action=redirect', 200, { location: text }, { provider: 'corporate' }],
    ['GET session?_queryFilter=true', 200, full],
    ['GET session/{session}', 404, expect.anything()],
    ['DELETE session/{session}?_dryRun=true', 404, expect.anything()],
    ['POST session?_action=endAll&_dryRun=true', 200, expect.anything()],
    ['PUT apikey/reports?_dryRun=true', 403, expect.anything(), { roles: ['svc-authorized'] }],
    ['GET apikey?_queryFilter=true', 403, full],
    ['DELETE apikey/clerk?_dryRun=true', 403, expect.anything()],
    ['GET key?_queryFilter=true', 403, full],
    ['POST key?_action=rotate&_dryRun=true', 403, expect.anything()],
    ['PUT preference/console.theme?_dryRun=true', 200, expect.anything(), { value: 'dark' }],
    ['GET preference?_queryFilter=true', 200, page],
    ['POST view?_dryRun=true', 200, expect.anything(), { title: 'Mine', area: 'managed/user', state: {} }],
    ['GET view?_queryFilter=true', 200, full],
    ['GET view/{view}', 404, { title: 'Leavers' }],
    ['PUT draft/new?_dryRun=true', 200, expect.anything(), { area: 'managed/user', value: {} }],
    ['GET draft?_queryFilter=true', 200, page],
  ],
  'search and errors': [
    ['GET search?q=ev', 200, { types: some }],
    ['GET info/error/SCHED_UNKNOWN_TIME_ZONE', 200, { messages: some }],
    ['GET info/error?_queryFilter=true', 200, full],
  ],
};

let site: AskedSite;
const ofMatrix = readAccessMatrix();
/** With the ids of what there is in place of the names in braces. */
const filled = (written: string) => written.replace(/\{(\w+)\}/g, (braced, name) => site.ids[name] ?? braced);

beforeAll(async () => {
  site = await startAskedSite();
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe.each(Object.entries(ASKED))('%s', (_area, rows) => {
  for (const [asked, ofUser, answer, body] of rows) {
    it(`${asked}: of an administrator, of a user (${ofUser}) and of nobody`, async () => {
      const [method = '', path = ''] = filled(asked).split(' ');
      const options = body === undefined ? {} : { body: JSON.parse(filled(JSON.stringify(body))) };
      expect((await site.asNobody(method, path, options)).status).toBe(401);
      const ofEve = await site.asEve(method, path, options);
      expect(ofEve.status, JSON.stringify(ofEve.body)).toBe(ofUser);
      const own = await site.api(method, path, options);
      expect(own.status, JSON.stringify(own.body)).toBeLessThan(300);
      if (typeof answer === 'object' && answer !== null && !('asymmetricMatch' in answer)) {
        expect(own.body).toMatchObject(answer);
      } else expect(own.body).toEqual(answer);

      const known = ofMatrix(method, path);
      expect(known, `${method} ${path} is not in the access matrix`).not.toEqual([]);
      // Of what is open to some user, each sees its own.
      if (ofUser === 403) expect(known.map(({ isOpen }) => isOpen)).toContain(false);
    });
  }
});

describe('beside the table', () => {
  it.each([
    ['processdefinition/{definition}?_mimeType=application/xml', 403],
    // Who may start a process may see it.
    ['processdefinition/{drawn}?_fields=diagram&_mimeType=image/svg%2Bxml', 200],
    ['processinstance/{request}?_fields=diagram&_mimeType=image/svg%2Bxml', 403],
  ])('workflow/%s is shown to an administrator, to a user (%i), and to nobody', async (path, ofUser) => {
    const asking = (headers: Record<string, string>) =>
      fetch(`${site.server.url}/svc/workflow/${filled(path)}`, { headers });
    const own = await asking(passwordOf('svc-admin', ADMIN_PASSWORD));
    expect([own.status, await own.text()]).toEqual([200, expect.stringMatching(/^<(\?xml|svg)/)]);
    expect([(await asking(passwordOf('eve'))).status, (await asking({})).status]).toEqual([ofUser, 401]);
  });

  it('streams of events are for those who may ask for what they tell of', async () => {
    const { url } = site.server;
    expect((await listenTo(url, 'log,operation,firing')).status).toBe(200);
    expect((await listenTo(url, 'firing', passwordOf('eve'))).status).toBe(403);
    expect((await listenTo(url, 'object:user/eve', passwordOf('eve'))).status).toBe(200);
    expect((await listenTo(url, 'firing', {})).status).toBe(401);
  });

  it('a rehearsal that fails tells administrators where, and others why', async () => {
    const path = 'managed/user/eve?_dryRun=true';
    const body = replace('/mail', 'no address');
    const [ofAdministrator, ofEve] = [
      await site.api('PATCH', path, { body }),
      await site.asEve('PATCH', path, { body }),
    ];
    expect([ofAdministrator.status, ofEve.status]).toEqual([403, 403]);
    expect(ofAdministrator.body.detail.dryRun).toMatchObject({ trace: some, log: [] });
    expect(ofEve.body.detail.dryRun).toBeUndefined();
    expect((await site.asNobody('PATCH', path, { body })).status).toBe(401);
  });

  it('a parameter that there is not is an error for whoever may ask', async () => {
    const path = 'managed/user/eve?_bogus=1';
    const asked = [
      await site.api('GET', path),
      await site.asEve('GET', path),
      await site.asNobody('GET', path),
    ];
    expect(asked.map(({ status }) => status)).toEqual([400, 400, 401]);
  });

  it.each(['docs/openapi.json', 'console/boot.json', 'health/live'])('/%s is for everybody', async (path) => {
    // The console may not have been built yet.
    const open = path.startsWith('console/') ? [200, 503] : [200];
    expect(open).toContain((await fetch(`${site.server.url}/${path}`)).status);
  });
});
