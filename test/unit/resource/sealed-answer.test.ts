import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { parseFields, queryResult, Router, resource, rootContext, sealAnswers } from '#resource/index.ts';

const SECRET = 'c2VjcmV0';
const envelope = { $crypto: { type: 'x-simple-encryption', value: { key: 'k', iv: 'aXY=', data: SECRET } } };

/** What a caller from outside is answered with of these objects. */
async function ask(
  objects: readonly JsonObject[],
  fields: readonly string[] = [],
  nestedFields = false,
  more = {},
) {
  const router = new Router((own) => ({ before: [sealAnswers(own)], judging: [] }));
  const rows = objects.map((content, at) => ({ ...resource(`r${at}`, '0', content), ...more }));
  router.mount('rows', { handle: async () => queryResult(rows) });
  const context = rootContext({
    id: 'r1',
    transactionId: 'r1',
    receivedAt: 0,
    security: { authenticationId: 'kim', authorization: { id: 'kim', component: 'managed/user', roles: [] } },
    client: { isExternal: true, remoteAddress: '', remotePort: 1, userAgent: '', isSecure: false },
    http: null,
  });
  const request = {
    method: 'query',
    path: ['rows'],
    fields: parseFields(fields),
    nestedFields,
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter: { kind: 'literal', value: true },
    sortKeys: [],
    paging: { pageSize: 0, offset: 0, totalPolicy: 'NONE' },
  } as const;
  const answer = await router.handle(context, request);
  return answer.kind === 'query' ? answer.result.map(({ content }) => content) : [];
}

describe('an answer to callers from outside', () => {
  it.each([
    [['word']],
    [['*']],
    [['deep']],
    [['deep/word']],
    [['list/0']],
    [['word/$crypto']],
    [['deep/word/$crypto/value']],
    [['list/0/$crypto/value/data']],
    [['deep/word/$crypto/value/data', 'deep/word/$crypto/type']],
  ])('has nothing of what is encrypted where %j is asked for', async (fields) => {
    const object = { word: envelope, deep: { word: envelope }, list: [envelope] };
    for (const isNested of [false, true]) {
      const text = JSON.stringify(await ask([object, envelope], fields, isNested));
      expect(text).not.toContain(SECRET);
    }
  });

  it('has the parts of its seal', async () => {
    const [part] = await ask([{ deep: { word: envelope } }], ['deep/word/$crypto/value/key']);
    expect(part).toEqual({ key: 'k' });
    expect(await ask([envelope], ['$crypto'])).toEqual(await ask([envelope]));
  });

  it('is looked at no further than it is asked for', async () => {
    let looks = 0;
    const large = {
      get member() {
        looks += 1;
        return 1;
      },
    };
    expect(await ask([{ name: 'a', rest: { large } }], ['name'])).toEqual([{ name: 'a' }]);
    expect(looks).toBe(0);
    await ask([{ name: 'a', rest: { large } }], ['rest/large']);
    expect(looks).toBe(1);
  });

  it('keeps what its resource has selected itself, under whatever name', async () => {
    const object = { word: envelope, hint: 'more' };
    const [content] = await ask([object], ['deep/word'], false, { fieldsSelected: true });
    expect(content).toEqual({ word: expect.anything(), hint: 'more' });
    expect(JSON.stringify(content)).not.toContain(SECRET);
  });

  it.each([[[]], [['rest/slow']]])(
    'lets others have a turn while it is looked at, with the fields %j',
    async (fields) => {
      const rest = {
        get slow() {
          const until = performance.now() + 20;
          while (performance.now() < until);
          return 1;
        },
      };
      let turns = 0;
      const count = () => {
        turns += 1;
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      await ask([{ rest }, { rest }, { rest }, { rest }], fields);
      clearImmediate(turn);
      expect(turns).toBeGreaterThanOrEqual(3);
    },
  );
});
