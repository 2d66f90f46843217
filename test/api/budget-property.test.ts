import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { costlyRequest } from '../support/costly-requests.ts';
import { faultOf, seededRandom, sendHostile } from '../support/hostile-requests.ts';
import { type HostileTarget, hostileTarget } from '../support/hostile-target.ts';
import { watchStretches } from '../support/longest-stretch.ts';
import '../support/takes-long.ts';

const SEED = Number(process.env['SVC_TEST_SEED'] ?? 20_261_122);
const REQUESTS = 80;
const LONGEST_STRETCH_MS = 100;
const MOST_KEPT_BYTES = 64 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('requests that ask for far more than they are long', () => {
  let target: HostileTarget;
  const admin = { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD };
  beforeAll(async () => {
    target = await hostileTarget();
    await target.server.api('PUT', 'managed/role/costly', { body: { name: 'costly', description: 'x' } });
  });
  afterAll(() => target?.[Symbol.asyncDispose]());

  it(`are answered below 500, hold up nobody and leave nothing behind (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const findings: unknown[] = [];
    const statuses: Record<number, number> = {};
    const send = async (watched: boolean) => {
      const request = costlyRequest(random, admin);
      const stop = watchStretches();
      const answer = await sendHostile(target.server.url, request);
      const longest = stop();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      // A script that is stopped at its limits is a 500 with the words of the limit.
      const isLimit =
        request.path.startsWith('/svc/script') &&
        /used more memory|did not end|larger than/.test(answer.text);
      const fault = isLimit ? undefined : faultOf(request, answer);
      const what = { ...request, body: request.body?.slice(0, 400) };
      if (fault !== undefined) findings.push({ fault, what, answer: answer.text.slice(0, 400) });
      if (watched && longest > LONGEST_STRETCH_MS) findings.push({ longest, what, status: answer.status });
    };
    // What is compiled and loaded with the first requests is paid for once.
    for (let n = 0; n < 25; n++) await send(false);
    (target.server.observations as unknown[]).length = 0;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < REQUESTS; n++) await send(true);
    (target.server.observations as unknown[]).length = 0;
    collectGarbage();
    expect(findings).toEqual([]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOST_KEPT_BYTES);
    // The generator reaches both what is done and what is refused.
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '413']));
  });
});
