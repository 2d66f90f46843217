import { isObject } from '#json/index.ts';
import type { Platform } from '#platform/index.ts';
import type { RequestSink } from '#resource/index.ts';
import { managedProperties } from '../access/managed-properties.ts';
import type { UserDirectory } from './find-account.ts';

/** Users as the router answers for them. */
export function userDirectory({ config, router }: Platform, resources: RequestSink): UserDirectory {
  let generation = 0;
  config.watch(() => {
    generation += 1;
  });
  return {
    handle: (context, request) => resources.handle(context, request),
    answersAsStored(query, names) {
      const properties = managedProperties(config, query.path[1] ?? '');
      if (properties === undefined || router.runsScripts(query)) return false;
      return names.every((name) => {
        const property = properties[name];
        return !isObject(property) || property['isVirtual'] !== true;
      });
    },
    get generation() {
      return generation;
    },
  };
}
