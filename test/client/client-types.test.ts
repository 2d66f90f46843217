import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineOf } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { workflowApi } from '../support/workflow.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const PROCESS = readFileSync(join(ROOT, 'workflow/accessRequest.bpmn20.xml'), 'utf8');

describe('svc client types', () => {
  let server: TestServer;
  let types: string;
  const svc = commandLineOf(() => server);

  beforeAll(async () => {
    server = await startTestServer({ files: { 'workflow/accessRequest.bpmn20.xml': PROCESS } });
    await eventually(
      () => workflowApi(server.api).list('processdefinition'),
      (definitions) => definitions.length === 1,
    );
    types = join(server.project.location, 'svc-types.ts');
    const told = { code: 0, out: `${types}\n`, err: '' };
    expect(await svc(['client', 'types', '-o', types])).toEqual(told);
    const written = readFileSync(types, 'utf8');
    expect(await svc(['client', 'generate', '-o', types])).toEqual(told);
    expect(readFileSync(types, 'utf8')).toBe(written);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** @returns what the compiler says of a program that uses the types, with a copy of the client beside it */
  const mistakesIn = (program: string): string[] => {
    const folder = join(server.project.location, 'program');
    mkdirSync(join(folder, 'client'), { recursive: true });
    for (const file of readdirSync(join(ROOT, 'src/client'))) {
      copyFileSync(join(ROOT, 'src/client', file), join(folder, 'client', file));
    }
    copyFileSync(types, join(folder, 'svc-types.ts'));
    const main = join(folder, 'main.ts');
    writeFileSync(
      main,
      `import { createClient } from './client/index.ts';
      import type { Svc, SvcProcesses, User } from './svc-types.ts';
      const client = createClient<Svc, SvcProcesses>({ url: '' });
      const user: User = { userName: 'ada', givenName: 'Ada', sn: 'Nagy', mail: 'ada@example.com' };
      ${program}`,
    );
    const compiled = ts.createProgram([main], {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      strict: true,
      skipDefaultLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    });
    return ts
      .getPreEmitDiagnostics(compiled)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };

  it('are such that what a node takes compiles, and what it does not have is an error', () => {
    const right = `client.managed('user').create({ ...user, password: 'secret' });
      client.managed('user').create({ ...user, roles: [{ _ref: 'managed/role/auditor' }] });
      client.process('accessRequest').start({ role: 'auditor', reason: 'for a month' });
      client.managed('user').patch('ada', [], { dryRun: true }).then((report) => report.changes);`;
    const wrong: [string, RegExp][] = [
      [`client.managed('usr');`, /'"usr"' is not assignable/],
      [`client.managed('user').create({ userName: 'ada' });`, /missing the following properties|givenName/],
      [`client.managed('user').create({ ...user, sn: 7 });`, /'number' is not assignable to type 'string'/],
      [`client.process('accesRequest');`, /'"accesRequest"' is not assignable/],
      [`client.process('accessRequest').start({ role: 'auditor' });`, /'reason' is missing/],
      [
        `client.managed('user').read('ada').then((ada) => { ada.effectiveRoles = []; });`,
        /read-only property/,
      ],
    ];
    const found = mistakesIn([right, ...wrong.map(([line]) => line)].join('\n'));
    expect(found).toEqual(wrong.map(([, mistake]) => expect.stringMatching(mistake)));
  });

  it('are of one command, called as it is', async () => {
    expect((await svc(['client', 'typs'])).code).toBe(2);
    expect((await svc(['client', 'types'])).out).toBe(readFileSync(types, 'utf8'));
  });
});
