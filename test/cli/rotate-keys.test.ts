import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overrideSeals } from '#administration/override-seals.ts';
import { openCrypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import { contextSeals } from '../../src/scheduler/schedule/sealed-context.ts';
import { openDefinition, sealDefinition } from '../../src/taskscanner/scan-seals.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { createProject, type TestProject } from '../support/project.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const ALIAS = 'svc-sym-default';
const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');
const before = openCrypto({ keyRing: { [ALIAS]: [OLD] } });
/** What a node has once the old key is retired. */
const retired = openCrypto({ keyRing: { [ALIAS]: [NEW] } });

let database: Database & AsyncDisposable;
let project: TestProject;

beforeAll(async () => {
  database = await createMigratedDatabase();
  project = await createProject();
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await database.pool.query<Row>(text, values)).rows;

function rotate(
  ...flags: string[]
): ChildProcess & { readonly answer: Promise<{ code: number; output: string }> } {
  const env = {
    ...PROGRAM_ENVIRONMENT,
    SVC_PROJECT: project.location,
    DATABASE_URL: database.url,
    SVC_KEYS: JSON.stringify({ [ALIAS]: [NEW, OLD] }),
  };
  const child = spawn(process.execPath, ['src/main.ts', 'keys', 'rotate', ...flags], { cwd: ROOT, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const answer = new Promise<{ code: number; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code: code ?? -1, output })),
  );
  return Object.assign(child, { answer });
}

/** Columns that a row must have besides, where a constraint says what. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  audit_event: { topic: 'sync' },
  audit_history: { topic: 'sync' },
  crypto_rotation: { act: 'count' },
  import_item: { kind: 'repo' },
  incident: { kind: 'rolledBack' },
  personal_item: { kind: 'preference' },
  recon_entry: { phase: 'source' },
  recon_run: { mode: 'apply', state: 'ACTIVE' },
  scan_run: { state: 'ACTIVE' },
  scheduler_firing: { outcome: 'fired' },
  scheduler_job: { source: 'rest' },
  sync_dead_letter: { kind: 'failure' },
  sync_state: { outcome: 'delivered' },
  workflow_job: { kind: 'async' },
  workflow_variable: { type: 'json' },
};
/** Texts in which JSON or the words of others may stand. */
const TEXTS = ['content', 'text_value', 'exception', 'description', 'why'];

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly isKey: boolean;
}

/** All columns of all tables, as the schema has them now. */
const columns = () =>
  query<Column>(`
    select c.oid::regclass::text as table, a.attname as name, format_type(a.atttypid, null) as type,
           a.attnotnull and not a.atthasdef and a.attidentity = '' as "isNeeded",
           exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) as "isKey"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname = 'public'
      and c.relname not in ('schema_version', 'version')
    order by 1, a.attnum`);

const holdsValues = ({ name, type, isKey }: Column) =>
  !isKey && (type === 'jsonb' || type === 'bytea' || (type === 'text' && TEXTS.includes(name)));

function valueFor({ type }: Column): unknown {
  if (type === 'uuid') return '00000000-0000-4000-8000-000000000001';
  if (type === 'jsonb') return '{}';
  if (type.startsWith('timestamp')) return new Date();
  if (type.endsWith('[]')) return [];
  return type === 'boolean' ? false : /int|double|numeric/.test(type) ? 1 : 'x';
}

