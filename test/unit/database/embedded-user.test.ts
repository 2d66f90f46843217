import { chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findPostgresBinaries } from '../../../src/database/embedded/embedded-binaries.ts';
import { choosePostgresUser, runAs } from '../../../src/database/embedded/embedded-user.ts';
import '../../support/takes-long.ts';

// An ordinary user has no other user to choose from.
describe.skipIf(process.getuid?.() !== 0)('the user that a Postgres started by root runs as', () => {
  let closed: string;
  beforeEach(async () => {
    closed = await mkdtemp(join(homedir(), 'svc-user-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(closed, { recursive: true });
  });

  test('is unprivileged, and plain where nothing is closed', async () => {
    const user = await choosePostgresUser('/nowhere', ['/']);
    expect(user.ids?.uid).toBeGreaterThan(0);
    expect(user.prefix).toEqual([]);
  });

  test('owns the database that is there', async () => {
    const owned = await mkdtemp('/var/tmp/svc-user-');
    await chown(owned, 12_345, 54_321);
    expect((await choosePostgresUser(owned, ['/'])).ids).toEqual({ uid: 12_345, gid: 54_321 });
    await rm(owned, { recursive: true });
  });

  test('may pass through a closed folder', async () => {
    const user = await choosePostgresUser('/nowhere', [closed]);
    expect(user.prefix).toContain('setpriv');
    expect(await runAs(user, 'ls', [closed])).toBe(null);
  });

  test('runs the packaged programs below a closed folder, with that one capability', async () => {
    const binaries = await findPostgresBinaries();
    const home = join(closed, 'native');
    await cp(binaries.home, home, { recursive: true, verbatimSymlinks: true });
    const data = await mkdtemp(join(closed, 'data-'));
    const user = await choosePostgresUser('/nowhere', [data, join(home, 'bin', 'initdb')]);
    await chown(data, user.ids!.uid, user.ids!.gid);
    expect(await runAs(user, join(home, 'bin', 'initdb'), ['--no-sync', `--pgdata=${data}`])).toBe(null);
    const status = await runAs(user, 'sh', ['-c', 'cat /proc/self/status; exit 1']);
    const bits = BigInt(`0x${/^CapPrm:\s+(\w+)/m.exec(status ?? '')?.[1]}`);
    expect([1n << 1n, 1n << 2n]).toContain(bits);
  });

  test('is missing where a folder is closed and no tool opens it, and the error says which and what to do', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(choosePostgresUser('/nowhere', ['/', closed])).rejects.toThrow(
      new RegExp(`cannot enter ${closed} — .*ordinary user.*chmod.*setpriv.*DATABASE_URL.*DB_EMBEDDED_USER`),
    );
  });
});
