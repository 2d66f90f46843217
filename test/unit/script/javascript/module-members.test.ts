import { describe, expect, it } from 'vitest';
import { exportedNames, memberCalls } from '../../../../src/script/javascript/module-members.ts';
import { parseScript } from '../../../../src/script/javascript/parse-script.ts';

const parse = (source: string) => parseScript({ name: 'x', source }).program;

describe('the calls of functions of modules', () => {
  it.each([
    ["require('m').f(1);", ['m.f']],
    ["var m = require('m'); m.f(); (function () { m.g(m.h()); })();", ['m.f', 'm.g', 'm.h']],
    ["var m = require('m'), n = require('n'); n.f();", ['n.f']],
  ])('are found in %s', (source, expected) => {
    expect(memberCalls(parse(source)).map(({ module, member }) => `${module}.${member}`)).toEqual(expected);
  });

  it.each([
    ['the function is looked at before', "var m = require('m'); if (m.f) m.f();"],
    ['the function is set by the script', "var m = require('m'); m.f = function () {}; m.f();"],
    ['the variable is bound again', "var m = require('m'); m = {}; m.f();"],
    ['the variable is bound in another place', "var m = require('m'); (function (m) { m.f(); })({});"],
    ['a loop binds the variable', "var m = require('m'); for (var m in {}) m.f();"],
    ['a pattern binds the variable', "var m = require('m'); var { m } = {}; m.f();"],
    ['the name is computed', "require('m')['f'](); require('a' + 'b').f();"],
    ['it is no module', "var m = other('m'); m.f(); this.m.f();"],
  ])('are not told where %s', (_why, source) => {
    expect(memberCalls(parse(source))).toEqual([]);
  });

  it('are looked for in time in proportion to the script, however often it binds a variable', () => {
    const cpuMs = (count: number) => {
      const program = parse(`var m = require('m'); m.f(); ${'m = 1; '.repeat(count)}`);
      const before = process.threadCpuUsage();
      expect(memberCalls(program)).toEqual([]);
      return process.threadCpuUsage(before).user / 1000;
    };
    cpuMs(1000);
    expect(cpuMs(100_000)).toBeLessThan(20_000);
  });
});

describe('what a module exports', () => {
  it.each([
    ['exports.f = function () {}; exports.g = 1;', ['f', 'g']],
    ['exports.f = exports.g = helper; function helper() {}', ['f', 'g']],
    ['var a = 1;', []],
  ])('is seen in %s', (source, expected) => {
    expect([...(exportedNames(parse(source)) as Set<string>)]).toEqual(expected);
  });

  it('may be another module', () => {
    expect(exportedNames(parse("module.exports = require('ui/other');"))).toBe('ui/other');
  });

  it.each([
    ['module.exports = function () {};'],
    ["module.exports = require('a'); exports.f = 1;"],
    ["['a'].forEach(function (name) { exports[name] = 1; });"],
    ["exports.f = 1; Object.assign(exports, require('a'));"],
    ['(function (into) { into.f = 1; })(exports);'],
  ])('is not known of %s', (source) => {
    expect(exportedNames(parse(source))).toBeUndefined();
  });
});
