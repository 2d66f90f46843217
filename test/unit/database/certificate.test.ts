import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/database/embedded/embedded-server.ts';
import { DatabaseClient, DatabasePool } from '../../../src/database/pool/database-client.ts';
import { certificateAuthority } from '../../support/certificates.ts';

let folder: string;
let server: EmbeddedServer;
const [ours, theirs] = [certificateAuthority(), certificateAuthority()];

/** Puts a file beside the data, as Postgres itself, so that it is the owner. */
async function put(client: DatabaseClient, file: string, content: string): Promise<void> {
  const text = Buffer.from(content).toString('base64');
  const program = `umask 077; base64 -d > ${file}.new && touch ${file} && cat ${file} >> ${file}.new && mv ${file}.new ${file}`;
  await client.query(`copy (select '${text}') to program '${program}'`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-certificate-'));
  await chmod(folder, 0o711);
  server = await startEmbeddedServer({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
  const client = new DatabaseClient({ connectionString: server.url });
  await client.connect();
  const own = ours.issue('localhost');
  await put(client, 'node.crt', own.certificate);
  await put(client, 'node.key', own.key);
  await put(client, 'authority.crt', ours.certificate);
  await put(client, 'pg_hba.conf', 'hostssl all guest all cert\nhost all guest all reject\n');
  await client.query('create role guest login');
  for (const [setting, value] of [
    ['ssl_cert_file', 'node.crt'],
    ['ssl_key_file', 'node.key'],
    ['ssl_ca_file', 'authority.crt'],
    ['ssl', 'on'],
  ]) {
    await client.query(`alter system set ${setting} = '${value}'`);
  }
  await client.query('select pg_reload_conf()');
  while ((await client.query<{ ssl: string }>('show ssl')).rows[0]!.ssl !== 'on') await setImmediate();
  await client.end();
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What whoever connects as `guest` in this way is told. */
async function connect(parameters: Record<string, string>): Promise<unknown> {
  const written: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    written[name] = value.startsWith('-----') ? join(folder, name) : value;
    if (written[name] !== value) await writeFile(written[name], value);
  }
  const port = new URL(server.url).port;
  const url = `postgres://guest@localhost:${port}/postgres?${new URLSearchParams(written)}`;
  const client = new DatabaseClient({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      'select current_user as who, ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0];
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => {});
  }
}

describe('a connection to Postgres', () => {
  const { certificate: sslcert, key: sslkey } = ours.issue('guest');
  const full = { sslmode: 'verify-full', sslrootcert: ours.certificate };

  it('is let in by the certificate of its role, which no password replaces', async () => {
    expect(await connect({ ...full, sslcert, sslkey })).toEqual({ who: 'guest', ssl: true });
    expect(await connect(full)).toMatch(/requires a valid client certificate/);
    expect(await connect({ sslmode: 'disable' })).toMatch(/rejects connection|no pg_hba/);
  });

  it('is not let in by a certificate of another authority, nor by that of another role', async () => {
    const stranger = theirs.issue('guest');
    expect(
      await connect({ ...full, sslcert: stranger.certificate, sslkey: stranger.key }),
    ).not.toHaveProperty('who');
    const other = ours.issue('svc');
    expect(await connect({ ...full, sslcert: other.certificate, sslkey: other.key })).toMatch(
      /certificate authentication failed/,
    );
  });

  it('goes to no server that another authority vouches for', async () => {
    const misled = { sslmode: 'verify-full', sslrootcert: theirs.certificate, sslcert, sslkey };
    expect(await connect(misled)).toMatch(/certificate/);
  });

  it('reads its certificate anew, so that a pool outlives the one that it began with and a moment without any', async () => {
    const files = { sslrootcert: ours.certificate, sslcert, sslkey };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `r-${name}`), text);
    const named = Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, `r-${name}`)]));
    const { port } = new URL(server.url);
    const parameters = new URLSearchParams({ sslmode: 'verify-full', ...named });
    const pool = new DatabasePool({
      connectionString: `postgres://guest@localhost:${port}/postgres?${parameters}`,
      max: 1,
      maxUses: 1,
    });
    await using _ = { [Symbol.asyncDispose]: () => pool.end() };
    const serial = async () =>
      (
        await pool.query<{ serial: string }>(
          'select client_serial::text as serial from pg_stat_ssl where pid = pg_backend_pid()',
        )
      ).rows[0]!.serial;
    const before = await serial();
    await rm(join(folder, 'r-sslcert'));
    // The second has to wait for the first, and then finds no file.
    for (const one of await Promise.allSettled([serial(), serial()]))
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } });
    const next = ours.issue('guest');
    await writeFile(join(folder, 'r-sslcert'), next.certificate);
    await writeFile(join(folder, 'r-sslkey'), next.key);
    expect(await serial()).not.toBe(before);
  });
});
