import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#json/index.ts';
import { parseScriptReference } from '#script/index.ts';

describe('a script reference', () => {
  it('takes the schema for the editor of its file for no variable', () => {
    const { globals } = parseScriptReference({ file: 'a.js', $schema: '../schema/endpoint.schema.json' });
    expect(globals).toEqual({ file: 'a.js' });
  });

  it('takes every key without a meaning of its own for a variable, apart from those commented out', () => {
    expect(
      parseScriptReference({
        type: 'text/javascript',
        file: 'a.js',
        fromSender: 'x',
        globals: { limit: 5 },
        visibility: 'private',
        _file: 'a.groovy',
      }),
    ).toEqual({
      language: 'javascript',
      file: 'a.js',
      globals: { file: 'a.js', limit: 5, fromSender: 'x' },
      transactional: true,
    });
  });

  it.each<[JsonValue, string]>([
    [{ type: 'text/javascript', source: '1' }, 'javascript'],
    [{ type: 'ECMAScript', source: '1' }, 'javascript'],
    [{ type: 'groovy', source: '1' }, 'groovy'],
    [{ file: 'a.groovy' }, 'groovy'],
    [{ file: 'a.js' }, 'javascript'],
    [{ name: 'a.groovy' }, 'groovy'],
  ])('%j is in %s', (json, language) => {
    expect(parseScriptReference(json).language).toBe(language);
  });

  it.each<[JsonValue, RegExp]>([
    [null, /must be an object/],
    ['a.js', /must be an object/],
    [{}, /one of source, file and name/],
    [{ source: '1', file: 'a.js' }, /both source and file/],
    [{ source: '1' }, /needs a type/],
    [{ source: 1, type: 'groovy' }, /must be a string/],
    [{ source: '1', type: 'javascrpt' }, /Unknown script type "javascrpt"/],
    [{ source: '1', type: 'groovy', timeout: -1 }, /positive number/],
  ])('%j is refused', (json, message) => {
    expect(() => parseScriptReference(json)).toThrow(message);
  });
});
