import type { Database } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type RouteHandler, resource, singleton } from '#resource/index.ts';
import { type OpenFinding, readStatus, type ServerStatus } from './finding-repository.ts';

/** However many look at it, a node asks the database as often as that. */
const FRESH_MS = 1_000;

/** `/status`: whether all is well in the cluster, and what needs somebody; it reads the view `svc_finding`. */
export function statusResource({ db }: Database): RouteHandler {
  let answer: { readonly askedAt: number; readonly status: Promise<ServerStatus> } | undefined;
  const status = () => {
    const now = performance.now();
    if (answer === undefined || now - answer.askedAt > FRESH_MS) {
      const asked = { askedAt: now, status: readStatus(db) };
      answer = asked;
      asked.status.catch(() => {
        if (answer === asked) answer = undefined;
      });
    }
    return answer.status;
  };
  return singleton({
    description: { title: 'status' },
    async read() {
      const { findings, counts } = await status();
      const isWell = findings.every(({ severity }) => severity === 'info');
      return resource('', null, {
        state: isWell ? 'ok' : 'attention',
        findings: findings.map(findingView),
        counts,
      });
    },
  });
}

function findingView({ id, severity, since, subject, text, hint, at, actions }: OpenFinding): JsonObject {
  return {
    id,
    severity,
    since,
    subject,
    text,
    hint,
    ...(at === null ? {} : { at }),
    ...(actions === null ? {} : { actions }),
  };
}
