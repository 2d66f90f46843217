import { describe, expect, it } from 'vitest';
import { ApiDescription } from '../../../src/http/api-description.ts';
import type { ResourceDescription } from '../../../src/resource/index.ts';

const FORM = { version: '1', basePath: '/svc' };

describe('the API description', () => {
  it('is written once for as long as it stays so, for each path', () => {
    let written = 0;
    const schema = {
      toJSON() {
        written += 1;
        return { type: 'string' };
      },
    };
    // Anew each time, as the router has it.
    const description = new ApiDescription(() => [resource('managed/user', schema)], FORM);
    const first = description.textOf();
    const once = written;
    expect(once).toBeGreaterThan(0);
    expect([description.textOf(), description.textOf('/')]).toEqual([first, first]);
    expect(written).toBe(once);
    expect(description.textOf('managed')).toBe(first);
    expect(written).toBe(2 * once);
  });

  it('is another one as soon as anything in it changes', () => {
    let all = [resource('managed/user', { type: 'string' })];
    const description = new ApiDescription(() => all, FORM);
    const textOf = () => JSON.parse(description.textOf('managed/user'));
    const first = textOf();
    all = [resource('managed/user', { type: 'number' })];
    expect(textOf()).not.toEqual(first);
    all = [];
    expect(textOf().paths).toEqual({});
  });
});

function resource(path: string, schema: object): ResourceDescription {
  return { path, kind: 'singleton', title: path, methods: ['read'], actions: [], schema: schema as never };
}
