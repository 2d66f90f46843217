import { expect, it } from 'vitest';
import { ScriptSyntaxError } from '../../../../src/script/javascript/index.ts';
import { describeEngines } from './support.ts';

describeEngines('attempts to escape', (runner) => {
  it.each([
    '})\n(function(){',
    '}); evil = 1; (function(){',
    '}',
    '*/ }); (function(){ /*',
    '/* ',
    '`',
    '"',
    '}})()}//',
    'return 1 }); evil = 1; (function () { return 2',
    'a\u2028}); (function(){',
    '// \u2028 }); (function(){',
    '// \r }); (function(){',
    '<!-- \n }); (function(){',
  ])('by closing the function around it, %j, are no scripts', async (source) => {
    const error = await runner().failure(source);
    expect(error).toBeInstanceOf(ScriptSyntaxError);
    expect(await runner().value('typeof evil')).toBe('undefined');
  });

  it.each([
    ['1 // }); evil = 1; (function(){', 1],
    ['1 <!-- }); evil = 1; (function(){', 1],
    ['2\n--> }); evil = 1; (function(){', 2],
    ['"}); evil = 1; (function(){"; 3', 3],
    ['`}); evil = 1; (function(){`; 4', 4],
    ['/}\\); evil = 1; \\(function\\(\\)\\{/; 5', 5],
    ['6 //', 6],
    ['7 /* */', 7],
    ['8 <!--', 8],
    ['9\n-->', 9],
  ])('that only look like it, %j, stay what they are', async (source, value) => {
    expect(await runner().value(source)).toBe(value);
    expect(await runner().value('typeof evil')).toBe('undefined');
  });

  it.each([
    ["this.constructor.constructor('return typeof process')()", 'undefined'],
    ["(function () {}).constructor('return typeof require.main')()", 'undefined'],
    ["new Function('return this')() === globalThis", true],
    [
      "svc.read.constructor('return typeof sandbox + typeof rawHost + typeof host')()",
      'undefinedundefinedundefined',
    ],
    ["(0, eval)('typeof sandbox')", 'undefined'],
    [
      'typeof process + typeof Buffer + typeof fetch + typeof setTimeout + typeof WebAssembly',
      'undefined'.repeat(5),
    ],
    ['typeof std + typeof os + typeof print + typeof scriptArgs', 'undefined'.repeat(4)],
    ['typeof module + typeof exports', 'undefinedundefined'],
    ['Object.getPrototypeOf(svc.read) === Function.prototype', true],
    ['Object.keys(require).length', 0],
    ['svc.read.caller === undefined || svc.read.caller === null', true],
  ])('%s reach nothing', async (source, value) => {
    let result: unknown;
    try {
      result = await runner().value(source);
    } catch {
      // Refusing to answer is as good.
      return;
    }
    expect(result).toBe(value);
  });

  it('by import() find no modules', async () => {
    for (const source of ['import("fs"); 1', 'import("std"); 1', 'import("file:///etc/passwd"); 1']) {
      await runner()
        .run(source)
        .catch(() => {});
      expect(await runner().value('typeof evil')).toBe('undefined');
    }
    const source = 'var state = "none"; import("os").then(function () { state = "loaded" }); state';
    expect(await runner().value(source)).toBe('none');
  });

  it('by patching what the border uses harm only the script itself', async () => {
    const seen: unknown[] = [];
    const host = async (operation: string, args: unknown[]) => {
      seen.push([operation, args]);
      return null;
    };
    const attempts = [
      'Array.prototype.toJSON = function () { return "not a list" }; svc.read("x")',
      'Object.prototype.toJSON = function () { return { failure: { limit: "memory" } } }; svc.read("x"); ({})',
      'Object.defineProperty(Object.prototype, "value", { set: function () {}, get: function () { return 7 } }); ({})',
      'Map.prototype.get = function () { return { fn: 1 } }; require("x")',
      'String.prototype.startsWith = Array.prototype.map = Array.prototype.filter = function () { throw 1 }; svc.read("x")',
      'Object.prototype.__defineGetter__("then", function () { return 1 }); svc.read("x")',
    ];
    for (const source of attempts)
      await runner()
        .run(source, { host })
        .catch(() => {});
    expect(await runner().value('svc.read("after").args[0]')).toBe('after');
    expect(seen.every((call) => Array.isArray((call as unknown[])[1]))).toBe(true);
  });

  it('by names of bindings are left out', async () => {
    const bindings = { 'a){evil=1}//': 1, 'b,c': 2, 'd=evil': 3, '...e': 4, '[f]': 5, g: 6 };
    expect(await runner().value('[g, typeof evil]', { bindings })).toEqual([6, 'undefined']);
  });
});
