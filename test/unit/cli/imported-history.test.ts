import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../src/cli/import/history/take-history.ts';
import { Tally } from '../../../src/cli/import/repository/tally.ts';

const row = (columns: Readonly<Record<string, string | null>>) => ({
  objectid: 'a-1',
  activitydate: '2026-01-02T03:04:05.678Z',
  ...columns,
});
const eventOf = (columns: Readonly<Record<string, string | null>>) =>
  entryOf('access', row(columns), { place: 'old', tally: new Tally() })[0]?.event;

describe('an entry that another server has recorded', () => {
  it('comes without what is a secret by its name, by its form or by itself', () => {
    const after = {
      sn: 'Ames',
      password: 'Pa55word!',
      pin: { $crypto: { type: 'x-simple-encryption' } },
      mail: { url: 'ldap://admin:Pa55word!@directory/dc=example' },
      list: [{ name: 'apiKey', value: 'k-1' }],
    };
    const event = eventOf({
      afterobject: JSON.stringify(after),
      http_request_headers: JSON.stringify({
        Authorization: ['Basic YTpi'],
        'X-Api-Key': ['k-2'],
        host: ['h'],
      }),
      http_request_cookies: JSON.stringify({ session: 's-1' }),
      http_request_queryparameters: JSON.stringify({ token: ['t-1'], _fields: ['sn'] }),
      passwordchanged: 'true',
    });
    expect(event).toMatchObject({
      after: {
        sn: 'Ames',
        password: '***',
        pin: '***',
        mail: { url: 'ldap://admin:***@directory/dc=example' },
        list: [{ name: 'apiKey', value: '***' }],
      },
      http: {
        request: {
          headers: { Authorization: '***', 'X-Api-Key': ['***'], host: ['h'] },
          cookies: '***',
          queryParameters: { token: ['***'], _fields: ['sn'] },
        },
      },
      passwordChanged: true,
    });
  });

  it('keeps its id and its time, however often it comes', () => {
    const [entry] = entryOf('access', row({}), { place: 'old', tally: new Tally() });
    expect(entry).toMatchObject({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
      event: { timestamp: '2026-01-02T03:04:05.678Z', importedFrom: 'old', foreignId: 'a-1' },
    });
    const [again] = entryOf('access', row({}), { place: 'old', tally: new Tally() });
    expect(again?.id).toBe(entry?.id);
  });
});
