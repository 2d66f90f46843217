import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { createDevice, DEVICE } from '../support/devices.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What the Common REST protocol refuses, asked over a real connection. */
describe('the protocol', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/managed.json': { objects: [DEVICE] } } });
    api = server.api;
    await createDevice(api);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it.each<[string, string, string, object, number, RegExp]>([
    ['a collection that is read', 'GET', 'managed/device', {}, 400, /collection/],
    ['a collection that is patched', 'PATCH', 'managed/device', { body: [] }, 400, /collection/],
    ['a collection that is deleted', 'DELETE', 'managed/device', {}, 400, /collection/],
    ['a collection that is put', 'PUT', 'managed/device', { body: {} }, 400, /collection/],
    [
      'a collection that is updated',
      'PUT',
      'managed/device',
      { body: {}, headers: { 'If-Match': '*' } },
      400,
      /collection/,
    ],
    ['an instance that is created below', 'POST', 'managed/device/d1', { body: {} }, 400, /instance/],
    ['an instance that is queried', 'GET', 'managed/device/d1?_queryFilter=true', {}, 400, /instance/],
    ['a singleton that is created below', 'POST', 'cluster', { body: {} }, 400, /singleton/],
    ['a singleton that is deleted', 'DELETE', 'scheduler', {}, 400, /singleton/],
    ['an operation that is not offered', 'DELETE', 'info/ping', {}, 501, /not supported/],
    ['a path without a route', 'GET', 'nowhere/at/all', {}, 404, /'nowhere\/at\/all' not found/],
    ['a type that is not declared', 'GET', 'managed/none/x', {}, 404, /not found/],
    ['a plain property as a path', 'GET', 'managed/device/d1/label', {}, 404, /not found/],
    ['an action that nobody knows', 'POST', 'managed/device/d1?_action=dance', {}, 400, /'dance'/],
    [
      'an update of nothing',
      'PUT',
      'managed/device/none',
      { body: {}, headers: { 'If-Match': '*' } },
      404,
      /none/,
    ],
    [
      'a create of what there is',
      'PUT',
      'managed/device/d1',
      { body: {}, headers: { 'If-None-Match': '*' } },
      412,
      /exists/,
    ],
    ['a collection that is read', 'GET', 'managed/device', {}, 400, /_queryFilter=true/],
    ['a type that is misspelt', 'GET', 'managed/devise/x', {}, 404, /Did you mean 'device'/],
    ['a path that is misspelt', 'GET', 'schedular/job', {}, 404, /Did you mean 'scheduler\/job'/],
    [
      'a patch of JSON Patch',
      'PATCH',
      'managed/device/d1',
      { body: [{ op: 'add', path: '/a' }] },
      400,
      /'op'/,
    ],
    ['NaN', 'POST', 'managed/device', { body: 'NaN' }, 400, /Unexpected text/],
  ])('says what may have been meant by %s', async (_title, method, path, options, status, said) => {
    const answer = await api(method, path, options);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(said)]);
  });

  it.each<[string, string, string, object, number, RegExp]>([
    ['a create with a taken id', 'POST', 'managed/device', { body: { _id: 'd1' } }, 412, /exists/],
    ['another id in the body', 'PUT', 'managed/device/d1', { body: { _id: 'd2' } }, 400, /'d1'|d2/],
    ['an id that is no text', 'POST', 'managed/device', { body: { _id: 5 } }, 400, /_id/],
    ['an id that is too long', 'PUT', `managed/device/${'x'.repeat(256)}`, { body: {} }, 400, /255/],
    ['a character that cannot be stored', 'POST', 'managed/device', { body: '{"a":"\\u0000"}' }, 400, /NUL/],
    ['half a character', 'POST', 'managed/device', { body: '{"a":"\\ud800"}' }, 400, /character/],
    ['an id that cannot be', 'GET', 'managed/device/a%00b', {}, 400, /cannot be read/],
    ['text after the JSON', 'POST', 'managed/device', { body: '{} x' }, 400, /JSON/],
    [
      'another charset',
      'POST',
      'managed/device',
      { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } },
      400,
      /latin1/,
    ],
    [
      'If-Match on a create',
      'POST',
      'managed/device',
      { body: {}, headers: { 'If-Match': '*' } },
      412,
      /If-Match/,
    ],
    [
      'If-Match on an action',
      'POST',
      'managed/device?_action=patch',
      { body: [], headers: { 'If-Match': '0' } },
      412,
      /If-Match/,
    ],
    [
      'both conditions',
      'PUT',
      'managed/device/d1',
      { body: {}, headers: { 'If-Match': '0', 'If-None-Match': '*' } },
      412,
      /exclude/,
    ],
    [
      'If-None-Match on a patch',
      'PATCH',
      'managed/device/d1',
      { body: [], headers: { 'If-None-Match': '0' } },
      412,
      /If-None-Match/,
    ],
    [
      'If-None-Match on a query',
      'GET',
      'managed/device?_queryFilter=true',
      { headers: { 'If-None-Match': '0' } },
      412,
      /If-None-Match/,
    ],
    [
      'a version that cannot be read',
      'GET',
      'managed/device/d1',
      { headers: { 'Accept-API-Version': 'protocol=x' } },
      400,
      /protocol=x/,
    ],
    ['a flag given twice', 'GET', 'managed/device/d1?_prettyPrint=true&_prettyPrint=true', {}, 400, /once/],
    [
      'a key to sort by that is broken',
      'GET',
      'managed/device?_queryFilter=true&_sortKeys=%25zz',
      {},
      400,
      /%zz/,
    ],
    ['a patch of what is broken', 'PATCH', 'managed/device/d1', { body: '[', headers: {} }, 400, /JSON/],
    ['a patch without a body', 'PATCH', 'managed/device/d1', {}, 400, /body/],
  ])('refuses %s', async (_title, method, path, options, status, message) => {
    const answer = await api(method, path, options);
    expect([answer.status, answer.body?.code, answer.body?.message]).toEqual([
      status,
      status,
      expect.stringMatching(message),
    ]);
    expect(answer.body.reason).toMatch(/^[A-Z]/);
  });

  const JSON_TYPE = { 'Content-Type': 'application/json' };

  it.each<[string, string, string, { body?: unknown; headers?: Record<string, string> }, number]>([
    [
      'a filter with a predefined query',
      'GET',
      'managed/device?_queryFilter=true&_queryId=query-all',
      {},
      400,
    ],
    ['a filter with an expression', 'GET', 'managed/device?_queryFilter=true&_queryExpression=x', {}, 400],
    ['a query expression', 'GET', 'managed/device?_queryExpression=select%201', {}, 400],
    ['an empty filter', 'GET', 'managed/device?_queryFilter=', {}, 400],
    ['an unknown operator', 'GET', 'managed/device?_queryFilter=a%20xx%201', {}, 400],
    ['text after a filter', 'GET', 'managed/device?_queryFilter=true%20true', {}, 400],
    ['a null in a filter', 'GET', 'managed/device?_queryFilter=a%20eq%20null', {}, 400],
    [
      'a filter that is nested too deep',
      'GET',
      `managed/device?_queryFilter=${'('.repeat(300)}true${')'.repeat(300)}`,
      {},
      400,
    ],
    ['an empty sort key', 'GET', 'managed/device?_queryFilter=true&_sortKeys=', {}, 400],
    ['a page size that is no number', 'GET', 'managed/device?_queryFilter=true&_pageSize=x', {}, 400],
    [
      'a page size that is too large',
      'GET',
      'managed/device?_queryFilter=true&_pageSize=3000000000',
      {},
      400,
    ],
    [
      'an offset with a cookie',
      'GET',
      'managed/device?_queryFilter=true&_pageSize=1&_pagedResultsOffset=1&_pagedResultsCookie=1',
      {},
      400,
    ],
    [
      'a total policy nobody knows',
      'GET',
      'managed/device?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=x',
      {},
      400,
    ],
    ['a parameter given twice', 'GET', 'managed/device?_queryFilter=true&_pageSize=1&_pageSize=2', {}, 400],
    ['a broken pointer in fields', 'GET', 'managed/device/d1?_fields=%25zz', {}, 400],
    ['a broken pointer in a filter', 'GET', 'managed/device?_queryFilter=%25zz%20pr', {}, 400],
    ['a broken path', 'GET', 'managed/device/%25zz%zz', {}, 400],
    ['an empty segment', 'GET', 'managed//device', {}, 400],
    ['a body that is no JSON', 'POST', 'managed/device', { body: '{', headers: JSON_TYPE }, 400],
    ['a body that is no object', 'POST', 'managed/device', { body: [] }, 400],
    ['no body', 'POST', 'managed/device', {}, 400],
    [
      'a body of another kind',
      'POST',
      'managed/device',
      { body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      400,
    ],
    [
      'a content type that is none',
      'POST',
      'managed/device',
      { body: '{}', headers: { 'Content-Type': 'json' } },
      400,
    ],
    [
      'a patch that is no array',
      'PATCH',
      'managed/device/d1',
      { body: { operation: 'remove', field: '/a' } },
      400,
    ],
    [
      'a patch of an unknown kind',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'test', field: '/a' }] },
      400,
    ],
    [
      'a patch below a scalar',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'add', field: '/label/x', value: 1 }] },
      400,
    ],
    [
      'a patch by position',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'remove', field: '/tags/0' }] },
      400,
    ],
    [
      'a patch of everything',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'replace', field: '/', value: {} }] },
      400,
    ],
    [
      'an increment of a text',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'increment', field: '/label', value: 1 }] },
      400,
    ],
    [
      'a revision that is not current',
      'PUT',
      'managed/device/d1',
      { body: {}, headers: { 'If-Match': '"9"' } },
      412,
    ],
    [
      'a patch of an old revision',
      'PATCH',
      'managed/device/d1',
      { body: [{ operation: 'add', field: '/n', value: 1 }], headers: { 'If-Match': '"9"' } },
      412,
    ],
    ['a delete of an old revision', 'DELETE', 'managed/device/d1', { headers: { 'If-Match': '9' } }, 412],
    ['If-Match on a read', 'GET', 'managed/device/d1', { headers: { 'If-Match': '0' } }, 412],
    ['If-None-Match: * on a read', 'GET', 'managed/device/d1', { headers: { 'If-None-Match': '*' } }, 412],
    ['If-None-Match on a delete', 'DELETE', 'managed/device/d1', { headers: { 'If-None-Match': '*' } }, 412],
    [
      'If-None-Match with a revision on PUT',
      'PUT',
      'managed/device/d1',
      { body: {}, headers: { 'If-None-Match': '0' } },
      400,
    ],
    ['a date condition', 'GET', 'managed/device/d1', { headers: { 'If-Unmodified-Since': 'x' } }, 409],
    [
      'a protocol of the future',
      'GET',
      'managed/device/d1',
      { headers: { 'Accept-API-Version': 'protocol=2.2' } },
      400,
    ],
    ['PUT on the root', 'PUT', '', { body: {} }, 400],
    ['a singleton that is queried', 'GET', 'scheduler?_queryFilter=true', {}, 400],
    ['a read of what has none', 'GET', 'scheduler', {}, 501],
    [
      'an object that is not there',
      'PATCH',
      'managed/device/none',
      { body: [{ operation: 'remove', field: '/a' }] },
      404,
    ],
  ])('refuses %s, and nothing has changed', async (_title, method, path, options, status) => {
    const before = (await api('GET', 'managed/device/d1')).body;
    const answer = await api(method, path, options);
    expect([answer.status, answer.body?.code]).toEqual([status, status]);
    expect(answer.body.message.length).toBeGreaterThan(5);
    expect((await api('GET', 'managed/device/d1')).body).toEqual(before);
  });
});
