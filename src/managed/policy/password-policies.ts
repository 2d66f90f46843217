import { readFileSync } from 'node:fs';
import { MET, type Policy, unmet } from './policy.ts';

let known: ReadonlySet<string> | undefined;

/** Read when somebody first asks. */
function commonPasswords(): ReadonlySet<string> {
  const read = () => readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8');
  known ??= new Set(
    read()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# ')),
  );
  return known;
}

/** A few digits and signs behind a common password make it no less common. */
const TAIL = /[^a-z]{1,4}$/;

/** Refuses the passwords that everybody tries first, whatever the case of their letters. */
const notCommon: Policy = {
  id: 'cannot-be-common-password',
  requirements: ['CANNOT_BE_COMMON_PASSWORD'],
  skipsAbsent: true,
  check({ value }) {
    if (typeof value !== 'string') return MET;
    const text = value.toLowerCase();
    const isCommon = commonPasswords().has(text) || commonPasswords().has(text.replace(TAIL, ''));
    return isCommon ? unmet('CANNOT_BE_COMMON_PASSWORD') : MET;
  },
};

/** Refuses the password that the object has now, however that is kept. */
const notPrevious: Policy = {
  id: 'cannot-be-previous-value',
  requirements: ['CANNOT_BE_PREVIOUS_VALUE'],
  skipsAbsent: true,
  async check({ value, property, place, context }) {
    // Whoever only asks or rehearses is not told: the answer would be that of a login.
    if (typeof value !== 'string' || !place.isBinding || context.rehearsed === true) return MET;
    const stored = (await place.stored())?.[property];
    if (stored === undefined || stored === null) return MET;
    const isSame = typeof stored === 'string' ? stored === value : await place.matches(value, stored);
    return isSame ? unmet('CANNOT_BE_PREVIOUS_VALUE') : MET;
  },
};

export const PASSWORD_POLICIES: readonly Policy[] = [notCommon, notPrevious];
