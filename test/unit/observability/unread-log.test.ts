import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const PROGRAM = `
import { createLogSink } from '#observability/index.ts';
const sink = createLogSink({ level: 'info', nodeId: 'n1' });
const say = (message) => sink.observe({ kind: 'config.warned', message });
for (let n = 0; n < 12_000; n++) say(n + ' ' + 'x'.repeat(1_000));
process.send('said');
process.once('message', () => {
  say('the last');
  process.disconnect();
});
`;

const start = (program: string) =>
  spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });

describe('a log that nobody reads', () => {
  it('holds up nobody, keeps what waits within bounds, and says what it has lost', async () => {
    const child = start(PROGRAM);
    // It comes though the pipe is full, and before anything is read.
    expect(await once(child, 'message')).toEqual(['said', undefined]);
    const read = text(child.stdout!);
    await once(child.stdout!, 'data');
    child.send('go on');
    const lines = (await read).trimEnd().split('\n');
    const said = lines.map((line) => JSON.parse(line) as { kind: string; msg: string; lines?: number });
    const kept = said.filter(({ kind }) => kind === 'config.warned');
    const lost = said.filter(({ kind }) => kind === 'log.lost');
    expect(kept[0]!.msg).toMatch(/^0 x/);
    expect(kept.length).toBeLessThan(12_000);
    expect(kept.length).toBeGreaterThan(1_000);
    expect(kept.length + lost.reduce((sum, { lines = 0 }) => sum + lines, 0)).toBeGreaterThanOrEqual(12_000);
  });

  it('keeps no process from its end', async () => {
    const child = start(`${PROGRAM.split('process.once')[0]} sink.flush(); process.exit(3);`);
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});
