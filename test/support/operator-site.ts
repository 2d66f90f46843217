import type { Api } from './api.ts';
import { startTestServer, type TestServer } from './server.ts';
import { workflowApi } from './workflow.ts';

const PASSWORD = 'Passw0rd-of-users';

/** Who may not do what operators do. */
export const ORDINARY = [
  { user: 'ann', password: PASSWORD },
  { user: 'anonymous', password: 'anonymous' },
] as const;
export const [asAnn, asNobody] = ORDINARY;

/** A server with some processes by their keys, and Ann, who may log in. */
export interface OperatorSite extends AsyncDisposable {
  readonly server: TestServer;
  readonly api: Api;
  readonly workflow: ReturnType<typeof workflowApi>;
}

/** @param others by path: further files of the project */
export async function startOperatorSite(
  processes: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
): Promise<OperatorSite> {
  const files = Object.entries(processes).map(([key, text]) => [`workflow/${key}.bpmn20.xml`, text]);
  const server = await startTestServer({ files: { ...others, ...Object.fromEntries(files) } });
  const { api } = server;
  const person = { userName: 'ann', givenName: 'Ann', sn: 'Test', mail: 'ann@example.com' };
  const authzRoles = [{ _ref: 'repo/internal/role/svc-authorized' }];
  await api('PUT', 'managed/user/ann', { body: { ...person, password: PASSWORD, authzRoles } });
  return {
    server,
    api,
    workflow: workflowApi(api),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
