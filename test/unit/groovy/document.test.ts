import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONSTRUCTS } from '../../../src/groovy/document/constructs.ts';
import { describeGroovy } from '../../../src/groovy/document/describe-groovy.ts';
import { REFUSALS } from '../../../src/groovy/document/refusals.ts';
import { compileGroovy } from '../../../src/groovy/index.ts';
import { GroovyPool } from '../../../src/script/groovy-pool.ts';

let pool: GroovyPool;
beforeAll(async () => {
  pool = await GroovyPool.create();
});
afterAll(() => pool.close());

describe('the page about Groovy', () => {
  test('is current', () => {
    const page = readFileSync(new URL('../../../docs/groovy.md', import.meta.url), 'utf8');
    // `npm run docs` writes it anew.
    expect(page).toBe(describeGroovy());
  });

  test.each(Object.values(CONSTRUCTS).flat())('shows what is true: $title', async ({ source, answer }) => {
    const script = { name: 'example.groovy', source };
    const { value } = await pool.run({ script, bindings: {}, host: async () => null, timeoutMs: 120_000 });
    expect(value).toEqual(answer);
  });

  test.each(REFUSALS)('lists as refused what is refused: $source', ({ source }) => {
    expect(() => compileGroovy({ name: 'refused.groovy', source })).toThrow(/@ line \d+, column \d+\./);
  });
});
