import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findOwner, lockDataDir } from '../../../src/database/embedded/embedded-lock.ts';
import { thisProcess } from '../../../src/database/embedded/embedded-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a data folder has one owner at a time, and none after the release', async () => {
  const unlock = await lockDataDir(folder);
  expect(await findOwner(folder)).toEqual(thisProcess());
  await expect(lockDataDir(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  await unlock();
  expect(await findOwner(folder)).toBe(undefined);
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of a dead process is taken over by exactly one of many, and nothing is left over', async () => {
  for (let round = 0; round < 20; round++) {
    await writeFile(join(folder, 'postgres.lock'), JSON.stringify({ pid: 4_194_305, startedAt: `${round}` }));
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(folder)));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['postgres.lock']);
  }
});

test('a process that died while it took over is succeeded too', async () => {
  const dead = JSON.stringify({ pid: 4_194_305, startedAt: 'long ago' });
  await writeFile(join(folder, 'postgres.lock'), dead);
  const digest = createHash('sha256').update(dead).digest('hex').slice(0, 16);
  await writeFile(
    join(folder, `postgres.lock.after-${digest}`),
    JSON.stringify({ pid: 4_194_306, startedAt: 'x' }),
  );
  await lockDataDir(folder);
  expect(await readdir(folder)).toEqual(['postgres.lock']);
});

test('a process that got the id of the dead owner is not taken for the owner', async () => {
  const reused = { pid: process.pid, startedAt: 'before' };
  await writeFile(join(folder, 'postgres.lock'), JSON.stringify(reused));
  expect(await findOwner(folder)).toBe(undefined);
  await lockDataDir(folder);
});
