import { describe, expect, it } from 'vitest';
import { BadRequestError, ConflictError, NotFoundError, ResourceError } from '#errors/index.ts';
import { type ScriptSyntaxError, ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { parseScript } from '../../../../src/script/javascript/parse-script.ts';
import { describeEngines, type Host } from './support.ts';

const conflict = new ConflictError('The user jdoe exists', { field: '/userName', detail: { owner: 'x' } });
const failing: Host = async () => {
  throw conflict;
};

describeEngines('errors of scripts', (runner) => {
  const thrownBy = async (source: string, request = {}): Promise<ScriptThrownError> => {
    const error = await runner().failure(source, request);
    expect(error).toBeInstanceOf(ScriptThrownError);
    return error as ScriptThrownError;
  };

  it.each([
    ['nope', 'ReferenceError', 1, 1],
    ['\n\n  nope.x', 'ReferenceError', 3, 3],
    ['var a = null;\nif (true) { a.b.c }', 'TypeError', 2, 14],
    ['function f() {\n  throw new RangeError("r");\n}\nvar x = 1; f()', 'RangeError', 2, 23],
    ['var s = "ééé"; (1, nope())', 'ReferenceError', 1, 20],
    ['try { nope } finally { 1 }', 'ReferenceError', 1, 7],
    ['[1].forEach(function each(x) {\n  x.y.z })', 'TypeError', 2, 6],
  ])('of %j have the place in the author’s text', async (source, name, line, column) => {
    const error = await thrownBy(source);
    expect(error.thrownName).toBe(name);
    expect(error.position).toMatchObject({ fileName: 'test.js', line });
    // QuickJS points at the operator or the operand, depending on the instruction.
    expect(Math.abs(error.position!.column - column)).toBeLessThanOrEqual(3);
  });

  it('have a stack of the script’s own frames', async () => {
    const error = await thrownBy('function inner() { svc.read(1) }\nfunction outer() { inner() }\nouter()');
    expect(error.scriptStack.split('\n').map((line) => line.replace(/:\d+\)$/, ')'))).toEqual([
      'at inner (test.js:1)',
      'at outer (test.js:2)',
      'at <anonymous> (test.js:3)',
    ]);
  });

  it('show their place in the message only when that is wanted', async () => {
    expect((await thrownBy('\nnope')).message).toBe("ReferenceError: 'nope' is not defined");
    expect((await thrownBy('\nnope', { debugInfo: true })).message).toBe(
      "ReferenceError: 'nope' is not defined (test.js#2)",
    );
  });

  it.each([
    [
      'throw { code: 409, message: "m", detail: { k: "v" } }',
      { code: 409, message: 'm', detail: { k: 'v' } },
      'm',
    ],
    ['throw { code: 400 }', { code: 400 }, '{"code":400}'],
    ['throw "text"', 'text', 'text'],
    ['throw 5', 5, '5'],
    ['throw null', null, 'null'],
    ['throw undefined', null, 'undefined'],
    ['throw new Error("x")', { name: 'Error', message: 'x' }, 'Error: x'],
    [
      'var e = new Error("x"); e.code = 418; e.detail = { a: 1 }; throw e',
      { name: 'Error', message: 'x', code: 418, detail: { a: 1 } },
      'Error: x',
    ],
    ['var o = { message: "loop" }; o.o = o; throw o', { message: 'loop' }, 'loop'],
    ['throw Symbol("s")', null, 'Symbol(s)'],
    ['throw function f() {}', null, 'function f() {}'],
  ])('from %s carry what was thrown', async (source, thrown, message) => {
    const error = await thrownBy(source);
    expect(error.thrown).toEqual(thrown);
    expect(error.message).toBe(message);
    expect(error.resourceError).toBeUndefined();
  });

  it('survive whatever is thrown', async () => {
    for (const source of [
      'throw { get message() { throw 1 }, toString() { throw 2 } }',
      'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })',
      'var e = new Error(); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e',
      'Error.prototype.toString = null; JSON.stringify = null; throw new Error("x")',
      'throw Object.create(null)',
      'Object.prototype.toJSON = function () { throw 1 }; throw { code: 1 }',
      'Array.prototype[Symbol.iterator] = null; throw [1]',
      'Object.prototype.failure = 1; Object.prototype.limit = "time"; throw {}',
    ]) {
      await thrownBy(source);
    }
    expect(await runner().value('1')).toBe(1);
  });

  it('of the host arrive as errors that scripts of the field understand', async () => {
    const seen = await runner().value(
      `try { svc.update('managed/user/1', null, {}) } catch (e) {
        ({
          isError: e instanceof Error, code: e.code, reason: e.reason, message: e.message, detail: e.detail,
          java: [e.javaException.getCode(), e.javaException.getReason(), e.javaException.getMessage()],
          javaDetail: e.javaException.getDetail(), plain: e.javaException.code, cause: e.javaException.cause,
          text: String(e), keys: Object.keys(e),
        })
      }`,
      { host: failing },
    );
    const detail = { field: '/userName', owner: 'x' };
    expect(seen).toEqual({
      isError: true,
      code: 409,
      reason: 'Conflict',
      message: 'The user jdoe exists',
      detail,
      java: [409, 'Conflict', 'The user jdoe exists'],
      javaDetail: detail,
      plain: 409,
      cause: null,
      text: 'Error: The user jdoe exists',
      keys: ['code', 'reason', 'detail'],
    });
  });

  it('of the host show the cause that may be shown', async () => {
    const host: Host = async () => {
      throw new BadRequestError('outer', { cause: new NotFoundError('inner') });
    };
    const source =
      'try { svc.create("a", null, {}) } catch (e) { [e.cause.message, e.javaException.cause.localizedMessage] }';
    expect(await runner().value(source, { host })).toEqual(['inner', 'inner']);
  });

  it.each([
    "svc.update('a', null, {})",
    "try { svc.update('a', null, {}) } catch (e) { throw e }",
    "try { svc.update('a', null, {}) } catch (e) { throw e.javaException }",
    "[1].map(function () { svc.update('a', null, {}) })",
  ])('of the host keep their identity when %s ends the script', async (source) => {
    expect((await thrownBy(source, { host: failing })).resourceError).toBe(conflict);
  });

  it('of the host are forgotten when the script throws its own', async () => {
    const source = "try { svc.update('a', null, {}) } catch (e) { throw { code: 400, message: e.message } }";
    const error = await thrownBy(source, { host: failing });
    expect(error.resourceError).toBeUndefined();
    expect(error.thrown).toEqual({ code: 400, message: 'The user jdoe exists' });
  });

  it('of the host say nothing of its inside', async () => {
    const host: Host = async () => {
      throw new TypeError('secret of the server');
    };
    const error = await thrownBy("svc.create('a', null, {})", { host });
    expect(error.resourceError).toBeInstanceOf(ResourceError);
    expect(JSON.stringify(error.thrown)).not.toContain('secret');
    expect(error.resourceError?.code).toBe(500);
  });
});

