import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../../src/script/javascript/declaring-parser.ts';
import { parseScript } from '../../../../src/script/javascript/parse-script.ts';

const LANGUAGE = { ecmaVersion: 'latest', sourceType: 'script' } as const;

describe('names that are declared', () => {
  const outcome = (how: typeof parse, text: string) => {
    try {
      return JSON.stringify(how(text, LANGUAGE));
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    'let a, b, a',
    'var a; let a',
    'let a; var a',
    'let a; { var a }',
    'let a; { let a }',
    'function f() {} var f; function f() {}',
    '{ function f() {} let f }',
    '{ function f() {} function f() {} }',
    "'use strict'; { function f() {} function f() {} }",
    'try {} catch (e) { var e }',
    'try {} catch (e) { let e }',
    'try {} catch ([e]) { var e }',
    'try {} catch (e) { for (var e of []); }',
    'function f(a, a) {}',
    'function f(a) { let a }',
    '(a, a) => 1',
    'class A {} class A {}',
    'for (let i;;) { var i }',
    'switch (1) { case 1: let a; case 2: let a }',
    'let constructor, __proto__, toString; let __proto__',
  ])('mean what they mean to the parser alone: %s', (text) => {
    expect(outcome(parseProgram, text)).toBe(outcome(parse, text));
  });
});

describe('a script', () => {
  it('is refused at the first word beyond so many', () => {
    const script = { name: 'long.js', source: 'a;\n'.repeat(20) };
    expect(parseScript(script, 41).program.body).toHaveLength(20);
    expect(() => parseScript(script, 30)).toThrow(expect.objectContaining({ line: 16, column: 1 }));
    const deep = { name: 'deep.js', source: `${'{'.repeat(8)}a${'}'.repeat(8)}` };
    expect(parseScript(deep, 20).program.body).toHaveLength(1);
    expect(() => parseScript(deep, 19)).toThrow('more than 19 words');
  });

  it('keeps the places of everything where comments of pages are blanked', () => {
    const source = '<!-- one\na;\n<!-- two\nb;\n--> three\n';
    const { text } = parseScript({ name: 'page.js', source });
    expect(text).toBe(source.replace(/<!--.*|-->.*/g, (comment) => ' '.repeat(comment.length)));
  });
});
