/**
 * Sends random requests to a server of its own: `node bench/http-fuzz.ts [requests] [seed]`. A finding prints the
 * request and the answer; any finding ends it with status 1.
 */
import { faultOf, type HostileRequest, seededRandom, sendHostile } from '../test/support/hostile-requests.ts';
import { hostileTarget } from '../test/support/hostile-target.ts';
import { createTestDatabase } from '../test/support/postgres.ts';
import { openBenchServer } from './support/postgres.ts';

const requests = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 1);
const AT_ONCE = 8;

let unhandled = 0;
process.on('unhandledRejection', (error) => {
  unhandled++;
  console.log(JSON.stringify({ fuzz: 'http', unhandled: String(error) }));
});

await using postgres = await openBenchServer();
await using database = await createTestDatabase({ serverUrl: postgres.url });
await using target = await hostileTarget(database);
const random = seededRandom(seed);
const statuses: Record<number, number> = {};
let findings = 0;
const startedAt = performance.now();

async function fuzz(next: () => HostileRequest | undefined): Promise<void> {
  for (let request = next(); request !== undefined; request = next()) {
    const answer = await sendHostile(target.server.url, request);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    const fault = faultOf(request, answer);
    if (fault === undefined) continue;
    findings++;
    console.log(JSON.stringify({ fuzz: 'http', seed, fault, request, answer }));
  }
}

let left = requests;
const next = () => (left-- > 0 ? target.next(random) : undefined);
await Promise.all(Array.from({ length: AT_ONCE }, () => fuzz(next)));
const failures = target.server.observations.filter(({ kind }) => kind === 'http.failed');
for (const failure of failures.slice(0, 20))
  console.log(JSON.stringify({ fuzz: 'http', failure: String((failure as { error?: unknown }).error) }));
const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
console.log(JSON.stringify({ fuzz: 'http', requests, seed, seconds, statuses, findings, unhandled }));
process.exitCode = findings + unhandled + failures.length === 0 ? 0 : 1;