describe('the syntax check', () => {
  it.each([
    ['1 +', 1, 4, 'Unexpected token'],
    ['var a = 1;\nvar b = {;', 2, 10, 'Unexpected token'],
    ['let a; let a', 1, 12, "Identifier 'a' has already been declared"],
    ['x = svc.read("a"', 1, 17, "Unexpected token: the '(' of line 1, column 13 is never closed"],
    ['a = {\n  b: [1],\n\n', 4, 1, "the '{' of line 1, column 5 is never closed"],
    ['await svc.read("a")', 1, 7, 'cannot await at its top level'],
    ['import x from "y"', 1, 1, 'modules; a script uses require'],
    ['}', 1, 1, 'Unexpected token'],
    ['"use strict"; with (a) {}', 1, 15, 'strict'],
  ])('finds the mistake in %j', (source, line, column, text) => {
    let error: ScriptSyntaxError | undefined;
    try {
      parseScript({ name: 'a.js', source });
    } catch (thrown) {
      error = thrown as ScriptSyntaxError;
    }
    expect(error).toMatchObject({ name: 'ScriptSyntaxError', fileName: 'a.js', line, column });
    expect(error?.message).toContain(text);
    expect(error?.message).not.toMatch(/\(\d+:\d+\)/);
  });

  it('survives a source that is nested without end', () => {
    expect(() => parseScript({ name: 'a.js', source: '('.repeat(100_000) })).toThrow('nested too deeply');
  });

  it.each([
    '',
    '1',
    'return 1',
    'if (a) { return }',
    'var x = svc.read("a"); x',
    'async function f() { await 1 }',
  ])('accepts %j', (source) => {
    parseScript({ name: 'a.js', source });
  });
});
