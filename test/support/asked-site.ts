import { readFileSync } from 'node:fs';
import { boundary, end, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';
import { ADMIN_PASSWORD, type Api } from './api.ts';
import { authenticationWith, callerAs, callersOf, PASSWORD, passwordOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { startIssuer } from './issuer.ts';
import { startTestServer, type TestServer } from './server.ts';
import { processFile, untilDeadLetter, workflowApi } from './workflow.ts';

const approval = (last: string) =>
  processFile(
    'approval',
    start() +
      user('work', { 'flowable:candidateGroups': 'svc-admin' }) +
      boundary('late', 'work', timer('PT1H')) +
      user(last) +
      end() +
      path('s', 'work', 'e') +
      path('late', last, 'e'),
  );
const fragile = processFile(
  'fragile',
  start() +
    tag(
      'scriptTask',
      'mail',
      { scriptFormat: 'javascript', 'flowable:async': true },
      "<script>throw new Error('no paper')</script>",
    ) +
    end() +
    path('s', 'mail', 'e'),
);
const script = { type: 'text/javascript', source: "throw new Error('no paper')" };
const schedule = { enabled: true, type: 'cron', schedule: '0 30 2 * * ?', timeZone: 'Europe/Berlin' };
const scan = {
  numberOfThreads: 1,
  scan: {
    object: 'managed/user',
    _queryFilter: 'userName eq "eve"',
    taskState: { started: '/lastScan/started', completed: '/lastScan/completed' },
  },
  task: { script },
};

/** A server that has one of each thing, and who asks it: an administrator, an ordinary user (eve), and nobody. */
export interface AskedSite extends AsyncDisposable {
  readonly server: TestServer;
  readonly api: Api;
  readonly asEve: Api;
  readonly asNobody: Api;
  /** Of one of each thing, by what it is. */
  readonly ids: Readonly<Record<string, string>>;
}

export async function startAskedSite(): Promise<AskedSite> {
  await using scope = new AsyncDisposableStack();
  const issuer = scope.use(await startIssuer());
  const login = {
    provider: 'corporate',
    title: 'The company',
    clientId: 'console',
    clientSecret: 'a secret',
    redirectUri: 'https://svc.example.com/console/callback',
  };
  const server = scope.use(
    await startTestServer({
      files: {
        'conf/authentication.json': authenticationWith(issuer.url, [
          {
            name: 'OPENID_CONNECT',
            properties: { issuer: issuer.url, audience: 'console', queryOnResource: 'managed/user', login },
          },
        ]),
        'conf/schedule-nightly.json': {
          ...schedule,
          invokeService: 'script',
          invokeContext: { script: { ...script, source: '1' } },
        },
        'workflow/approval.bpmn20.xml': approval('escalated'),
        'workflow/fragile.bpmn20.xml': fragile,
        'workflow/accessRequest.bpmn20.xml': readFileSync(
          new URL('../../workflow/accessRequest.bpmn20.xml', import.meta.url),
          'utf8',
        ),
        'script/own.js': "'own'",
      },
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
    }),
  );
  const { api } = server;
  for (const name of ['ada', 'eve']) await callersOf(() => api).createUser(name);
  const ids = await makeOneOfEach(server);
  const opened = scope.move();
  return {
    server,
    api,
    asEve: callerAs(() => api, 'eve'),
    asNobody: (method, path, options) => api(method, path, { ...options, user: null }),
    ids,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function makeOneOfEach(server: TestServer): Promise<Readonly<Record<string, string>>> {
  const { api } = server;
  const workflow = workflowApi(api);
  const must = async (...call: Parameters<Api>) => {
    const { status, body } = await api(...call);
    if (status >= 400) throw new Error(`${call.slice(0, 2).join(' ')}: ${JSON.stringify(body)}`);
    return body;
  };
  const role = { name: 'auditor', description: 'May read everything', requestable: true };
  await must('PUT', 'managed/role/auditor', { body: role });
  const text = [{ operation: 'replace', field: '/description', value: 'Reads' }];
  await must('PATCH', 'managed/role/auditor', { body: text });
  const isOfRole = encodeURIComponent('objectId eq "managed/role/auditor"');
  const entry = (await must('GET', `audit/activity?_queryFilter=${isOfRole}&_sortKeys=-timestamp`)).result[0];

  const instance = await workflow.start('approval', {});
  const [task] = await workflow.list('taskinstance', `processInstanceId=${instance}`);
  const { waitsFor, processDefinitionId } = await workflow.get(
    `processinstance/${instance}?_fields=*,waitsFor`,
  );
  await must('POST', 'workflow/deployment?_action=deploy', {
    body: { name: 'approval.bpmn20.xml', content: approval('decided') },
  });
  const [latest] = (await workflow.list('processdefinition', 'key=approval')).filter(
    ({ _id }: { _id: string }) => _id !== processDefinitionId,
  );
  const { _id: request } = await must('POST', 'workflow/processinstance', {
    body: { _key: 'accessRequest', role: 'auditor', reason: 'The audit' },
    user: 'ada',
    password: PASSWORD,
  });
  const { processDefinitionId: drawn } = await workflow.get(`processinstance/${request}`);
  const failing = await workflow.start('fragile', {});
  await untilDeadLetter(server, failing);
  const [letter] = await workflow.list('job/deadletter', `processInstanceId=${failing}`);

  const { _id: run } = await must('POST', 'taskscanner?_action=execute&waitForCompletion=true', {
    body: scan,
  });
  await must('POST', 'scheduler/job/nightly?_action=trigger');
  await eventually(
    () => must('GET', 'scheduler/firing?_queryFilter=true'),
    ({ result }) => result.length > 0,
  );
  const operation = await must('POST', 'operation', {
    body: { act: 'delete', resource: 'managed/role', queryFilter: 'true', dryRun: true },
  });
  const { node } = await server.observed('node.named');
  const own = await fetch(`${server.url}/svc/authentication?_action=login`, {
    method: 'POST',
    headers: passwordOf('svc-admin', ADMIN_PASSWORD),
  });
  if (!own.ok) throw new Error(await own.text());
  const session = (await must('GET', 'session?_queryFilter=true')).result[0]._id;
  await must('PUT', 'config/workflow', { body: { history: 'audit' } });
  await must('PUT', 'apikey/clerk', { body: { roles: ['svc-authorized'] } });
  const view = await must('POST', 'view', { body: { title: 'Leavers', area: 'managed/user', state: {} } });
  return {
    entry: entry._id,
    transaction: entry.transactionId,
    instance,
    task: task._id,
    job: jobOf(waitsFor),
    definition: processDefinitionId,
    latest: latest._id,
    letter: letter._id,
    drawn,
    request,
    run,
    operation: operation._id,
    node,
    session,
    view: view._id,
  };
}

function jobOf(waitsFor: readonly { readonly jobId?: string }[]): string {
  const job = waitsFor.find(({ jobId }) => jobId !== undefined)?.jobId;
  if (job === undefined) throw new Error(JSON.stringify(waitsFor));
  return job;
}

/** Who may ask for what, as `docs/access-matrix.md` has it. */
export function readAccessMatrix() {
  const page = readFileSync(new URL('../../docs/access-matrix.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `\/(\S+)` \| (.+?) \| (\S+) \| (\S+) \| (\S+) \|$/gm)].map(
    ([, resource = '', what = '', , ofUser]) => ({
      pattern: new RegExp(`^${resource.replace(/\{\w+\}/g, '[^/]+')}$`),
      resource,
      what,
      isOpen: ofUser === 'yes',
    }),
  );
  return (method: string, asked: string) => {
    const [path = '', parameters = ''] = asked.split('?');
    const kinds = kindsOf(method, new URLSearchParams(parameters));
    // A PUT of what is not there is a creation in its collection.
    const paths = method === 'PUT' ? [path, path.replace(/\/[^/]+$/, '')] : [path];
    return rows.filter(
      ({ pattern, what }) => kinds.includes(what) && paths.some((each) => pattern.test(each)),
    );
  };
}

function kindsOf(method: string, parameters: URLSearchParams): readonly string[] {
  const action = parameters.get('_action');
  if (action !== null) return [`action ${action}`];
  if (method === 'PUT') return ['update', 'create'];
  if (method === 'GET')
    return parameters.has('_queryFilter') || parameters.has('_queryId') ? ['query'] : ['read'];
  return [{ POST: 'create', PATCH: 'patch', DELETE: 'delete' }[method] ?? method];
}
