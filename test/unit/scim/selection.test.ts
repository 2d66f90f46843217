/** `attributes` and `excludedAttributes` of RFC 7644, 3.9. */
import { expect, it } from 'vitest';
import { readSelection } from '#scim/selection.ts';
import { shippedType } from './shipped.ts';

it('costs no more the more attributes are named', async () => {
  const type = await shippedType('User');
  const names = [
    'emails.value',
    'addresses.locality',
    'groups.display',
    'phoneNumbers.type',
    'name.givenName',
  ];
  const attributes = Array.from({ length: 200 }, (_, at) => names[at % names.length]).join(',');
  const resource = {
    ...{ id: '42', userName: 'kim', name: { givenName: 'Kim', familyName: 'Lee' } },
    emails: [{ value: 'kim@example.com', type: 'work' }],
    addresses: [{ locality: 'Bern', region: 'BE', type: 'work' }],
    groups: [{ value: 'a', display: 'A' }],
  };
  const selection = readSelection(type, { attributes });
  const startedAt = process.threadCpuUsage();
  for (let row = 0; row < 2_000; row += 1) {
    expect(Object.keys(selection.select(resource)).length).toBeGreaterThan(0);
  }
  expect(process.threadCpuUsage(startedAt).user).toBeLessThan(4_000_000);
  expect(selection.select(resource)).toEqual({
    ...{ id: '42', name: { givenName: 'Kim' }, emails: [{ value: 'kim@example.com' }] },
    ...{ addresses: [{ locality: 'Bern' }], groups: [{ display: 'A' }] },
  });
});
