import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const names = [
  'request',
  'context',
  'resourceName',
  'object',
  'oldObject',
  'newObject',
  'value',
  'syncResults',
];

const seeing = `({ names: [${[...names, 'property', 'propertyName']
  .map((name) => `typeof ${name} !== 'undefined' && '${name}'`)
  .join(', ')}].filter(Boolean),
  method: request.method, type: request.requestType, resourceName: resourceName,
  old: typeof oldObject === 'undefined' ? 'none' : oldObject,
  changed: typeof newObject === 'undefined' ? 'none' : newObject,
  property: typeof property === 'undefined' ? 'none' : property })`;
const failing = (hook: string) =>
  `if (object.failIn === '${hook}') { throw { code: 418, message: 'in ${hook}', detail: { why: 'asked to' } }; }
   if (object.failIn === '${hook} text') { throw 'just a text'; }
   if (object.failIn === '${hook} call') { svc.update('managed/note/nowhere', null, {}); }`;

/** Writes down, as an object of its own, which variables a hook saw. */
const note = (hook: string) =>
  script(`var seen = {};
    ${names.map((name) => `if (typeof ${name} !== 'undefined') { seen.${name} = ${name}; }`).join('\n')}
    var failing = typeof object !== 'undefined' && object || newObject || oldObject;
    if (!failing.silent) {
      svc.create('managed/note', '${hook}-' + resourceName.split('/')[2], {
        names: Object.keys(seen), resourceName: resourceName, method: request.method, type: request.requestType,
        object: seen.object, oldObject: seen.oldObject, newObject: seen.newObject, sync: seen.syncResults || null,
        external: context.caller.external, value: seen.value || null });
    }
    if (failing.failIn === '${hook}') { throw { code: 418, message: 'in ${hook}', detail: { why: 'asked to' } }; }
    if (failing.bareIn === '${hook}') { throw { code: 418 }; }
    if (failing.callIn === '${hook}') { svc.update('managed/note/nowhere', null, {}); }
    if (failing.breakIn === '${hook}') { undefinedFunction(); }`);

const HOOKS = [
  'onCreate',
  'onUpdate',
  'onDelete',
  'postCreate',
  'postUpdate',
  'postDelete',
  'onValidate',
  'onStore',
  'onSync',
];

const TYPES = {
  objects: [
    { name: 'note' },
    {
      name: 'noted',
      schema: { properties: { secret: { type: 'string', encryption: { key: 'svc-sym-default' } } } },
      ...Object.fromEntries(HOOKS.map((hook) => [hook, note(hook)])),
    },
    {
      name: 'retrieved',
      schema: {
        properties: {
          kept: { type: 'string', onStore: script(`${failing('property onStore')} property || null`) },
          seen: {
            type: 'object',
            onRetrieve: script(`${failing('property onRetrieve')} ${seeing}`),
          },
          stored: { type: 'object', onStore: script(seeing) },
        },
      },
      onRetrieve: script(`${failing('onRetrieve')} object.retrieved = ${seeing};`),
      onRead: script(`${failing('onRead')} object.read = ${seeing};`),
    },
    {
      name: 'changed',
      onCreate: script("object.a = 'onCreate'; newObject.lost = true;"),
      onUpdate: script("object.b = 'object'; newObject.c = 'newObject'; delete newObject.gone;"),
      onValidate: script("value.v = 'onValidate';"),
      onStore: script("object.s = 'onStore';"),
      onDelete: script("object.d = 'lost';"),
      postCreate: script("object.p = 'lost';"),
      onRetrieve: script("object.r = 'onRetrieve';"),
      onRead: script("object.x = object.r + ' onRead';"),
    },
    {
      name: 'meddled',
      onUpdate: script(
        `if (newObject.n === 1) { svc.patch(resourceName, null, [{ operation: 'replace', field: '/n', value: 2 }]); }
         if (newObject.n === 10) { try { svc.patch(resourceName, null, [{ operation: 'replace', field: '/n', value: 11 }]); } catch (e) {} }
         if (newObject.n === 11) { throw { code: 418 }; }`,
      ),
      postUpdate: script(
        "if (newObject.n === 5) { svc.patch(resourceName, null, [{ operation: 'increment', field: '/n', value: 1 }]); }",
      ),
    },
    {
      name: 'checked',
      schema: {
        properties: {
          n: {
            type: 'number',
            onValidate:
              script(`if (property === 1) { throw 'one'; } if (property === 2) { throw { code: 409, message: 'two', detail: { n: 2 } }; }
              if (property === 3) { nothing.at.all; } if (property === 4) { throw new Error('four'); }`),
          },
          stored: {
            type: ['string', 'null'],
            onStore: script("object.also = 'by ' + propertyName; property ? property.toUpperCase() : null;"),
          },
          shown: { type: 'string', onRetrieve: script("'<' + property + '> of ' + object._id") },
          full: {
            type: 'string',
            isVirtual: true,
            returnByDefault: true,
            onRetrieve: script("object.first + ' ' + object.last"),
          },
          rare: { type: 'string', isVirtual: true, onRetrieve: script("'rare ' + object._id") },
          clock: {
            type: 'string',
            isVirtual: true,
            returnByDefault: true,
            onRetrieve: script("(svc.read('managed/note/clock') || {}).value || 'none'"),
          },
        },
      },
      actions: {
        shout: script(
          "svc.patch(resourcePath, null, [{ operation: 'replace', field: '/first', value: request.content.name + object.last }]);",
        ),
      },
      postUpdate: script(
        "svc.update('managed/note/updates', null, { n: (svc.read('managed/note/updates').n || 0) + 1 });",
      ),
    },
  ],
};