describe('svc keys rotate', () => {
  it('finds a value wherever one can be stored', async () => {
    const byTable = Map.groupBy(await columns(), ({ table }) => table);
    const places: { table: string; name: string; type: string }[] = [];
    const client = await database.pool.connect();
    // Rows without what they belong to: foreign keys are not what is tested here.
    await client.query('set session_replication_role = replica');
    for (const [table, all] of byTable) {
      const holding = all.filter(holdsValues);
      if (holding.length === 0) continue;
      const given: Record<string, unknown> = { ...NEEDED[table] };
      for (const column of all) if (column.isNeeded) given[column.name] ??= valueFor(column);
      for (const { name, type } of holding) {
        const text = JSON.stringify({ in: await before.encrypt(`${table}.${name}`, null, ALIAS) });
        given[name] = type === 'bytea' ? Buffer.from(`é\0${text}`, 'latin1') : text;
        places.push({ table, name, type });
      }
      const names = Object.keys(given);
      const list = names.map((_, at) => `$${at + 1}`).join();
      await client.query(`insert into ${table} (${names.join()}) values (${list})`, Object.values(given));
    }
    client.release(true);
    expect(places.length).toBeGreaterThan(25);

    const { code, output } = await rotate().answer;
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing is under an older key any more')]);
    const told = JSON.parse((await rotate('-o', 'json').answer).output);
    expect(told).toMatchObject({ isDone: true, failures: [], files: [] });
    expect(told.tables).toContainEqual({ table: 'workflow_resource', seen: 1, rewritten: 0 });
    for (const { table, name, type } of places) {
      const written = type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`;
      const [row] = await query<{ text: string }>(
        `select ${written} as text from ${table} where ${written} like '%x-simple-encryption%'`,
      );
      const text = row!.text.slice(row!.text.indexOf('{'));
      expect(await retired.decrypt(JSON.parse(text)), `${table}.${name}`).toEqual({ in: `${table}.${name}` });
    }
    const [resource] = await query<{ bytes: Buffer }>('select bytes from workflow_resource');
    expect(resource!.bytes.subarray(0, 2)).toEqual(Buffer.from([0xe9, 0]));
  });

  it('leaves the secrets of schedules and of configurations where their nodes open them', async () => {
    const definition = {
      invokeContext: { password: 'open-sesame', script: { globals: { apiKey: 'key', shown: 1 } } },
    };
    const stored = await contextSeals(before).seal(definition);
    const settings = { access: { password: 'open-sesame' }, shown: 1 };
    const override = await overrideSeals(before, () => ALIAS).seal('endpoint/x', settings);
    await query(
      "insert into config_override (id, content, sealed, changed_by) values ('endpoint/x', $1, $2, 'nobody')",
      [override.content, override.sealed],
    );
    const [job] = await query<{ id: string }>(
      `insert into scheduler_job (id, definition, content_hash, source) values ('sealed', $1, '', 'rest') returning id`,
      [JSON.stringify(stored)],
    );
    const scanned = {
      object: 'managed/x',
      query: {
        queryFilter: 'true',
        queryId: null,
        queryExpression: null,
        sortKeys: null,
        parameters: { apiKey: 'open-too' },
      },
      started: '/started',
      completed: '/completed',
      recovery: null,
      maxRecords: null,
      threads: 1,
      wait: false,
      synchronize: true,
      script: { type: 'text/javascript', source: '1', globals: { password: 'open-sesame' } },
    };
    await query(
      "insert into scan_run (id, state, definition, security) values (gen_random_uuid(), 'ACTIVE', $1, '{}')",
      [JSON.stringify(await sealDefinition(before, scanned))],
    );
    expect((await rotate().answer).code).toBe(0);
    const [run] = await query<{ definition: typeof scanned }>(
      `select definition from scan_run where definition->>'object' = 'managed/x'`,
    );
    expect(JSON.stringify(run)).not.toMatch(/open-/);
    expect(await openDefinition(retired, run!.definition)).toEqual(scanned);
    const [kept] = await query<{ definition: typeof stored }>(
      'select definition from scheduler_job where id = $1',
      [job!.id],
    );
    expect(await contextSeals(retired).open(kept!.definition)).toEqual(definition);
    const [row] = await query<{ content: string; sealed: string[] }>(
      "select content, sealed from config_override where id = 'endpoint/x'",
    );
    const opened = await overrideSeals(retired, () => ALIAS).open({ id: 'endpoint/x', ...row! });
    expect(JSON.parse(opened.content!)).toEqual(settings);
  });

  it('goes on where it was after a kill -9 in the middle', async () => {
    const names = Array.from({ length: 600 }, (_, at) => `n${String(at).padStart(3, '0')}`);
    const data = await Promise.all(
      names.map(async (name) => JSON.stringify({ secret: await before.encrypt(name, null, ALIAS) })),
    );
    await query(
      `insert into managed_object (type, id, data) select 'vault', * from unnest($1::text[], $2::jsonb[])`,
      [names, data],
    );
    const oldKey = JSON.parse(data[0]!).secret.$crypto.value.keyId as string;
    const old = async () =>
      (
        await query<{ count: number }>(
          `select count(*)::int from managed_object where type = 'vault' and data::text like '%${oldKey}%'`,
        )
      )[0]!.count;
    await query(`
      create function halt() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger halt before update on managed_object for each row when (old.id = 'n450') execute function halt()`);
    const holder = await database.pool.connect();
    await holder.query('select pg_advisory_lock(4711)');
    const killed = rotate();
    await expect.poll(old).toBeLessThan(450);
    killed.kill('SIGKILL');
    await killed.answer;
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc keys rotate'`,
    );
    holder.release(true);
    const left = await old();
    expect(left).toBeGreaterThan(0);

    const { code, output } = await rotate().answer;
    expect(code, output).toBe(0);
    expect(output).toMatch(
      new RegExp(`^managed_object: \\d+ with encrypted values, ${left} encrypted again$`, 'm'),
    );
    const rows = await query<{ id: string; rev: number; data: { secret: never } }>(
      `select id, rev, data from managed_object where type = 'vault' order by id`,
    );
    expect(
      await Promise.all(rows.map(async (row) => [row.id, row.rev, await retired.decrypt(row.data.secret)])),
    ).toEqual(names.map((name) => [name, 0, name]));
  });

  it('tells which files of the project are under older keys, and encrypts them again when asked to', async () => {
    const envelope = JSON.stringify(await before.encrypt('file secret', null, ALIAS));
    const source = `svc.decrypt(${envelope})`;
    const endpoint = (text: string) =>
      `{\n  "type": "text/javascript", "source": ${JSON.stringify(text)},\n  "n": 1.50\n}\n`;
    await project.write('conf/endpoint-sealed.json', endpoint(source));
    await project.write('conf/endpoint-plain.json', endpoint('1'));
    const looked = await rotate().answer;
    expect(looked).toMatchObject({ code: 1 });
    expect(looked.output).toContain(
      'conf/endpoint-sealed.json: 1 encrypted values, 1 of them under older keys',
    );
    expect(looked.output).toContain('svc keys rotate --files');

    expect((await rotate('--files').answer).output).toContain(
      'conf/endpoint-sealed.json: 1 encrypted values, 1 encrypted again',
    );
    const text = await readFile(join(project.location, 'conf/endpoint-sealed.json'), 'utf8');
    const [, now] = /^svc\.decrypt\((.+)\)$/.exec(JSON.parse(text).source)!;
    expect(await retired.decrypt(JSON.parse(now!))).toBe('file secret');
    expect(text).toBe(endpoint(`svc.decrypt(${now})`));
  });

  it('edits no file that stands behind a change made through /config', async () => {
    const envelope = await before.encrypt('hidden', null, ALIAS);
    await project.write('conf/endpoint-hidden.json', {
      type: 'text/javascript',
      source: '1',
      hidden: envelope,
    });
    await query(
      `insert into config_override (id, content, changed_by) values ('endpoint/hidden', '{}', 'x')`,
    );
    const { code, output } = await rotate('--files').answer;
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('would replace what was set through /config'),
    ]);
    await project.remove('conf/endpoint-hidden.json');
  });
});
