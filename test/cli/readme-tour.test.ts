import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { commandLineOf } from '../support/command-line.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ROOT = new URL('../../', import.meta.url);
const README = readFileSync(new URL('README.md', ROOT), 'utf8');

let server: TestServer;
const svc = commandLineOf(() => server);

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** The block of code behind a paragraph of the tour. */
function blockBehind(paragraph: string): string {
  const text = README.slice(README.indexOf(paragraph));
  const [, block] = /```\w+\n([\s\S]*?)```/.exec(text) ?? [];
  expect(block, paragraph).toBeDefined();
  return block ?? '';
}

describe('the tour of the README', () => {
  it('runs with svc as it stands', async () => {
    const commands = [...blockBehind('**The same with svc**').matchAll(/^\.\/bin\/svc\.js (.*)$/gm)];
    const said: string[] = [];
    for (const [line, command = ''] of commands) {
      const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, a, b, c]) => a ?? b ?? c ?? '',
      );
      const { code, out, err } = await svc(words);
      expect([code, err], line).toEqual([0, '']);
      said.push(out);
    }
    expect(said).toHaveLength(6);
    expect(said[1]).toMatch(/^ID +USERNAME +ACCOUNTSTATUS\nemil +emil +(?:in)?active\n$/);
    expect(said[2]).toContain('~ managed/user/emil\n');
    expect(said[5]).toMatch(/^SCHED_UNKNOWN_TIME_ZONE/);
  });

  it('runs with the client as it stands', async () => {
    const program = join(server.project.location, 'tour.ts');
    const client = new URL('src/client/index.ts', ROOT).href;
    writeFileSync(program, blockBehind('**And from a program**').replace('./src/client/index.ts', client));
    const child = spawn(process.execPath, [program], {
      env: { ...PROGRAM_ENVIRONMENT, SVC_URL: server.url, SVC_PASSWORD: ADMIN_PASSWORD },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, out]).toEqual([0, '1 would change\n']);
  });
});
