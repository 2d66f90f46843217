import { expect, test } from 'vitest';
import { actionResult, type Request, systemContext } from '#resource/index.ts';
import { bulkRoom } from '#scim/index.ts';

const BULK = { method: 'action', path: ['scim'], action: 'bulk', fields: [], parameters: {} } as const;

test('bulk requests beyond those that may be under way at once are told the number, and when to come again', async () => {
  const room = bulkRoom(1);
  const held = Promise.withResolvers<void>();
  const ask = (request: Request, wait: Promise<void> = Promise.resolve()) =>
    room(systemContext(), request, () => wait.then(() => actionResult('done')));
  const bulk: Request = { ...BULK, content: {} };
  const first = ask(bulk, held.promise);
  await expect(ask(bulk)).rejects.toMatchObject({
    code: 429,
    detail: { id: 'SCIM_BULK_CROWDED', allowed: 1, retryAfterSeconds: 5 },
  });
  // Nothing else is held up by them.
  const read: Request = { method: 'read', path: ['scim', 'Users', '1'], fields: [], parameters: {} };
  await expect(ask(read)).resolves.toMatchObject({ content: 'done' });
  held.resolve();
  await first;
  await expect(ask(bulk)).resolves.toMatchObject({ content: 'done' });
});

test('a bulk request that fails leaves its room to the next', async () => {
  const room = bulkRoom(1);
  const bulk: Request = { ...BULK, content: {} };
  const failing = () => room(systemContext(), bulk, () => Promise.reject(new Error('failed')));
  await expect(failing()).rejects.toThrow('failed');
  await expect(failing()).rejects.toThrow('failed');
});
