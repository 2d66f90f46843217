import type { Observe } from '#observability/index.ts';
import { formatPath } from '#resource/index.ts';
import { auditedMessage } from './audited-message.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { Answer } from './write-response.ts';

/** Tells of a request and its answer, for the log, the metrics and the audit of access. */
export function tellAnswered(observe: Observe, exchange: HttpExchange, answer: Answer): void {
  const { incoming, requestId, startedAt } = exchange;
  observe({
    kind: 'http.answered',
    method: incoming.method,
    path: incoming.path,
    status: answer.status,
    ms: performance.now() - startedAt,
    requestId,
    ...askedBy(exchange, answer),
  });
}

/** What was asked by whom; nothing where that did not come to light. */
function askedBy({ incoming, caller, request, failure, refused }: HttpExchange, answer: Answer) {
  if (caller === undefined || request === undefined) return {};
  const { security, client } = caller;
  return {
    request: {
      operation: request.method,
      resource: formatPath(request.path),
      action: request.method === 'action' ? request.action : null,
      userId: security.authenticationId,
      roles: security.authorization.roles,
      client: { ip: client.remoteAddress, port: client.remotePort },
      message: auditedMessage(incoming, answer),
      error: failure === undefined ? null : failure.toJSON(),
      refused,
    },
  };
}
