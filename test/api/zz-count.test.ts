// @ts-nocheck
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startTestServer } from '../support/server.ts';
const log: string[] = [];
const original = pg.Client.prototype.query;
pg.Client.prototype.query = function (...args) { const [f] = args; const t = typeof f === 'string' ? f : String(f?.text); if (!/relname|node|heartbeat|scheduler_|pg_listening|notify|set_config|clock_timestamp|statement_timestamp/i.test(t)) log.push(t.replace(/\s+/g, ' ').slice(0, 150)); return Reflect.apply(original, this, args); };
describe('count', () => {
  it('x', async () => {
    const server = await startTestServer({ files: process.env.PLAIN ? { 'conf/managed.json': { objects: JSON.parse((await import('node:fs')).readFileSync('conf/managed.json', 'utf8')).objects.map(({ onCreate, onUpdate, onDelete, ...o }) => o) } } : {} });
    const { api } = server;
    const count = async (name, f) => { await new Promise((r) => setTimeout(r, 300)); log.length = 0; const a = await f(); console.log(`## ${name} ${a.status} ${log.length}\n` + log.join('\n')); };
    const role = { name: 'r1', description: 'x' };
    await api('PUT', 'managed/role/r1', { body: role });
    await api('PUT', 'managed/role/r2', { body: { name: 'r2', description: 'x', condition: 'city eq "x"' } });
    const u = (id) => ({ userName: id, givenName: 'a', sn: 'b', mail: 'a@example.com', roles: [{ _ref: 'managed/role/r1' }] });
    await api('PUT', 'managed/user/boss', { body: u('boss') });
    await count('POST', () => api('POST', 'managed/user', { body: { ...u('u1'), manager: { _ref: 'managed/user/boss' } } }));
    await count('PUT new', () => api('PUT', 'managed/user/u2', { body: u('u2') }));
    await count('GET', () => api('GET', 'managed/user/u2'));
    await count('PATCH mail', () => api('PATCH', 'managed/user/u2', { body: [{ operation: 'replace', field: '/mail', value: 'b@example.com' }] }));
    await count('PUT mail', () => api('PUT', 'managed/user/u2', { body: { ...u('u2'), mail: 'c@example.com' } }));
    await count('PATCH role', () => api('PATCH', 'managed/user/u2', { body: [{ operation: 'add', field: '/roles/-', value: { _ref: 'managed/role/r2' } }] }));
    await count('POST member', () => api('POST', 'managed/role/r1/members', { body: { _ref: 'managed/user/u2', _refProperties: { x: 1 } } }));
    await count('query', () => api('GET', 'managed/user?_queryFilter=true&_fields=*,roles/*,manager/*'));
    await count('DELETE', () => api('DELETE', 'managed/user/u2'));
    await server[Symbol.asyncDispose]();
  }, 60000);
});
