import { expect, it } from 'vitest';
import { NotFoundError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { describeEngines, type Host } from './support.ts';

const CONTENT = { userName: 'jdoe' };
const FILTER = { _queryFilter: 'true' };

/** What is null at the end may be left out. */
function trimmed(args: readonly JsonValue[]): readonly JsonValue[] {
  return args.slice(0, args.findLastIndex((value) => value !== null) + 1);
}

describeEngines('functions of scripts', (runner) => {
  it.each<[string, string, JsonValue[]]>([
    ["svc.create('managed/user', null, c)", 'svc.create', ['managed/user', null, CONTENT, null, null, null]],
    [
      "svc.create('managed/user', 'id', c, { a: 1, b: true, c: null, d: 'x' }, ['_id'])",
      'svc.create',
      ['managed/user', 'id', CONTENT, { a: '1', b: 'true', d: 'x' }, ['_id'], null],
    ],
    [
      "svc.create('managed/user', undefined, c, null, null, null)",
      'svc.create',
      ['managed/user', null, CONTENT, null, null, null],
    ],
    ["svc.read('managed/user/1')", 'svc.read', ['managed/user/1', null, null, null]],
    ["svc.read('managed/user/1', null, ['a', 'b'])", 'svc.read', ['managed/user/1', null, ['a', 'b'], null]],
    ["svc.update('u/1', '3', c)", 'svc.update', ['u/1', '3', CONTENT, null, null, null]],
    [
      "svc.patch('u/1', null, [{ operation: 'remove', field: '/a' }])",
      'svc.patch',
      ['u/1', null, [{ operation: 'remove', field: '/a' }], null, null, null],
    ],
    ["svc.delete('u/1', null)", 'svc.delete', ['u/1', null, null, null, null]],
    [
      "svc.query('managed/user', { _queryFilter: 'true' })",
      'svc.query',
      ['managed/user', FILTER, null, null],
    ],
    [
      "svc.query('u', { _queryId: 'q', _fields: ['a'], _pageSize: 5, _sortKeys: '-a', x: 7, y: null }, ['b'])",
      'svc.query',
      ['u', { _queryId: 'q', _fields: ['a'], _pageSize: 5, _sortKeys: '-a', x: '7' }, ['b'], null],
    ],
    ["svc.action('u/1', 'go', c)", 'svc.action', ['u/1', 'go', CONTENT, null, null, null]],
    ["svc.action('u/1', 'go', null, { a: 1 })", 'svc.action', ['u/1', 'go', null, { a: '1' }, null, null]],
    [
      "svc.action('u/1', null, c, { _action: 'go', a: 1 })",
      'svc.action',
      ['u/1', 'go', CONTENT, { a: '1' }, null, null],
    ],
    ["svc.action('u/1', c, { _action: 'go' })", 'svc.action', ['u/1', 'go', CONTENT, {}, null, null]],
    [
      "svc.action('u/1', { _action: 'claim' }, { userId: 'u' })",
      'svc.action',
      ['u/1', 'claim', { userId: 'u' }, {}, null, null],
    ],
    ["svc.action('u/1', 'go', function () {}, c)", 'svc.action', ['u/1', 'go', CONTENT, null, null, null]],
    [
      "svc.create('u', null, { n: Date.UTC(2026, 0), f: function () {}, u: undefined })",
      'svc.create',
      ['u', null, { n: 1767225600000 }, null, null, null],
    ],
    ["svc.encrypt(c, null, 'key')", 'svc.encrypt', [CONTENT, null, 'key']],
    ['svc.decrypt(c)', 'svc.decrypt', [CONTENT]],
    ["svc.hash('x', 'SHA-512')", 'svc.hash', ['x', 'SHA-512']],
    ['svc.isEncrypted(c)', 'svc.isEncrypted', [CONTENT]],
    ['svc.isHashed(c)', 'svc.isHashed', [CONTENT]],
    ['svc.matches(12, c)', 'svc.matches', ['12', CONTENT]],
    ["identityServer.getProperty('a')", 'identityServer.getProperty', ['a', null, false]],
    ["identityServer.getProperty('a', 'b', true)", 'identityServer.getProperty', ['a', 'b', true]],
    ['identityServer.getProjectLocation()', 'identityServer.getProjectLocation', []],
  ])('%s asks the host for %s', async (source, operation, args) => {
    const bindings = { c: CONTENT };
    const asked = (await runner().value(source, { bindings })) as { operation: string; args: JsonValue[] };
    expect({ operation, args: trimmed(asked.args) }).toEqual({
      operation: asked.operation,
      args: trimmed(args),
    });
  });

  it.each([
    ['svc.read()', 'read()'],
    ['svc.read(1)', 'read(Number)'],
    ['svc.read(null)', 'read(null)'],
    ["svc.read('a', 'b')", 'read(String,String)'],
    ["svc.read('a', null, null, null, null)", 'read(String,null,null,null,null)'],
    ["svc.read('a', null, null, {})", 'read(String,null,null,Object)'],
    ["svc.create('a', null)", 'create(String,null)'],
    ["svc.create('a', null, [])", 'create(String,null,Array)'],
    ["svc.create('a', {}, {})", 'create(String,Object,Object)'],
    ["svc.update('a', null, null)", 'update(String,null,null)'],
    ["svc.patch('a', null, {})", 'patch(String,null,Object)'],
    ["svc.delete('a')", 'delete(String)'],
    ["svc.query('a')", 'query(String)'],
    ["svc.query('a', null)", 'query(String,null)'],
    ["svc.action('a', 'b')", 'action(String,String)'],
    ["svc.action('a', true, {})", 'action(String,Boolean,Object)'],
    ["svc.encrypt('a', null)", 'encrypt(String,null)'],
    ["svc.decrypt('a')", 'decrypt(String)'],
    ["svc.hash('a')", 'hash(String)'],
    ['svc.isEncrypted(1, 2)', 'isEncrypted(Number,Number)'],
    ['identityServer.getProperty()', 'getProperty()'],
    ["identityServer.getWorkingLocation('a')", 'getWorkingLocation(String)'],
    ['require(1)', 'require(Number)'],
  ])('%s is no function there is', async (source, signature) => {
    const error = (await runner().failure(source)) as ScriptThrownError;
    expect(error).toBeInstanceOf(ScriptThrownError);
    expect(error.message).toBe(`Error: method not found ${signature}`);
    expect(error.resourceError).toBeUndefined();
  });

  it.each([
    ["svc.read('a', { p: {} })", 'The parameter p'],
    ["svc.read('a', { p: [1] })", 'The parameter p'],
    ["svc.query('a', {})", 'exactly one of'],
    ["svc.query('a', { _queryId: 'a', _queryFilter: 'b' })", 'exactly one of'],
    ["svc.query('a', { _queryId: 'a', _queryExpression: 'c', _queryFilter: 'b' })", 'exactly one of'],
    ["svc.query('a', { _queryFilter: 'true', _pageSize: '5' })", '_pageSize must be a number'],
    ["svc.action('a', null, {}, { x: 1 })", 'needs an action id'],
  ])('%s is a bad request', async (source, text) => {
    const error = (await runner().failure(source)) as ScriptThrownError;
    expect(error.thrown).toMatchObject({ code: 400, reason: 'Bad Request' });
    expect(error.message).toContain(text);
    expect(await runner().value(`try { ${source} } catch (e) { e.javaException.getCode() }`)).toBe(400);
  });

  it('reads null where there is nothing, and only there', async () => {
    const host: Host = async () => {
      throw new NotFoundError('Object u/1 not found');
    };
    expect(await runner().value("svc.read('u/1')", { host })).toBeNull();
    expect(await runner().failure("svc.delete('u/1', null)", { host })).toMatchObject({
      resourceError: { code: 404 },
    });
  });

  it('hands the results of a query to a callback, and goes on when that fails', async () => {
    const host: Host = async () => ({ result: [{ n: 1 }, { n: 2 }, { n: 3 }], pagedResultsCookie: 'c' });
    const source = `var seen = []; var answer = svc.query('u', { _queryFilter: 'true' }, function (entry) {
      seen.push(entry.n); if (entry.n === 2) throw new Error('no'); svc.read('inner');
    }); ({ seen: seen, answer: answer })`;
    expect(await runner().value(source, { host })).toEqual({
      seen: [1, 2, 3],
      answer: { pagedResultsCookie: 'c' },
    });
    expect(await runner().value("svc.query('u', { _queryFilter: 'true' }).result.length", { host })).toBe(3);
  });

  it('answers crypto questions without the host where there is nothing to ask', async () => {
    const source = '[svc.isEncrypted(), svc.isEncrypted("a"), svc.isHashed(null), svc.matches("a")]';
    expect(await runner().value(source)).toEqual([false, false, false, false]);
  });

  it('logs texts, to the logger objects as JSON, too, and fills placeholders', async () => {
    const said: JsonValue[] = [];
    const host: Host = async (operation, args) => {
      said.push([operation, ...args]);
      return null;
    };
    const source = `console.log('a', { b: 1 }, 2, 'b'); console.log({ c: 1 }); console.log(3); console.log(); logger.info('x {} y {} z {}', 1, { k: 'v' });
      logger.error('plain', 'extra'); logger.debug(new Error('e')); [console.log(''), logger.warn('{}', null)]`;
    expect(await runner().value(source, { host })).toEqual([null, null]);
    expect(said).toEqual([
      ['console.log', 'a b'],
      ['logger.info', 'x 1 y {"k":"v"} z {}'],
      ['logger.error', 'plain'],
      ['logger.debug', 'Error: e'],
      ['console.log', ''],
      ['logger.warn', 'null'],
    ]);
  });
});
