import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#json/index.ts';
import { freePort, reachable } from './port.ts';

const PACKAGE = 'scim2-server==0.8.3';
/** Beside the packages of npm, which no commit takes up. */
const ENVIRONMENT = new URL('../../node_modules/.cache/scim2-peer', import.meta.url).pathname;
const PROGRAM = join(ENVIRONMENT, 'bin/scim2-server');

/** It comes from another registry, so that it is for a command of its own: `npm run test:scim-peer`. */
export const HAS_SCIM_PEER = process.env['SVC_TEST_SCIM_PEER'] !== undefined && isInstalled();

/** A service of SCIM that others have written, with resources of these schemas in its memory. */
export interface ScimPeer extends AsyncDisposable {
  readonly port: number;
  readonly token: string;
  /** Does something with many resources at once. */
  bulk(
    operations: readonly { readonly method: string; readonly path: string; readonly data?: JsonObject }[],
  ): Promise<void>;
  /** Takes all users away. */
  empty(): Promise<void>;
}

export async function startScimPeer(
  schemas: readonly JsonObject[],
  resourceTypes: readonly JsonObject[],
): Promise<ScimPeer> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-scim-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const [ofSchemas, ofTypes] = [join(folder, 'schemas.json'), join(folder, 'types.json')];
  await writeFile(ofSchemas, JSON.stringify(schemas));
  await writeFile(ofTypes, JSON.stringify(resourceTypes));
  const port = await freePort();
  const token = 'token-of-the-peer';
  const options = ['--schema', ofSchemas, '--resource-type', ofTypes, '--bearer-token', token];
  const server = spawn(PROGRAM, ['--port', String(port), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  server.stderr.on('data', (text) => said.push(String(text).slice(0, 1_000)));
  const ended = once(server, 'exit');
  scope.defer(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const failed = ended.then(() => Promise.reject(new Error(`scim2-server ended: ${said.join('')}`)));
  await Promise.race([reachable(port), failed]);
  failed.catch(() => {});
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/scim+json' };
    const response = await fetch(`http://127.0.0.1:${port}/v2${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  const bulk: ScimPeer['bulk'] = async (operations) => {
    for (let at = 0; at < operations.length; at += 500) {
      const Operations = operations
        .slice(at, at + 500)
        .map((one, place) => ({ bulkId: String(place), ...one }));
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
      const answer = await call('POST', '/Bulk', { schemas, Operations });
      for (const { status, response } of answer.Operations)
        if (Number(status) >= 300) throw new Error(JSON.stringify(response));
    }
  };
  const opened = scope.move();
  return {
    port,
    token,
    bulk,
    async empty() {
      for (;;) {
        const { Resources = [] } = await call('GET', '/Users?attributes=id&count=1000');
        if (Resources.length === 0) return;
        await bulk(Resources.map(({ id }: { id: string }) => ({ method: 'DELETE', path: `/Users/${id}` })));
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function isInstalled(): boolean {
  if (existsSync(PROGRAM)) return true;
  const steps = [
    ['python3', '-m', 'venv', ENVIRONMENT],
    [join(ENVIRONMENT, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', PACKAGE],
  ];
  const isDone = steps.every(([program = '', ...rest]) => spawnSync(program, rest).status === 0);
  if (!isDone) console.warn(`${PACKAGE} could not be installed, so that no other service of SCIM is asked`);
  return isDone;
}
