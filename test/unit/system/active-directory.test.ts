import { expect, it } from 'vitest';
import {
  controlOfNew,
  guidBytes,
  guidText,
  passwordValue,
  withControl,
} from '#system/connectors/ldap/active-directory.ts';
import { withAllValues } from '#system/connectors/ldap/range-retrieval.ts';
import { ENABLE, PASSWORD, Secret } from '#system/contract.ts';

const NAMES = { uidAttribute: 'objectGUID', passwordAttribute: 'unicodePwd' };
const OTHERS = { uidAttribute: 'entryUUID', passwordAttribute: 'userPassword' };

it('an id has its first three parts the other way round in the directory', () => {
  const bytes = Buffer.from('33221100554477668899aabbccddeeff', 'hex');
  expect(guidText(bytes)).toBe('00112233-4455-6677-8899-aabbccddeeff');
  expect(guidBytes('00112233-4455-6677-8899-aabbccddeeff')).toEqual(bytes);
  expect(guidBytes('no id')).toBeUndefined();
});

it('a password stands between quotes, two bytes a character, and elsewhere as it is', () => {
  const secret = new Secret('aÖ');
  expect(passwordValue(NAMES, secret)).toEqual(Buffer.from('2200' + '6100' + 'd600' + '2200', 'hex'));
  expect(passwordValue(OTHERS, secret)).toBe(secret);
});

it('whether an account is enabled is one bit of several', () => {
  const before = new Map([['userAccountControl', ['66050']]]);
  const enable = [{ name: ENABLE, replace: [true] }];
  expect(withControl(NAMES, enable, before)).toEqual([{ name: 'userAccountControl', replace: ['66048'] }]);
  expect(withControl(OTHERS, enable, before)).toBe(enable);
  expect(controlOfNew(NAMES, new Map([[ENABLE, [false]]]))).toBe('514');
  expect(controlOfNew(NAMES, new Map([[PASSWORD, [new Secret('x')]]]))).toBe('512');
  expect(controlOfNew(NAMES, new Map())).toBeUndefined();
});

it('values of which only a part is shown are asked for to the end', async () => {
  const asked: unknown[] = [];
  const answers = [{ 'member;range=2-3': ['c', 'd'] }, { 'member;range=4-*': 'e' }];
  const client = {
    search: async (_: string, { attributes }: { attributes: string[] }) => {
      asked.push(attributes);
      return { searchEntries: [{ dn: 'cn=all', ...answers[asked.length - 1] }] };
    },
  };
  const connections = { read: (_: AbortSignal, work: (one: typeof client) => unknown) => work(client) };
  const entry = { dn: 'cn=all', member: [], 'member;range=0-1': ['a', 'b'] };
  const whole = await withAllValues(connections as never, AbortSignal.timeout(1_000), entry);
  expect(whole).toEqual({ dn: 'cn=all', member: ['a', 'b', 'c', 'd', 'e'] });
  expect(asked).toEqual([['member;range=2-3'], ['member;range=4-5']]);
});
