import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseJsonDocument } from '../../../src/config/json-document.ts';
import { runs } from '../../support/long.ts';

const problemsOf = (text: string) =>
  parseJsonDocument(text).problems.map(
    ({ position: { line, column }, message, hint }) =>
      `${line}:${column} ${message}${hint ? ` — ${hint}` : ''}`,
  );

describe('a JSON document', () => {
  it('has the value that JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, 2, '\t', '\r\n'), (value, indent) => {
        const text = JSON.stringify(value, null, indent === '\r\n' ? 1 : indent);
        const written = indent === '\r\n' ? text.replaceAll('\n', '\r\n') : text;
        expect(parseJsonDocument(written).document?.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused exactly when JSON.parse refuses it', () => {
    const fragment = fc.constantFrom(
      ...'{}[]:,"\\ \n\t-+.0123eEu/\'x'.split(''),
      'true',
      'null',
      '"a"',
      '"b":',
      '1.5e-3',
      '\\u00e9',
      '\u0000',
      '\u00a0',
    );
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.array(fragment, { maxLength: 6 }), fc.nat(3))
      .map(([text, at, parts, cut]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + parts.join('') + text.slice(place + cut);
      });
    fc.assert(
      fc.property(
        fc.oneof(
          mutated,
          fc.array(fragment).map((parts) => parts.join('')),
        ),
        (text) => {
          const { document } = parseJsonDocument(text);
          let expected: unknown;
          try {
            expected = JSON.parse(text);
          } catch {
            expect(document).toBeUndefined();
            return;
          }
          expect(document?.value).toEqual(expected);
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('knows where every key and value stands', () => {
    const text = '{\n  "a": 1,\r\n  "b": [true,\n    { "c/d": "x" }]\n}';
    const at = (path: (string | number)[], part?: 'key' | 'value') => {
      const { line, column } = parseJsonDocument(text).document!.positionOf(path, part);
      return `${line}:${column}`;
    };
    expect(at([])).toBe('1:1');
    expect(at(['a'], 'key')).toBe('2:3');
    expect(at(['a'])).toBe('2:8');
    expect(at(['b'])).toBe('3:8');
    expect(at(['b', 0])).toBe('3:9');
    expect(at(['b', 1, 'c/d'], 'key')).toBe('4:7');
    expect(at(['b', 1, 'c/d'])).toBe('4:14');
    expect(at(['b', 1, 'absent', 'deeper'])).toBe('4:5');
  });

  it('finds the place of every key of any document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), (value) => {
        const text = JSON.stringify(value, null, 2);
        const lines = text.split('\n');
        for (const key of Object.keys(value)) {
          const { line, column } = parseJsonDocument(text).document!.positionOf([key], 'key');
          expect(lines[line - 1]?.slice(column - 1).startsWith(JSON.stringify(key))).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['', '1:1 expected a value, found the end of the file'],
    ['{"a":1,\n}', "2:1 expected a key in double quotes, found '}' — Remove the comma before it"],
    ['[1,]', "1:4 expected a value, found ']' — Remove the comma before it"],
    ['{"a" 1}', "1:6 expected ':', found '1'"],
    ['{"a":1 "b":2}', `1:8 expected ',' or '}', found '"'`],
    ['[1 2]', "1:4 expected ',' or ']', found '2'"],
    ["{'a':1}", "1:2 expected a key in double quotes, found ''' — Strings stand in double quotes"],
    [
      '// note\n{}',
      "1:1 expected a value, found '/' — JSON has no comments; a key that begins with # is one",
    ],
    ['{"a": "b\n"}', '1:9 a string must not hold a bare line break or control character — Write \\n'],
    ['{"a": "b}', '1:7 a string that begins here has no closing quote'],
    [
      '["C:\\dir"]',
      '1:5 a backslash must begin one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX — Write \\\\',
    ],
    ['{"a": undefined}', "1:7 expected a value, found 'undefined'"],
    ['{} x', "1:4 expected the end of the file, found 'x'"],
    ['{"a":1,\n "a":2}', '2:2 key "a" stands here a second time — The first is at 1:2'],
  ])('%j is refused with %s', (text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });

  it('tells of a hundred repeated keys at most, and still of what ends it', () => {
    const told = problemsOf(`{"a":1${',\n"a":1'.repeat(5_000)},}`);
    expect(told).toHaveLength(101);
    expect(told.at(-1)).toMatch(/^5001:7 expected a key in double quotes/);
  });

  it('is searched for its lines once, however many places are asked for', () => {
    const text = `[${'\n1,'.repeat(2_000)}1]`;
    const searches = vi.spyOn(String.prototype, 'matchAll');
    try {
      const document = parseJsonDocument(text).document!;
      for (let index = 0; index < 2_000; index++) {
        const position = document.positionOf([index]);
        expect(position.line).toBe(index + 2);
        expect(document.pathAt(position)).toEqual([String(index)]);
      }
      expect(searches).toHaveBeenCalledTimes(1);
    } finally {
      searches.mockRestore();
    }
  });

  it('takes keys such as __proto__ for what they are', () => {
    const { document } = parseJsonDocument('{"__proto__": {"x": 1}, "constructor": 2}');
    expect(Object.keys(document?.value as object)).toEqual(['__proto__', 'constructor']);
    expect(document?.positionOf(['__proto__', 'x'])).toEqual({ line: 1, column: 21 });
  });

  it('is refused when it nests too deep, however deep', () => {
    expect(problemsOf('['.repeat(200) + ']'.repeat(200))).toEqual([]);
    expect(problemsOf('['.repeat(100_000))).toEqual(['1:201 nested more than 200 levels deep']);
  });
});
