import { expect, it } from 'vitest';
import { NotFoundError } from '#errors/index.ts';
import { SandboxPool, type ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { describeEngines, type Host, runnerOf } from './support.ts';

function hostWith(modules: Record<string, string>): Host {
  return async (operation, args) => {
    if (operation !== 'require.resolve') return operation;
    const name = String(args[0]);
    const source = modules[name];
    if (source === undefined) throw new NotFoundError(`No module ${name}`);
    return { id: `${name}.js`, source };
  };
}

describeEngines('require', (runner) => {
  it('gives what a module exports, by either way of exporting', async () => {
    const host = hostWith({
      named: 'exports.double = function (x) { return x * 2 }',
      single: 'module.exports = function () { return require("named").double(21) }',
    });
    for (let round = 0; round < 3; round++) {
      expect(await runner().value('require("named").double(4) + require("single")()', { host })).toBe(50);
    }
  });

  it('evaluates a module once per run, and anew in the next', async () => {
    const host = hostWith({ counter: 'exports.n = 0; exports.next = function () { return ++exports.n }' });
    const source = 'require("counter").next(); require("counter").next()';
    expect(await runner().value(source, { host })).toBe(2);
    expect(await runner().value(source, { host })).toBe(2);
  });

  it('gives modules that require each other what is there so far', async () => {
    const host = hostWith({
      a: 'exports.early = 1; var b = require("b"); exports.seen = b.seenOfA; exports.late = 2;',
      b: 'var a = require("a"); exports.seenOfA = [a.early, a.late === undefined];',
    });
    expect(await runner().value('require("a").seen', { host })).toEqual([1, true]);
  });

  it('takes the new source as soon as the host has it', async () => {
    const modules = { m: 'exports.v = 1' };
    const host = hostWith(modules);
    expect(await runner().value('require("m").v', { host })).toBe(1);
    modules.m = 'exports.v = 2';
    expect(await runner().value('require("m").v', { host })).toBe(2);
  });

  it('lets modules call the host and see the bindings of the script, in every run', async () => {
    const host = hostWith({
      m: 'exports.r = svc.read("x"); exports.f = function () { object.n += 1; return limit + object.n }; return',
      own: 'var object; function limit() {} exports.kinds = [typeof object, typeof limit]',
      inner: 'module.exports = require("m").f()',
    });
    const request = { host, bindings: { object: { n: 1 }, limit: 10 }, returnBindings: ['object'] };
    for (let round = 0; round < 3; round++) {
      const { value, bindings } = await runner().run(
        'var m = require("m"); [m.r, m.f(), require("inner"), require("own").kinds]',
        request,
      );
      expect(value).toEqual(['svc.read', 12, 13, ['undefined', 'function']]);
      expect(bindings).toEqual({ object: { n: 3 } });
    }
  });

  it('gives modules the very bindings that the script has', async () => {
    const host = hostWith({ m: 'exports.same = function (other) { return other === object }' });
    const bindings = { object: {} };
    expect(await runner().value('require("m").same(object)', { host, bindings })).toBe(true);
    expect(await runner().value('require("m").same(object)', { host, bindings })).toBe(true);
  });

  it('fails where the module is missing, wrong, or throws', async () => {
    const host = hostWith({
      wrong: 'var = 1',
      throws: '\n\n  nope()',
      escape: '}); evil = 1; (function () {',
    });
    expect(await runner().failure('require("missing")', { host })).toMatchObject({
      resourceError: { code: 404 },
    });
    expect(await runner().value('try { require("wrong") } catch (e) { "caught" }', { host })).toBe('caught');
    expect(await runner().value('try { require("escape") } catch (e) { typeof evil }', { host })).toBe(
      'undefined',
    );
    const error = (await runner().failure('\nrequire("throws")', { host })) as ScriptThrownError;
    expect(error.position).toMatchObject({ fileName: 'throws.js', line: 3 });
    expect(error.scriptStack).toContain('(test.js:2:');
  });
});

describeEngines('shared modules', (runner) => {
  const host: Host = async (operation, args) => {
    if (operation !== 'require.resolve') return null;
    const source = `exports.big = new Array(100000).fill(7); exports.seen = typeof object; exports.n = 0;`;
    return { id: `${String(args[0])}.js`, source, isShared: true };
  };
  const source = 'var lib = require("lib"); lib.n += 1; object; [lib.n, lib.seen, lib.big.length]';

  it('are evaluated once per instance, fresh in every run, and see no bindings', async () => {
    for (let round = 0; round < 4; round++) {
      const value = await runner().value(source, { host, bindings: { object: {} } });
      expect(value).toEqual([1, 'undefined', 100_000]);
    }
  });

  it('cost scripts nothing that do not require them', async () => {
    const pool = await SandboxPool.create({ size: 1, maxSize: 1 });
    const { run, value } = runnerOf(pool);
    const plainBytes = async () => {
      await run('1');
      return pool.snapshotBytes;
    };
    const before = await plainBytes();
    await value(source, { host, bindings: { object: {} } });
    await value(source, { host, bindings: { object: {} } });
    expect(pool.snapshotBytes).toBeGreaterThan(before + 100_000);
    expect(await plainBytes()).toBe(before);
    pool.close();
  });
});

describeEngines('libraries', (_runner, engine) => {
  it('are in place before every script, and can revive bindings', async () => {
    const pool = await SandboxPool.create({
      engine,
      libraries: [
        {
          name: 'library.js',
          source: `(function (sandbox) {
            globalThis.twice = function (x) { return sandbox.host('twice', x) };
            sandbox.reviveBinding('request', function (request) {
              Object.defineProperty(request, 'shout', { value: function () { return request.name + '!' } });
              return request;
            });
          })`,
        },
      ],
    });
    const { run } = runnerOf(pool);
    const host: Host = async (_operation, args) => Number(args[0]) * 2;
    const result = await run('request.seen = 1; [twice(4), request.shout()]', {
      host,
      bindings: { request: { name: 'hey' } },
      returnBindings: ['request'],
    });
    expect(result).toEqual({ value: [8, 'hey!'], bindings: { request: { name: 'hey', seen: 1 } } });
    pool.close();
  });
});
