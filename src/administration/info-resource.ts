import { didYouMean, NotFoundError } from '#errors/index.ts';
import { cloneJson, type JsonObject, type JsonValue } from '#json/index.ts';
import { collection, type RouteHandler, resource } from '#resource/index.ts';

export interface InfoOptions {
  /** STARTING, ACTIVE_READY, ACTIVE_NOT_READY or STOPPING, and a sentence about it. */
  readonly state: () => { readonly state: string; readonly shortDesc: string };
  readonly version: string;
  /** Properties of a managed type that change only with the password once more. */
  readonly protectedProperties: (type: string) => readonly string[];
}

const NAMES = ['ping', 'login', 'version'];

/** `/info/ping`, `/info/login` (who am I) and `/info/version`. */
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
              ...cloneJson(authorization as unknown as JsonValue as JsonObject),
              ipAddress: context.client.remoteAddress,
              protectedAttributeList: [...protectedOf(authorization.component)],
            },
          });
        }
        case 'version':
          return resource('version', null, {
            productVersion: options.version,
            productRevision: options.version,
          });
        default:
          throw new NotFoundError(`Resource 'info/${id}' not found`, {
            hint: didYouMean(id, NAMES) ?? `There are ${NAMES.join(', ')}`,
          });
      }
    },
  });
}
