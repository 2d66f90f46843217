/**
 * Holds a server of its own to SCIM 2.0: `npm run test:scim`. The checks are those of scim2-tester: discovery, schemas, resources of
 * each type, attributes, `/.search`, and PATCH of every attribute. It ends with 1 when one of them fails or none has run, and with
 * 3 when scim2-cli could not be installed.
 */
import { spawn } from 'node:child_process';
import { ADMIN_PASSWORD } from '../test/support/api.ts';
import { createTestDatabase } from '../test/support/postgres.ts';
import { startTestServer } from '../test/support/server.ts';
import { openBenchServer } from './support/postgres.ts';

const PACKAGES = ['scim2-cli==0.6.0', 'scim2-tester==0.5.2'];
/** Beside the packages of npm, which no commit takes up. */
const ENVIRONMENT = new URL('../node_modules/.cache/scim2', import.meta.url).pathname;
const FAILED = /^(?:ERROR|CRITICAL|DEVIATION)\b/;

if (
  (await run('python3', ['-m', 'venv', ENVIRONMENT])).status !== 0 ||
  (await run(`${ENVIRONMENT}/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]))
    .status !== 0
) {
  console.error(`${PACKAGES.join(' and ')} could not be installed`);
  process.exit(3);
}

await using scope = new AsyncDisposableStack();
const postgres = scope.use(await openBenchServer());
const database = scope.use(await createTestDatabase({ serverUrl: postgres.url }));
const server = scope.use(await startTestServer({ database }));
const credentials = Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64');
const { output } = await run(`${ENVIRONMENT}/bin/scim2`, ['--url', `${server.url}/scim/v2`, 'test'], {
  SCIM_CLI_HEADERS: `Authorization: Basic ${credentials}`,
});
const lines = output.split('\n');
const passed = lines.filter((line) => line.startsWith('SUCCESS')).length;
for (const [at, line] of lines.entries()) {
  if (FAILED.test(line) || line.startsWith('SKIPPED')) console.error(lines.slice(at, at + 5).join('\n'));
}
const failed = lines.filter((line) => FAILED.test(line)).length;
console.log(`${passed} checks of SCIM passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function run(program: string, parameters: readonly string[], environment: Record<string, string> = {}) {
  const { promise, resolve } = Promise.withResolvers<{ status: number; output: string }>();
  const child = spawn(program, parameters, { env: { ...process.env, ...environment } });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.pipe(process.stderr);
  child.once('error', () => resolve({ status: 1, output }));
  child.once('close', (status) => resolve({ status: status ?? 1, output }));
  return promise;
}
