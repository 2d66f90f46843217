import { ADMIN_PASSWORD, type Api } from './api.ts';
import { type HostileRequest, hostileRequest } from './hostile-requests.ts';
import type { TestDatabase } from './postgres.ts';
import { startTestServer, type TestServer } from './server.ts';
import { processFile } from './workflow.ts';

export const USER_PASSWORD = 'Passw0rd-of-users';

export interface HostileTarget extends AsyncDisposable {
  readonly server: TestServer;
  /** Of one of each kind of thing. */
  readonly ids: readonly string[];
  next(random: () => number): HostileRequest;
}

/** With these an administrator may rightly break the server or make it answer 500. */
const RIGHTLY = /^\/(config|script|repo\/\{id\}|endpoint)/;

/** A server of the shipped project with a few users, and whoever may come to it. */
export async function hostileTarget(database?: TestDatabase): Promise<HostileTarget> {
  const files = { 'workflow/asked.bpmn20.xml': PROCESS, 'conf/endpoint-echo.json': ECHO };
  const server = await startTestServer({ files, ...(database === undefined ? {} : { database }) });
  const { api } = server;
  for (const userName of ['ada', 'ben', 'eve']) {
    const { status, body } = await api('PUT', `managed/user/${userName}`, {
      body: {
        userName,
        givenName: userName,
        sn: 'Test',
        mail: `${userName}@example.com`,
        password: USER_PASSWORD,
      },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  const ids = await fill(api);
  const described = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as { paths: object };
  const paths = Object.keys(described.paths);
  const actions = actionsOf(described);
  const caller = (user: string, password: string) => ({ 'X-Svc-Username': user, 'X-Svc-Password': password });
  const admin = caller('svc-admin', ADMIN_PASSWORD);
  const others = [caller('eve', USER_PASSWORD), caller('anonymous', 'anonymous'), {}];
  return {
    server,
    ids,
    next(random) {
      const asAdmin = random() < 0.7;
      const known = { random, ids, actions };
      return asAdmin
        ? hostileRequest({ ...known, paths: paths.filter((path) => !RIGHTLY.test(path)), callers: [admin] })
        : hostileRequest({ ...known, paths, callers: others });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const PROCESS = processFile(
  'asked',
  `<startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="t"/>
   <userTask id="t" flowable:assignee="eve"/><sequenceFlow id="b" sourceRef="t" targetRef="w"/>
   <scriptTask id="w" scriptFormat="javascript"><script>
     execution.setVariable('who', context.security.authenticationId + ' ' + typeof svc.read + ' ' + typeof execution.getVariable)
   </script></scriptTask><sequenceFlow id="c" sourceRef="w" targetRef="e"/><endEvent id="e"/>`,
);
const ECHO = {
  type: 'text/javascript',
  source: "request.method === 'query' ? [] : ({ content: request.content })",
};

/** One of each kind of thing. @returns their ids */
async function fill(api: Api): Promise<readonly string[]> {
  const schedule = {
    type: 'cron',
    schedule: '0 0 4 * * ?',
    invokeService: 'script',
    invokeContext: { script: ECHO },
  };
  const must = async (...call: Parameters<Api>) => {
    const { status, body } = await api(...call);
    if (status >= 400) throw new Error(JSON.stringify(body));
    return body;
  };
  await must('PUT', 'scheduler/job/nightly', { body: schedule });
  await must('POST', 'scheduler/job/nightly?_action=trigger');
  await must('PUT', 'managed/role/auditor', { body: { name: 'auditor', description: 'x' } });
  const instance = await must('POST', 'workflow/processinstance', { body: { _key: 'asked' } });
  const firsts = await Promise.all(
    [
      'workflow/processdefinition?_queryId=query-all-ids',
      'workflow/taskinstance?_queryId=query-all-ids',
      'scheduler/firing?_queryFilter=true',
      'scheduler/trigger?_queryFilter=true',
      'audit/activity?_queryFilter=true&_pageSize=1',
    ].map(async (path) => (await must('GET', path)).result[0]?._id as string | undefined),
  );
  return [
    'nightly',
    'auditor',
    'asked',
    'echo',
    String(instance._id),
    ...firsts.filter((id) => id !== undefined),
  ];
}

/** Every name of an action that the description of the interface has. */
function actionsOf(described: object): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { name, schema } = value as { name?: unknown; schema?: { enum?: unknown[] } };
    if (name === '_action') for (const action of schema?.enum ?? []) found.add(String(action));
    for (const inner of Object.values(value)) look(inner);
  };
  look(described);
  return [...found];
}
