import { describe, expect, it } from 'vitest';
import { translateRequest } from '../../../src/http/read-request.ts';

interface Given {
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function translate(method: string, url: string, { headers = {}, body = '' }: Given = {}) {
  const { pathname, searchParams } = new URL(url, 'http://svc/');
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (body !== '') lower['content-type'] ??= 'application/json';
  return translateRequest({
    method,
    path: pathname,
    search: searchParams,
    header: (name) => lower[name.toLowerCase()],
    body,
    bodyLimitBytes: 2 ** 20,
  });
}

const request = (method: string, url: string, given?: Given) => translate(method, url, given).request;

describe('an HTTP request', () => {
  it.each<[string, string, string, Given, object]>([
    ['GET reads', 'GET', '/managed/user/u1', {}, { method: 'read', path: ['managed', 'user', 'u1'] }],
    ['GET with a filter queries', 'GET', '/managed/user?_queryFilter=true', {}, { method: 'query' }],
    [
      'GET with a query id queries',
      'GET',
      '/a?_queryId=query-all',
      {},
      { method: 'query', queryId: 'query-all' },
    ],
    ['POST creates', 'POST', '/managed/user', { body: '{}' }, { method: 'create', newResourceId: null }],
    ['POST _action=Create creates', 'POST', '/a?_action=Create', { body: '{}' }, { method: 'create' }],
    ['POST acts', 'POST', '/a?_action=go', {}, { method: 'action', action: 'go', content: null }],
    ['an action takes any JSON', 'POST', '/a?_action=go', { body: '[1]' }, { content: [1] }],
    [
      'PUT upserts',
      'PUT',
      '/a/b',
      { body: '{}' },
      { method: 'create', newResourceId: 'b', path: ['a'], orUpdate: true },
    ],
    [
      'PUT If-None-Match: * creates',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'If-None-Match': '*' } },
      { method: 'create', newResourceId: 'b' },
    ],
    [
      'PUT If-Match updates',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'If-Match': '"3"' } },
      { method: 'update', revision: '3', path: ['a', 'b'] },
    ],
    [
      'PUT If-Match: * updates any revision',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'If-Match': '*' } },
      { method: 'update', revision: null },
    ],
    [
      'PUT updates in protocol 1',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'Accept-API-Version': 'protocol=1.0' } },
      { method: 'update' },
    ],
    [
      'PATCH patches',
      'PATCH',
      '/a/b',
      { body: '[{"operation":"remove","field":"/x"}]', headers: { 'If-Match': '1' } },
      { method: 'patch', revision: '1', operations: [{ operation: 'remove', field: ['x'] }] },
    ],
    [
      'DELETE deletes',
      'DELETE',
      '/a/b',
      { headers: { 'If-Match': '1' } },
      { method: 'delete', revision: '1' },
    ],
    [
      'POST can stand for another method',
      'POST',
      '/a/b',
      { headers: { 'X-HTTP-Method-Override': 'DELETE' } },
      { method: 'delete' },
    ],
    ['fields are pointers', 'GET', '/a?_fields=/a/b,c&_fields=d', {}, { fields: [['a', 'b'], ['c'], ['d']] }],
    ['an empty field list selects nothing', 'GET', '/a?_fields=', {}, { fields: [] }],
    ['reserved names are read in any case', 'GET', '/a?_QUERYFILTER=true', {}, { method: 'query' }],
    ['other parameters are kept', 'GET', '/a?x=1&y=2', {}, { parameters: { x: '1', y: '2' } }],
    ['a dry run is said so', 'POST', '/a?_dryRun=true', { body: '{}' }, { dryRun: true }],
    [
      'charset is allowed',
      'POST',
      '/a',
      { body: '{}', headers: { 'Content-Type': 'application/json; charset=UTF-8' } },
      { method: 'create' },
    ],
  ])('%s', (_title, method, url, given, expected) => {
    expect(request(method, url, given)).toMatchObject(expected);
  });

  it('asks for indented JSON with _prettyPrint=true only', () => {
    expect(translate('GET', '/a?_prettyPrint=true').prettyPrint).toBe(true);
    expect(translate('GET', '/a?_prettyPrint=yes').prettyPrint).toBe(false);
  });

  it.each<[string, string, string, Given, number, RegExp]>([
    ['TRACE is unknown', 'TRACE', '/a', {}, 501, /Method TRACE not supported/],
    ['JSON must be valid', 'POST', '/a', { body: '{' }, 400, /not valid JSON/],
    [
      'a rehearsal is asked for in so many words',
      'POST',
      '/a?_dryRun=yes',
      { body: '{}' },
      400,
      /true or false/,
    ],
    [
      'a parameter of the protocol must be one',
      'GET',
      '/a?_pagesize=1&_pageSzie=2',
      {},
      400,
      /no parameter '_pageSzie'/,
    ],
    [
      'a misspelt rehearsal is none',
      'PATCH',
      '/a/b?_dryrn=true',
      { body: '[]' },
      400,
      /no parameter '_dryrn'/,
    ],
    [
      'a rehearsal has an underscore',
      'PATCH',
      '/a/b?dryRun=true',
      { body: '[]' },
      400,
      /no parameter 'dryRun'/,
    ],
    ['a rehearsal has one name', 'POST', '/a?_dry_run=true', { body: '{}' }, 400, /no parameter '_dry_run'/],
    ['nothing may follow the JSON', 'POST', '/a', { body: '{} x' }, 400, /not valid JSON/],
    ['a create needs an object', 'POST', '/a', { body: '[]' }, 400, /not a JSON object/],
    ['a create needs a body', 'POST', '/a', {}, 400, /no body/],
    ['a patch needs an array', 'PATCH', '/a/b', { body: '{}' }, 400, /must be an array/],
    ['a patch needs a body', 'PATCH', '/a/b', {}, 400, /no body/],
    [
      'XML is not JSON',
      'POST',
      '/a',
      { body: '<a/>', headers: { 'Content-Type': 'text/xml' } },
      400,
      /text\/xml/,
    ],
    [
      'latin1 is not UTF-8',
      'POST',
      '/a',
      { body: '{}', headers: { 'Content-Type': 'application/json;charset=latin1' } },
      400,
      /latin1/,
    ],
    [
      'deep nesting is refused',
      'POST',
      '/a',
      { body: `${'[{"a":'.repeat(300)}1${'}]'.repeat(300)}` },
      400,
      /nested deeper/,
    ],
    ['a filter must parse', 'GET', '/a?_queryFilter=a%20eq', {}, 400, /./],
    ['a filter and an id exclude each other', 'GET', '/a?_queryFilter=true&_queryId=x', {}, 400, /exclude/],
    ['a filter and an expression too', 'GET', '/a?_queryFilter=true&_queryExpression=x', {}, 400, /exclude/],
    ['a page size is a number', 'GET', '/a?_queryFilter=true&_pageSize=ten', {}, 400, /_pageSize is 'ten'/],
    [
      'a total policy is a known one',
      'GET',
      '/a?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=SOME',
      {},
      400,
      /SOME/,
    ],
    [
      'offset and cookie exclude each other',
      'GET',
      '/a?_queryFilter=true&_pageSize=1&_pagedResultsOffset=1&_pagedResultsCookie=x',
      {},
      400,
      /exclude/,
    ],
    ['a sort key is not empty', 'GET', '/a?_queryFilter=true&_sortKeys=a,,b', {}, 400, /sort key/],
    [
      'a single parameter is given once',
      'GET',
      '/a?_queryFilter=true&_queryFilter=false',
      {},
      400,
      /more than once/,
    ],
    ['_prettyPrint too', 'GET', '/a?_prettyPrint=true&_prettyprint=true', {}, 400, /more than once/],
    ['a broken escape in a field', 'GET', '/a?_fields=%25zz', {}, 400, /percent escape/],
    ['a broken escape in the path', 'GET', '/a/%25zz/%zz', {}, 400, /percent escape/],
    ['an empty segment', 'GET', '/a//b', {}, 400, /empty segment/],
    ['PUT on the root', 'PUT', '/', { body: '{}' }, 400, /root/],
    [
      'If-None-Match on PUT is *',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'If-None-Match': '1' } },
      400,
      /'1'/,
    ],
    [
      'both conditions',
      'PUT',
      '/a/b',
      { body: '{}', headers: { 'If-None-Match': '*', 'If-Match': '1' } },
      412,
      /exclude/,
    ],
    ['If-Match on GET', 'GET', '/a/b', { headers: { 'If-Match': '1' } }, 412, /If-Match/],
    ['If-Match on an action', 'POST', '/a/b?_action=x', { headers: { 'If-Match': '1' } }, 412, /If-Match/],
    [
      'If-None-Match on DELETE',
      'DELETE',
      '/a/b',
      { headers: { 'If-None-Match': '1' } },
      412,
      /If-None-Match/,
    ],
    ['date conditions', 'GET', '/a/b', { headers: { 'If-Modified-Since': 'x' } }, 409, /If-Modified-Since/],
    ['a version that cannot be read', 'GET', '/a', { headers: { 'Accept-API-Version': 'v2' } }, 400, /v2/],
    [
      'a version of the future',
      'GET',
      '/a',
      { headers: { 'Accept-API-Version': 'protocol=3.0' } },
      400,
      /3\.0/,
    ],
    [
      'POST without action in protocol 1',
      'POST',
      '/a',
      { body: '{}', headers: { 'Accept-API-Version': 'protocol=1.0,resource=1.0' } },
      400,
      /_action/,
    ],
  ])('%s: refused', (_title, method, url, given, code, message) => {
    expect(() => request(method, url, given)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
