import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packClient } from '../../bin/pack-client.js';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

/** A project of others, which has installed the package. */
describe('the package of the client', () => {
  let server: TestServer;
  let project: string;
  let archive: string;

  beforeAll(async () => {
    server = await startTestServer();
    project = mkdtempSync(join(tmpdir(), 'svc-client-project-'));
    archive = packClient(project);
    const installed = join(project, 'node_modules', 'svc-identity-client');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  });
  afterAll(async () => {
    rmSync(project, { recursive: true, force: true });
    await server[Symbol.asyncDispose]();
  });

  it('has JavaScript, types and words, needs nothing else, and is small', () => {
    const files = readdirSync(join(project, 'node_modules/svc-identity-client')).sort();
    expect(files.filter((file) => !/\.(?:js|d\.ts)$/.test(file))).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(files.filter((file) => file.endsWith('.js')).map((file) => file.replace(/js$/, 'd.ts'))).toEqual(
      files.filter((file) => file.endsWith('.d.ts')),
    );
    expect(statSync(archive).size).toBeLessThan(20_000);
  });

  it('asks a node, as plain JavaScript', async () => {
    writeFileSync(
      join(project, 'ask.js'),
      `import { ConflictError, createClient, filter } from 'svc-identity-client';
      const auth = { user: 'svc-admin', password: process.env.SVC_PASSWORD };
      const roles = createClient({ url: process.env.SVC_URL, auth }).managed('role');
      await roles.create({ name: 'packed', description: 'From a package' }, { id: 'packed' });
      for await (const { _id } of roles.query({ filter: filter\`name eq \${'packed'}\` })) console.log(_id);
      await roles.create({ name: 'packed', description: 'Again' }, { id: 'packed' })
        .catch((error) => console.log(error instanceof ConflictError));`,
    );
    const child = spawn(process.execPath, ['ask.js'], {
      cwd: project,
      env: { ...PROGRAM_ENVIRONMENT, SVC_URL: server.url, SVC_PASSWORD: ADMIN_PASSWORD },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(out).toBe('packed\ntrue\n');
  });

  it.each([
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ])('has types that a compiler finds (%s)', (_name, module, moduleResolution) => {
    const main = join(project, 'main.ts');
    writeFileSync(
      main,
      `import { createClient, type DryRun, type Stored } from 'svc-identity-client';
      interface Types { role: { name: string } }
      const roles = createClient<Types>({ url: 'http://127.0.0.1' }).managed('role');
      const report: Promise<DryRun<Stored<{ name: string }>>> = roles.create({ name: 'x' }, { dryRun: true });
      roles.create({ name: 7 });
      void report;`,
    );
    const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'];
    const target = ts.ScriptTarget.ES2022;
    const options = {
      target,
      lib,
      module,
      moduleResolution,
      types: [],
      strict: true,
      skipDefaultLibCheck: true,
      noEmit: true,
    };
    const found = ts.getPreEmitDiagnostics(ts.createProgram([main], options));
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([
      "Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it('goes into a bundle for browsers, with nothing of Node', async () => {
    const entry = join(project, 'page.js');
    writeFileSync(entry, `export { createClient } from 'svc-identity-client';`);
    const bundle = await rolldown({ input: entry, platform: 'browser', cwd: project });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    expect(output).toHaveLength(1);
    expect(output[0].imports).toEqual([]);
    expect(output[0].code).not.toMatch(/node:|process\.|Buffer\b/);
    expect(output[0].code.length).toBeLessThan(12_000);
  });
});
