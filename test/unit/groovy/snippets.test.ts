import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxPool } from '../../../src/script/javascript/index.ts';
import { createGroovyPool, runSnippet, type SnippetOutcome } from './support.ts';
import '../../support/takes-long.ts';

/*
 * What the original does with each snippet was recorded with it; the exact types of values are part of it. Messages
 * are compared where they are recorded: those of the compiler are our own.
 */
interface Row extends SnippetOutcome {
  readonly source: string;
}

const directory = new URL('../../fixtures/groovy/', import.meta.url);
let pool: SandboxPool;

beforeAll(async () => {
  pool = await createGroovyPool();
});
afterAll(() => pool.close());

for (const file of readdirSync(directory).sort()) {
  const { rows } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as { rows: Row[] };
  describe(`Groovy does as the original: ${file.replace('.json', '')}`, () => {
    test.each(rows)('$source', async ({ source, ...expected }) => {
      const { message, ...outcome } = await runSnippet(pool, source);
      expect(expected.message === undefined ? outcome : { ...outcome, message }).toEqual(expected);
    });
  });
}

describe('Groovy knows the classes of the field', () => {
  const url = new URL('../../fixtures/groovy-field-classes.json', import.meta.url);
  const { rows } = JSON.parse(readFileSync(url, 'utf8')) as { rows: Row[] };
  test.each(rows)('$source', async ({ source, ...expected }) => {
    expect(await runSnippet(pool, source)).toEqual(expected);
  });
});

describe('Groovy differs from the original', () => {
  const url = new URL('../../fixtures/groovy-differences.json', import.meta.url);
  const { rows } = JSON.parse(readFileSync(url, 'utf8')) as { rows: (Row & { why: string })[] };
  test.each(rows)('$source ($why)', async ({ source, why: _why, ...expected }) => {
    const { message, ...outcome } = await runSnippet(pool, source);
    expect(expected.message === undefined ? outcome : { ...outcome, message }).toEqual(expected);
  });
});
