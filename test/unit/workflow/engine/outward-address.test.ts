import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { addressIn } from '../../../../src/workflow/engine/index.ts';
import { givenFields } from './given-fields.ts';

/** Braces of expressions are written as `<name>` here. */
async function address(template: string, scope: JsonObject) {
  const requestUrl = template.replace(/<(\w+)>/g, `$${'{$1}'}`);
  return addressIn((await givenFields('http', { requestUrl }, scope))['requestUrl']);
}

describe('the address of a request', () => {
  it.each<[string, JsonObject, string]>([
    [
      'https://api.example.com/users/<id>',
      { id: '@evil.com/#?' },
      'https://api.example.com/users/@evil.com/#?',
    ],
    ['https://api.example.com<path>', { path: '/users' }, 'https://api.example.com/users'],
    ['https://api.example.com<path>', { path: '' }, 'https://api.example.com'],
    ['https://api.example.com<port>/users', { port: ':8443' }, 'https://api.example.com:8443/users'],
    ['https://api.example.com:<port>/users', { port: 8443 }, 'https://api.example.com:8443/users'],
    ['https://api.example.com?q=<q>', { q: '//x' }, 'https://api.example.com?q=//x'],
    ['https://<tenant>.example.com/', { tenant: 'north' }, 'https://north.example.com/'],
    ['https://api-<stage>.example.com/', { stage: 'test' }, 'https://api-test.example.com/'],
    ['https://api.<domain>/users', { domain: 'example.com' }, 'https://api.example.com/users'],
    ['https://<host>/users', { host: 'example.com:8443' }, 'https://example.com:8443/users'],
    ['https://<host>:<port>/users', { host: '[::1]', port: 1 }, 'https://[::1]:1/users'],
    ['https://<user>:<word>@example.com/', { user: 'a', word: 'b%40' }, 'https://a:b%40@example.com/'],
    ['<url>', { url: ' https://anywhere.example.com/x?y ' }, 'https://anywhere.example.com/x?y'],
    ['\n  <base>/users/<id>\n', { base: 'https://example.com', id: 7 }, 'https://example.com/users/7'],
    ['<base>users', { base: 'https://example.com/api/' }, 'https://example.com/api/users'],
    ['<base><path>', { base: 'https://example.com', path: '/users' }, 'https://example.com/users'],
    ['<scheme>://example.com/', { scheme: 'http' }, 'http://example.com/'],
    ['http<s>://example.com/', { s: 's' }, 'https://example.com/'],
  ])('is what the process says: %s with %j', async (template, scope, url) => {
    expect(await address(template, scope)).toEqual({ url, misplaced: null });
  });

  it.each<[string, JsonObject]>([
    ['https://api.example.com<x>', { x: '.evil.com/' }],
    ['https://api.example.com<x>', { x: '@evil.com/' }],
    ['https://api.example.com<x>/users', { x: ':1@evil.com' }],
    ['https://api.example.com:<x>/users', { x: '1@evil.com' }],
    ['https://api.example.com<x>', { x: '\\@evil.com' }],
    ['https://<x>.example.com/', { x: 'evil.com/?' }],
    ['https://<x>.example.com/', { x: 'evil.com#' }],
    ['https://<x>.example.com/', { x: 'evil.com\\' }],
    ['https://api-<x>.example.com/', { x: 'a@evil.com:1/' }],
    ['https://<x>@example.com/', { x: 'evil.com/' }],
    ['https://api.<x>/users', { x: 'example.com@evil.com' }],
    ['<base><x>', { base: 'https://api.example.com', x: '.evil.com' }],
    ['<x>://example.com/', { x: 'https://evil.com/?' }],
    ['http<x>://example.com/', { x: '://evil.com/?' }],
  ])('has no host of whoever sets a variable: %s with %j', async (template, scope) => {
    expect((await address(template, scope)).misplaced).toBe(scope['x']);
  });
});
