import { join } from 'node:path';
import type { ConfigAgreement } from '#administration/index.ts';
import { type ConfigStore, type Settings, servletFilterConfig } from '#config/index.ts';
import { HttpServer, type HttpServerOptions } from '#http/index.ts';
import type { Core } from './core.ts';
import { versionOf } from './version.ts';

export interface DoorParts
  extends Pick<
    HttpServerOptions,
    | 'bodies'
    | 'commits'
    | 'events'
    | 'health'
    | 'metrics'
    | 'observe'
    | 'port'
    | 'rateLimit'
    | 'sharedBy'
    | 'unsent'
  > {
  readonly settings: Omit<Settings, 'adminPassword'>;
  readonly config: ConfigStore;
  readonly core: Pick<Core, 'authentication' | 'router'>;
  readonly agreement: ConfigAgreement;
  readonly resources: NonNullable<HttpServerOptions['resources']>;
}

/** The HTTP door of a thread, as the settings of the node have it. */
export function openDoor({ settings, config, core, agreement, resources, ...parts }: DoorParts): HttpServer {
  return new HttpServer({
    ...parts,
    host: settings.host,
    bodyLimitBytes: settings.bodyLimitBytes,
    answerLimitBytes: settings.answerLimitBytes,
    requestTimeoutMs: settings.requestTimeoutMs,
    requestDeadlineMs: settings.requestDeadlineMs,
    trustedProxies: settings.trustedProxies,
    publicUrl: settings.publicUrl,
    publicPath: settings.publicPath,
    compat: config.properties.compat,
    cors: () => config.list(servletFilterConfig).find(({ alias }) => alias === 'cors')?.value.initParams,
    trustsTransactionId: settings.trustsTransactionId,
    diagnostics: settings.diagnostics,
    resources: settings.roles.includes('api') ? resources : undefined,
    named: (request) => core.router.named(request),
    async authenticate(...shown) {
      await agreement.sure();
      return core.authentication.authenticator.authenticate(...shown);
    },
    console: settings.servesConsole
      ? { folder: join(settings.installLocation, 'dist', 'console'), environment: settings.environmentName }
      : undefined,
    describe: () => core.router.describe(),
    version: versionOf(settings.installLocation),
  });
}
