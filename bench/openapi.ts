/**
 * Holds a server of its own to the description of its interface: `npm run test:openapi [-- <seconds> <seed>]`. Schemathesis sends
 * what `/docs/openapi.json` allows, and what it does not, as an administrator, with ids of what is there and without; every
 * answer has to be a described one, and none a failure of the server. It ends with 1 when one is not, and with 3 when
 * Schemathesis could not be installed.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_PASSWORD } from '../test/support/api.ts';
import { hostileTarget } from '../test/support/hostile-target.ts';
import { createTestDatabase } from '../test/support/postgres.ts';
import { openBenchServer } from './support/postgres.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';
/** Beside the packages of npm, which no commit takes up. */
const ENVIRONMENT = new URL('../node_modules/.cache/schemathesis', import.meta.url).pathname;
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? 1);

const program = join(ENVIRONMENT, 'bin', 'st');
if ((await run('python3', ['-m', 'venv', ENVIRONMENT])) !== 0 || (await install()) !== 0) {
  console.error(`${SCHEMATHESIS} could not be installed`);
  process.exit(3);
}

await using scope = new AsyncDisposableStack();
const postgres = scope.use(await openBenchServer());
const database = scope.use(await createTestDatabase({ serverUrl: postgres.url }));
const { server, ids } = scope.use(await hostileTarget(database));
const folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'));
scope.defer(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'schemathesis.toml'), settings());
const status = await run(
  program,
  [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', `${server.url}/docs/openapi.json`],
    ...['--url', `${server.url}/svc`, '--auth', `svc-admin:${ADMIN_PASSWORD}`, '--checks', CHECKS],
    // What tells of itself without an end has its own tests.
    ...['--exclude-path', '/events', '--phases', 'coverage,fuzzing', '--max-time', String(seconds)],
    ...['--seed', String(seed), '--warnings', 'off', '--suppress-health-check', 'all'],
    ...['--generation-database', 'none', '--request-timeout', '30'],
  ],
  folder,
);
const failures = server.observations.filter(({ kind }) => kind === 'http.failed');
for (const failure of failures.slice(0, 20)) console.error(JSON.stringify(failure));
process.exitCode = status === 0 && failures.length === 0 ? 0 : 1;

async function install(): Promise<number> {
  return run(join(ENVIRONMENT, 'bin', 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    SCHEMATHESIS,
  ]);
}

/** Half of the ids are of something; the rest is whatever there might be. */
function settings(): string {
  const known = {
    path: ids,
    _queryFilter: ['true', '_id pr', '_id sw "a"'],
    _queryId: ['query-all-ids', 'query-all'],
  };
  return [
    '[checks]',
    // What a resource does not do is refused as such.
    'not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]',
    ...Object.entries(known).flatMap(([name, values]) => [
      `[dictionaries.${name}]`,
      `values = ${JSON.stringify(values)}`,
    ]),
    '[parameters]',
    ...['id', 'type', 'topic', 'run', 'definition', 'procdefid', 'relationshipId'].map(
      (name) => `"path.${name}" = { dictionary = "path", probability = 0.5 }`,
    ),
    ...['_queryFilter', '_queryId'].map(
      (name) => `"query.${name}" = { dictionary = "${name}", probability = 0.5 }`,
    ),
  ].join('\n');
}

/** @param cwd keeps what it leaves behind */
function run(command: string, args: readonly string[], cwd = tmpdir()): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', cwd });
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
