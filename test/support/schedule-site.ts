import { afterAll, beforeAll } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from './api.ts';
import { startTestServer, type TestServer } from './server.ts';

/** A script of a schedule that leaves a mark. */
export const MARK = {
  type: 'text/javascript',
  source: "svc.create('managed/mark', null, { note: object.note });",
};
export const script = (source: string): JsonObject => ({ script: { type: 'text/javascript', source } });
export const NEW_YEAR = '0 0 0 1 1 ?';

/** A server with these files, and what the tests do to the schedules on it. */
export function scheduleSite(files: Readonly<Record<string, object | string>>) {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: { 'conf/managed.json': { objects: [{ name: 'mark' }] }, ...files },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = async (id: string, fields: JsonObject = {}) => {
    const body = { schedule: NEW_YEAR, timeZone: 'UTC', invokeService: 'script', ...fields };
    return api('PUT', `scheduler/job/${id}`, { body: { invokeContext: script('1'), ...body } });
  };
  const act = (id: string, action: string, body?: unknown) =>
    api('POST', `scheduler/job/${id}?_action=${action}`, body === undefined ? {} : { body });
  const ended = (schedule: string) =>
    server.observed('trigger.completed', (said) => said.schedule === schedule);
  const failed = (schedule: string) =>
    server.observed('trigger.failed', (said) => said.schedule === schedule);
  const ids = async (path: string, filter: string, more = '') => {
    const { body } = await api('GET', `${path}?_queryFilter=${encodeURIComponent(filter)}${more}`);
    return body.result.map((row: { _id: string }) => row._id);
  };
  const ledger = async (schedule: string) =>
    (await api('GET', `scheduler/firing?_queryFilter=${encodeURIComponent(`schedule eq "${schedule}"`)}`))
      .body.result;
  const marks = async (note: string) =>
    (await api('GET', `managed/mark?_queryFilter=${encodeURIComponent(`note eq "${note}"`)}`)).body.result;
  return {
    get server() {
      return server;
    },
    get api() {
      return api;
    },
    put,
    act,
    ended,
    failed,
    ids,
    ledger,
    marks,
  };
}
