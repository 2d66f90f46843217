import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { operationSite } from '../support/operation-site.ts';

const site = operationSite();
const { api, ada, ben, items, make, perform } = site;
const exported = (more: object = {}) => ({
  act: 'export',
  resource: 'managed/item',
  queryFilter: 'true',
  sortKeys: 'n',
  ...more,
});
const imported = (content: unknown, more: object = {}) => ({
  act: 'import',
  resource: 'managed/item',
  content,
  ...more,
});
const fileOf = async (id: string, as = api as typeof ada) =>
  (await as('GET', `operation/${id}?_fields=file`)).body.file;
const itemsNow = async () =>
  (await api('GET', 'managed/item?_queryFilter=true&_sortKeys=n&_pageSize=1000')).body.result.map(
    ({ _rev: _, ...item }: { _rev: string }) => item,
  );

describe('an export', () => {
  it('is lines of JSON, in the order in which they were found, whole or page by page', async () => {
    await items(120, (n) => ({ name: `item ${n}` }));
    const run = await perform(exported());
    expect(run.progress).toMatchObject({ total: 120, successes: 120 });
    const lines = (await fileOf(run._id)).trim().split('\n');
    expect(lines.map((line: string) => JSON.parse(line).n)).toEqual(Array.from({ length: 120 }, (_, n) => n));
    expect(JSON.parse(lines[7])).toEqual({ _id: 'i7', _rev: '0', n: 7, name: 'item 7' });
    const page = (await api('GET', `operation/${run._id}/line?_queryFilter=n+ge+50&_pageSize=30`)).body;
    expect(page.result.map(({ n }: { n: number }) => n)).toEqual(
      Array.from({ length: 30 }, (_, n) => n + 50),
    );
    expect(page.pagedResultsCookie).toEqual(expect.any(String));
    const raw = await fetch(`${site.server.url}/svc/operation/${run._id}?_fields=file&_mimeType=text/csv`, {
      headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD },
    });
    expect([raw.headers.get('Content-Type'), (await raw.text()).split('\n')[7]]).toEqual([
      'text/csv; charset=utf-8',
      lines[7],
    ]);
  });

  it('is rows of values, of which none is a formula', async () => {
    await items(3, (n) => ({ name: ['=1+1', 'a, "b"', 'plain'][n], nested: { deep: n } }));
    const run = await perform(
      exported({ format: 'csv', fields: ['_id', 'name', 'nested/deep', 'nothing'] }),
      ada,
    );
    expect(await fileOf(run._id, ada)).toBe(
      '_id,name,nested/deep,nothing\r\ni0,\'=1+1,0,\r\ni1,"a, ""b""",1,\r\ni2,plain,2,\r\n',
    );
    const { body, status } = await ben('GET', `operation/${run._id}?_fields=file`);
    expect([status, body.file]).toEqual([403, undefined]);
  });

  it('shows nobody a secret, not even where the server itself makes it, and nothing that its maker may not read', async () => {
    await items(1, () => ({
      secret: {
        $crypto: {
          type: 'x-simple-encryption',
          value: { data: 'stored', cipher: 'x', key: 'svc-sym-default' },
        },
      },
    }));
    const byScript = `svc.create('operation', null, ${JSON.stringify(exported())})._id`;
    const { body } = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: byScript },
    });
    expect((await site.ended(body)).progress).toMatchObject({ total: 1, successes: 1 });
    for (const id of [body, (await perform(exported()))._id]) {
      const { secret } = JSON.parse(await fileOf(id));
      expect(secret.$crypto.value).toEqual({ key: 'svc-sym-default', sealed: expect.any(String) });
    }
    expect((await make({ ...exported(), resource: 'managed/user' }, ada)).status).toBe(403);
  });

  it('is nothing else', async () => {
    await items(1);
    const run = await perform({ act: 'delete', resource: 'managed/item', queryFilter: 'true' });
    const refused = await api('GET', `operation/${run._id}?_fields=file`);
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'OPERATION_NO_EXPORT']);
    expect((await api('GET', `operation/${run._id}/line?_queryFilter=true`)).status).toBe(409);
  });
});

