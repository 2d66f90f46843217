import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { touchesCaller } from '../../../src/events/touches-caller.ts';

const session = (id: string) => `session/${hash('sha256', id)}`;
const caller = (more: object) => ({
  authenticationId: 'ada',
  authorization: { id: 'ada', component: 'managed/user', roles: ['svc-authorized', 'desk'], ...more },
});
const touches = (topic: string, resource: string, more: object = {}) =>
  touchesCaller({ topic, resource, operation: 'delete' }, caller(more));

describe('a stream of events', () => {
  it('looks whether it may go on when its own session, account, key or role changes, and with the configuration', () => {
    expect(touches('session', session('mine'), { sessionId: 'mine' })).toBe(true);
    expect(touches('object:user', 'managed/user/ada')).toBe(true);
    expect(touches('session', 'apikey/job', { component: 'apikey', id: 'job' })).toBe(true);
    expect(touches('session', 'repo/internal/role/svc-authorized')).toBe(true);
    expect(touches('object:role', 'managed/role/desk')).toBe(true);
    expect(touches('config', 'config/authentication')).toBe(true);
  });

  it('does not for the sessions, keys and accounts of others, which come and go all the time', () => {
    expect(touches('session', session('theirs'), { sessionId: 'mine' })).toBe(false);
    expect(touches('session', session('theirs'))).toBe(false);
    expect(touches('session', 'apikey/job')).toBe(false);
    expect(touches('session', 'repo/internal/user/ada')).toBe(false);
    expect(touches('object:user', 'managed/user/adam')).toBe(false);
  });
});
