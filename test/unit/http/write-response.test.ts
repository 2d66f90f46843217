import { expect, it } from 'vitest';
import { writeResponse } from '../../../src/http/write-response.ts';

it('what cannot be written as text is an answer that is too large', async () => {
  let content: unknown = [];
  for (let level = 0; level < 100_000; level++) content = [content];
  const options = {
    base: () => '',
    prettyPrint: true,
    ifNoneMatch: null,
    mimeType: null,
    requestId: 'r1',
    mostBytes: 1_000,
  };
  await expect(
    writeResponse({} as never, { kind: 'action', content } as never, options),
  ).rejects.toMatchObject({
    code: 413,
  });
});