describe('an import', () => {
  it('creates what is not there, leaves alone what is, and is the same a second time', async () => {
    await items(2, () => ({ name: 'old' }));
    const lines = [0, 1, 2, 3].map((n) => ({ _id: `i${n}`, n, name: 'new' }));
    const first = await perform(imported(lines));
    expect(first.progress).toMatchObject({ total: 4, successes: 2, skipped: 2, failures: 0 });
    expect((await itemsNow()).map(({ name }: { name: string }) => name)).toEqual([
      'old',
      'old',
      'new',
      'new',
    ]);
    const second = await perform(imported(lines.map((line) => JSON.stringify(line)).join('\n')));
    expect(second.progress).toMatchObject({ total: 4, successes: 0, skipped: 4 });
    const third = await perform(imported(lines, { mode: 'replace' }));
    expect(third.progress).toMatchObject({ total: 4, successes: 4 });
    expect((await itemsNow()).map(({ name }: { name: string }) => name)).toEqual([
      'new',
      'new',
      'new',
      'new',
    ]);
  });

  it('knows objects by a property that names them', async () => {
    await items(2, (n) => ({ serial: `s${n}`, name: 'old' }));
    const lines = [{ serial: 's1', n: 1, name: 'new' }, { serial: 's2', n: 2, name: 'new' }, { n: 3 }];
    const run = await perform(imported(lines, { key: 'serial', mode: 'replace' }));
    expect(run.progress).toMatchObject({ total: 3, successes: 2, failures: 1 });
    expect(run.errors).toMatchObject([{ code: 400, id: 'OPERATION_NO_KEY', objects: ['line/3'] }]);
    const now = await itemsNow();
    expect(now).toMatchObject([
      { _id: 'i0', name: 'old' },
      { _id: 'i1', serial: 's1', name: 'new' },
      { serial: 's2', name: 'new' },
    ]);
    const again = await perform(imported(lines.slice(0, 2), { key: 'serial' }));
    expect(again.progress).toMatchObject({ successes: 0, skipped: 2 });
    expect(await itemsNow()).toHaveLength(3);
  });

  it('tells of each line what is wrong with it, and asks with the rights of whoever makes it', async () => {
    await items(1, () => ({ serial: 'taken' }));
    const lines = [{ serial: 'free' }, { serial: 'taken' }];
    const run = await perform(imported(lines), ada);
    expect(run.progress).toMatchObject({ successes: 1, failures: 1 });
    expect(run.errors).toMatchObject([{ code: 403, objects: ['line/2'] }]);
    const replaced = await perform(imported([{ _id: 'i0', serial: 'other' }], { mode: 'replace' }), ada);
    expect(replaced.progress).toMatchObject({ successes: 0, failures: 1, skipped: 0 });
  });

  it('keeps no plain text of what is imported, and takes nothing that is encrypted', async () => {
    const stolen = { $crypto: { type: 'x-simple-encryption', value: { data: 'x', cipher: 'x', key: 'x' } } };
    const plain = await make(imported([{ _id: 'a', password: 'hidden-1' }], { dryRun: true }));
    const { rows } = await sql<{ text: string }>`
      select objects::text || (select operation::text from scan_run) as text from scan_slice`.execute(
      site.server.database.db,
    );
    expect(plain.status).toBe(201);
    expect(rows.map(({ text }) => text.includes('hidden-1'))).toEqual([false]);
    await api('POST', `operation/${plain.body._id}?_action=cancel`);
    const run = await perform(imported(JSON.stringify({ _id: 'b', password: stolen })));
    expect(run.errors).toMatchObject([{ code: 400, id: 'CRYPTO_FOREIGN_ENVELOPE', objects: ['line/1'] }]);
  });
});
