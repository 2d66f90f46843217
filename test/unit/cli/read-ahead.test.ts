import { describe, expect, it } from 'vitest';
import { readAhead } from '../../../src/cli/import/repository/read-ahead.ts';

/** Pages that say when they are read, and when nobody wants more of them. */
function pagesOf(said: string[], lastPage: number | Error) {
  return (async function* () {
    try {
      for (let page = 1; page <= 5; page++) {
        said.push(`read ${page}`);
        if (page > 3 && lastPage instanceof Error) throw lastPage;
        if (page === lastPage) return;
        yield page;
      }
    } finally {
      said.push('closed');
    }
  })();
}

describe('pages that are read ahead', () => {
  it('come in their order, the next one read while one is worked on', async () => {
    const said: string[] = [];
    for await (const page of readAhead(pagesOf(said, 3))) said.push(`work ${page}`);
    expect(said).toEqual(['read 1', 'read 2', 'work 1', 'read 3', 'closed', 'work 2']);
  });

  it('end with what keeps one from being read, after what was read before', async () => {
    const said: string[] = [];
    const all = async () => {
      for await (const page of readAhead(pagesOf(said, new Error('away')))) said.push(`work ${page}`);
    };
    await expect(all()).rejects.toThrow('away');
    expect(said.filter((word) => word.startsWith('work'))).toEqual(['work 1', 'work 2', 'work 3']);
  });

  it('are closed when whoever works on one gives up', async () => {
    const said: string[] = [];
    for await (const page of readAhead(pagesOf(said, 5))) if (page === 2) break;
    expect(said).toEqual(['read 1', 'read 2', 'read 3', 'closed']);
  });
});
