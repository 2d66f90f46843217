import { ForbiddenError } from '#errors/index.ts';
import { isAdministrator } from '#resource/index.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { Pages } from './pages.ts';
import { type Identify, identify } from './rest-interface.ts';

/** Says who sees metrics and the parts of readiness: everybody, administrators and this machine, or administrators. */
export type Diagnostics = 'open' | 'local' | 'admin';

/** @returns whether a request may look inside; it throws UnauthorizedError for credentials that nobody has */
export function diagnosticsFor(diagnostics: Diagnostics, authenticate: Identify) {
  return async (exchange: HttpExchange): Promise<boolean> => {
    if (diagnostics === 'open') return true;
    if (diagnostics === 'local' && exchange.incoming.isLocal) return true;
    const { security } = await identify(exchange, authenticate);
    return isAdministrator(security);
  };
}

/** `/metrics`, in the format that Prometheus reads. */
export function metricsPages(
  metrics: { render(): Promise<string>; readonly contentType: string },
  mayDiagnose: (exchange: HttpExchange) => Promise<boolean>,
): Pages {
  return {
    '/metrics': async (exchange) => {
      if (!(await mayDiagnose(exchange))) {
        throw new ForbiddenError('Metrics are for administrators', {
          id: 'HTTP_DIAGNOSTICS',
          hint: 'Ask on this machine, or as an administrator; SVC_DIAGNOSTICS=open opens them to all',
        });
      }
      return { status: 200, headers: { 'Content-Type': metrics.contentType }, body: await metrics.render() };
    },
  };
}
