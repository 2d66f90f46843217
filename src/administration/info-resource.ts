import { didYouMean, NotFoundError, NotSupportedError } from '#errors/index.ts';
import { cloneJson, type JsonObject } from '#json/index.ts';
import { collection, type RouteHandler, resource } from '#resource/index.ts';
import { INFO_NAMES, NOT_RUN_HINT } from './info-scripts.ts';

export interface InfoOptions {
  /** STARTING, ACTIVE_READY, ACTIVE_NOT_READY or STOPPING, and a sentence about it. */
  readonly state: () => { readonly state: string; readonly shortDesc: string };
  readonly version: string;
  /** What a user interface is told before anybody has logged in: `configuration` of `conf/ui-configuration.json`. */
  readonly userInterface: () => JsonObject;
  /** What is configured to be answered by scripts, of which none runs. */
  readonly configured: () => readonly string[];
  /** Properties of a managed type that change only with the password once more. */
  readonly protectedProperties: (type: string) => readonly string[];
}

/** `/info/ping`, `/info/login` (who am I), `/info/version` and `/info/uiconfig`. */
export function infoResource(options: InfoOptions): RouteHandler {
  const protectedOf = (component: string) => {
    const [area, type] = component.split('/');
    return area === 'managed' && type !== undefined ? options.protectedProperties(type) : [];
  };
  return collection({
    async read(context, _request, id) {
      switch (id) {
        case 'ping':
          return resource('', null, { ...options.state() });
        case 'login': {
          const { authenticationId, authorization } = context.security;
          return resource('login', null, {
            authenticationId,
            authorization: {
              ...cloneJson(authorization as unknown as JsonObject),
              ipAddress: context.client.remoteAddress,
              protectedAttributeList: [...protectedOf(authorization.component)],
            },
          });
        }
        case 'uiconfig':
          return resource('uiconfig', null, { configuration: cloneJson(options.userInterface()) });
        case 'version':
          return resource('version', null, {
            productVersion: options.version,
            productRevision: options.version,
          });
        default:
          if (options.configured().includes(id)) {
            throw new NotSupportedError(`The script that is configured for 'info/${id}' is not run`, {
              id: 'INFO_NOT_RUN',
              hint: NOT_RUN_HINT,
            });
          }
          throw new NotFoundError(`Resource 'info/${id}' not found`, {
            hint: didYouMean(id, INFO_NAMES) ?? `There are ${INFO_NAMES.join(', ')}`,
          });
      }
    },
  });
}
