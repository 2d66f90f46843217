import { describe, expect, it } from 'vitest';
import { hashPassword, matchesPassword } from '#crypto/index.ts';

describe('a password hash', () => {
  it('matches its password and no other, letters beyond ASCII included', async () => {
    const hash = await hashPassword('Grüße 🙂');
    expect(await matchesPassword('Grüße 🙂', hash)).toBe(true);
    expect(await matchesPassword('Grüße', hash)).toBe(false);
    expect(await matchesPassword('', hash)).toBe(false);
  });

  it('is another one each time', async () => {
    expect(await hashPassword('x')).not.toEqual(await hashPassword('x'));
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { $crypto: { type: 'salted-hash', value: { algorithm: 'MD5', data: 'x' } } },
  ])('that is %j matches nothing', async (stored) => {
    expect(await matchesPassword('x', stored as never)).toBe(false);
  });
});
