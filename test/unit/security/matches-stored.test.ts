import { describe, expect, it } from 'vitest';
import { hashPassword, openCrypto } from '#crypto/index.ts';
import { matchesStored } from '../../../src/security/authentication/matches-stored.ts';
import { COMMON_RING } from '../../support/key-ring.ts';

const crypto = openCrypto({ keyRing: JSON.parse(COMMON_RING) });
const decoy = await hashPassword('nobody');

/** Whether it matches, and how often a decoy was compared. */
async function comparing(password: string, stored: Parameters<typeof matchesStored>[2]) {
  let decoys = 0;
  const isRight = await matchesStored(crypto, password, stored, async () => {
    decoys += 1;
    return decoy;
  });
  return [isRight, decoys];
}

describe('a guess at a password', () => {
  it.each([
    ['a digest of another server', () => crypto.hash('right', 'SHA-256')],
    ['an encrypted text', () => crypto.encrypt('right', null, 'svc-sym-default')],
  ])('takes no less time where %s is stored than where there is no such account', async (_what, store) => {
    const stored = await store();
    expect(await comparing('wrong', stored)).toEqual([false, 1]);
    expect(await comparing('right', stored)).toEqual([true, 0]);
  });

  it('takes none that cannot be compared for a name that is free', async () => {
    expect(await comparing('wrong', 'plain')).toEqual([false, 1]);
  });

  it('costs one comparison with a hash of ours', async () => {
    const stored = await hashPassword('right');
    expect(await comparing('wrong', stored)).toEqual([false, 0]);
    expect(await comparing('right', stored)).toEqual([true, 0]);
  });
});