describe('hooks of managed objects', () => {
  let server: TestServer;
  let api: Api;
  let next = 0;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/managed.json': TYPES } });
    api = server.api;
    await api('PUT', 'managed/note/updates', { body: { n: 0 } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const noted = async (hook: string, id: string) => (await api('GET', `managed/note/${hook}-${id}`)).body;

  it('see the variables of the protocol, each hook its own', async () => {
    const id = 'bindings';
    const created = await api('PUT', `managed/noted/${id}`, { body: { color: 'red', secret: 's' } });
    expect(created.status).toBe(201);
    const all = ['request', 'context', 'resourceName', 'object', 'oldObject', 'newObject'];
    const onCreate = await noted('onCreate', id);
    expect(onCreate).toMatchObject({
      names: all,
      resourceName: `managed/noted/${id}`,
      method: 'create',
      type: 'CREATE',
      external: true,
      object: { _id: id, color: 'red', secret: 's' },
      oldObject: null,
      newObject: { color: 'red', secret: 's' },
    });
    expect(await noted('onValidate', id)).toMatchObject({
      names: [...all, 'value'],
      object: { color: 'red', secret: 's' },
      value: { color: 'red', secret: 's' },
    });
    expect(await noted('onStore', id)).toMatchObject({
      names: [...all, 'value'],
      object: { secret: { $crypto: { type: 'x-simple-encryption' } } },
    });
    expect(await noted('postCreate', id)).toMatchObject({
      names: all,
      object: { _id: id, _rev: '0', color: 'red' },
      oldObject: null,
      newObject: { color: 'red' },
    });
    expect(await noted('onSync', id)).toMatchObject({
      names: [...all, 'syncResults'],
      object: { _id: id, _rev: '0', color: 'red' },
      oldObject: null,
      newObject: { _rev: '0', color: 'red' },
      sync: { success: true, action: 'notifyCreate', syncDetails: [] },
    });
  });

  it('see the old and the new object of an update, decrypted', async () => {
    const id = 'update';
    await api('PUT', `managed/noted/${id}`, { body: { color: 'red', secret: 's', silent: true } });
    await api('PATCH', `managed/noted/${id}`, {
      body: [
        { operation: 'replace', field: '/color', value: 'blue' },
        { operation: 'remove', field: '/silent' },
      ],
    });
    expect(await noted('onUpdate', id)).toMatchObject({
      method: 'patch',
      oldObject: { _id: id, _rev: '0', color: 'red', secret: 's' },
      object: { color: 'blue', secret: 's' },
      newObject: { color: 'blue', secret: 's' },
    });
    expect(await noted('postUpdate', id)).toMatchObject({
      oldObject: { secret: 's' },
      object: { _rev: '1' },
    });
    for (const hook of ['onValidate', 'onStore', 'onSync']) await api('DELETE', `managed/note/${hook}-${id}`);
    await api('DELETE', `managed/noted/${id}`);
    expect(await noted('onDelete', id)).toMatchObject({
      object: { color: 'blue', secret: 's' },
      method: 'delete',
    });
    expect(await noted('postDelete', id)).toMatchObject({
      object: { _id: id, _rev: '1', color: 'blue' },
      newObject: null,
      oldObject: { color: 'blue' },
    });
    expect(await noted('onSync', id)).toMatchObject({
      object: { _id: id, _rev: '1', color: 'blue' },
      oldObject: { color: 'blue' },
      newObject: null,
      sync: { success: true, action: 'notifyDelete' },
    });
  });

  it('see an action when a patch comes as one', async () => {
    const id = 'as-action';
    await api('PUT', `managed/noted/${id}`, { body: { silent: true } });
    const answer = await api('POST', `managed/noted/${id}?_action=patch`, {
      body: [
        { operation: 'remove', field: '/silent' },
        { operation: 'add', field: '/n', value: 1 },
      ],
    });
    expect(answer.body).toMatchObject({ _id: id, _rev: '1', n: 1 });
    expect(await noted('onUpdate', id)).toMatchObject({ method: 'action', type: 'ACTION' });
  });

  it('change what is stored, or only what is answered, or nothing', async () => {
    const path = 'managed/changed/c';
    const created = await api('PUT', path, { body: { gone: 1 } });
    expect(created.body).toEqual({
      _id: 'c',
      _rev: '0',
      gone: 1,
      a: 'onCreate',
      v: 'onValidate',
      s: 'onStore',
    });
    const updated = await api('PUT', path, { body: { gone: 1, n: 1 } });
    expect(updated.body).toEqual({
      _id: 'c',
      _rev: '1',
      n: 1,
      b: 'object',
      c: 'newObject',
      v: 'onValidate',
      s: 'onStore',
    });
    expect((await api('GET', path)).body).toMatchObject({ r: 'onRetrieve', x: 'onRetrieve onRead' });
    const queried = await api('GET', 'managed/changed?_queryFilter=true');
    expect(queried.body.result).toEqual([(await api('GET', path)).body]);
    const stored = await api('GET', 'managed/changed?_queryFilter=true&executeOnRetrieve=false');
    expect(stored.body.result[0]).not.toHaveProperty('r');
    expect((await api('DELETE', path)).body).not.toHaveProperty('d');
  });

  it.each(HOOKS)(
    'roll everything back when %s throws, and give its status, message and detail',
    async (hook) => {
      const id = `t${++next}`;
      const path = `managed/noted/${id}`;
      const [isUpdate, isDelete] = [hook.endsWith('Update'), hook.endsWith('Delete')];
      if (isUpdate) await api('PUT', path, { body: { silent: true } });
      if (isDelete) await api('PUT', path, { body: { silent: true, failIn: hook } });
      const last = isDelete
        ? await api('DELETE', path)
        : isUpdate
          ? await api('PATCH', path, { body: [{ operation: 'add', field: '/failIn', value: hook }] })
          : await api('PUT', path, { body: { failIn: hook } });
      expect(last.body).toEqual({
        code: 418,
        reason: '(Unused)',
        message: `in ${hook}`,
        detail: { why: 'asked to' },
      });
      const left = await api('GET', path);
      if (isUpdate || isDelete) expect(left.body).toMatchObject({ _id: id, silent: true });
      else expect(left.status).toBe(404);
      expect((await api('GET', `managed/note/${hook}-${id}`)).status).toBe(404);
    },
  );

  it('of retrieval and of properties see the request, the context, and what they are about', async () => {
    const path = 'managed/retrieved/seen';
    const { body: created } = await api('PUT', path, { body: { n: 1 } });
    const common = ['request', 'context', 'resourceName', 'object'];
    expect(created.stored).toEqual({
      names: [...common, 'property', 'propertyName'],
      method: 'create',
      type: 'CREATE',
      resourceName: path,
      old: 'none',
      changed: 'none',
      property: null,
    });
    const { body } = await api('GET', path);
    const seen = { method: 'read', type: 'READ', resourceName: path };
    const nothing = { old: null, changed: null, property: 'none' };
    const all = [...common, 'oldObject', 'newObject'];
    expect(body.retrieved).toEqual({ ...seen, ...nothing, names: all });
    expect(body.read).toEqual({ ...seen, ...nothing, names: all });
    expect(body.seen).toMatchObject({ ...seen, names: [...common, 'property', 'propertyName'] });
    const queried = await api('GET', 'managed/retrieved?_queryFilter=true');
    expect(queried.body.result[0].retrieved).toMatchObject({ method: 'query', resourceName: path });
  });

  it.each(['onRetrieve', 'onRead', 'property onRetrieve'])(
    'fail the read, and only the read, when %s throws',
    async (hook) => {
      const path = `managed/retrieved/r${++next}`;
      const fail = async (failIn: string) => {
        expect((await api('PUT', path, { body: { failIn } })).status).toBeLessThan(300);
        return (await api('GET', path)).body;
      };
      expect(await fail(hook)).toMatchObject({
        code: 418,
        message: `in ${hook}`,
        detail: { why: 'asked to' },
      });
      expect(await fail(`${hook} text`)).toMatchObject({ code: 500 });
      expect(await fail(`${hook} call`)).toMatchObject({ code: 404 });
      expect((await api('GET', `${path}?executeOnRetrieve=false`)).status).toBe(200);
      await api('DELETE', path);
    },
  );

  it('refuse the write when the onStore of a property throws', async () => {
    const put = (failIn: string) => api('PUT', 'managed/retrieved/refused', { body: { failIn } });
    expect((await put('property onStore')).body).toMatchObject({ code: 418, detail: { why: 'asked to' } });
    expect((await put('property onStore text')).status).toBe(500);
    expect((await put('property onStore call')).status).toBe(404);
    expect((await api('GET', 'managed/retrieved/refused')).status).toBe(404);
  });

  it('give the error of a call that they do not catch, and a message of their own where they say none', async () => {
    const put = (body: object) => api('PUT', 'managed/noted/uncaught', { body: { silent: true, ...body } });
    expect((await put({ callIn: 'onValidate' })).body).toMatchObject({
      code: 404,
      message: expect.stringContaining('managed/note/nowhere'),
    });
    expect((await put({ bareIn: 'onStore' })).body).toMatchObject({
      code: 418,
      message: 'noted onStore script encountered exception',
    });
    expect((await api('GET', 'managed/noted/uncaught')).status).toBe(404);
  });

  it('that break answer 500, and nothing has changed', async () => {
    const answer = await api('PUT', 'managed/noted/broken', { body: { breakIn: 'postCreate' } });
    expect(answer.status).toBe(500);
    expect((await api('GET', 'managed/noted/broken')).status).toBe(404);
  });

  it.each<[number, number, object]>([
    [1, 403, { message: expect.stringContaining('one') }],
    [2, 409, { message: 'two', detail: { n: 2 } }],
    [3, 500, {}],
    [4, 403, { message: expect.stringContaining('four') }],
  ])('of a property refuse %d with %d', async (n, status, body) => {
    const answer = await api('POST', 'managed/checked', { body: { n } });
    expect(answer.body).toMatchObject({ code: status, ...body });
  });

  it('of a property give it its value, also where it is absent', async () => {
    const path = 'managed/checked/p';
    const created = await api('PUT', path, { body: { stored: 'loud', shown: 'x', first: 'A', last: 'B' } });
    expect(created.body).toMatchObject({ stored: 'LOUD', also: 'by stored', shown: 'x', full: 'A B' });
    expect((await api('GET', path)).body).toMatchObject({ shown: '<x> of p', full: 'A B' });
    expect((await api('PUT', 'managed/checked/q', { body: {} })).body.stored).toBeNull();
  });

  describe('of virtual properties', () => {
    it('are recalculated at every retrieval, in queries as in reads', async () => {
      const path = 'managed/checked/v';
      await api('PUT', path, { body: { first: 'A', last: 'B', full: 'made up' } });
      await api('PUT', 'managed/note/clock', { body: { value: 'ten' } });
      const read = (await api('GET', path)).body;
      expect(read).toMatchObject({ full: 'A B', clock: 'ten' });
      const filter = encodeURIComponent('_id eq "v"');
      expect((await api('GET', `managed/checked?_queryFilter=${filter}`)).body.result).toEqual([read]);
    });

    it('are stored when they are shown by default, so that a check sees the change', async () => {
      const stored = async () =>
        (await server.database.pool.query("select data from managed_object where id = 'v'")).rows[0].data;
      expect(await stored()).toMatchObject({ full: 'A B', clock: 'none' });
      const checked = await api('POST', 'managed/checked/v?_action=triggerSyncCheck');
      expect(checked.body).toMatchObject({ _rev: '1', clock: 'ten' });
      expect(await stored()).toMatchObject({ clock: 'ten' });
      expect((await api('POST', 'managed/checked/v?_action=triggerSyncCheck')).body._rev).toBe('1');
      expect((await api('GET', 'managed/note/updates')).body.n).toBeGreaterThan(0);
    });

    it('are shown on request when they are not shown by default', async () => {
      expect((await api('GET', 'managed/checked/v')).body).not.toHaveProperty('rare');
      expect((await api('GET', 'managed/checked/v?_fields=rare')).body).toEqual({
        _id: 'v',
        _rev: '1',
        rare: 'rare v',
      });
      expect((await api('GET', 'managed/checked/v?_fields=first')).body).toEqual({
        _id: 'v',
        _rev: '1',
        first: 'A',
      });
    });
  });

  it('may be actions of a type, which answer the object as it is then', async () => {
    await api('PUT', 'managed/checked/act', { body: { first: 'A', last: 'B' } });
    const answer = await api('POST', 'managed/checked/act?_action=shout', { body: { name: 'hey ' } });
    expect(answer.body).toMatchObject({ _id: 'act', _rev: '1', first: 'hey B' });
    const unknown = await api('POST', 'managed/checked/act?_action=whisper');
    expect([unknown.status, unknown.body.detail.hint]).toEqual([400, expect.stringContaining('shout')]);
  });

  it('patch the one object that a query finds', async () => {
    await api('PUT', 'managed/checked/one', { body: { tag: 'one', last: 'x' } });
    await api('PUT', 'managed/checked/two', { body: { tag: 'two' } });
    const by = (filter: string) =>
      api('POST', `managed/checked?_action=patch&_queryFilter=${encodeURIComponent(filter)}`, {
        body: [{ operation: 'replace', field: '/last', value: 'y' }],
      });
    expect((await by('tag eq "one"')).body).toMatchObject({ _id: 'one', last: 'y' });
    expect((await by('tag eq "none"')).status).toBe(404);
    expect((await by('tag pr')).status).toBe(400);
  });

  it('that change the object which is being changed are told so before, and may after', async () => {
    await api('PUT', 'managed/meddled/it', { body: { n: 0 } });
    const set = (n: number) =>
      api('PATCH', 'managed/meddled/it', { body: [{ operation: 'replace', field: '/n', value: n }] });
    const refused = await set(1);
    expect(refused.status).toBe(412);
    expect((refused.body as { detail: { id: string } }).detail.id).toBe('OBJECT_CHANGED_BY_HOOK');
    expect((await api('GET', 'managed/meddled/it')).body).toMatchObject({ n: 0, _rev: '0' });
    expect((await set(5)).body).toMatchObject({ n: 6, _rev: '2' });
    expect((await api('GET', 'managed/meddled/it')).body).toMatchObject({ n: 6, _rev: '2' });
    // What the script has caught has left nothing.
    expect((await set(10)).body).toMatchObject({ n: 10, _rev: '3' });
    expect((await api('GET', 'managed/meddled/it')).body).toMatchObject({ n: 10, _rev: '3' });
  });
});
