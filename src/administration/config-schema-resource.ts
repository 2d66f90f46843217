import type { ConfigStore } from '#config/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { asksForJsonSchema, formatPath, type RouteHandler, resource, unsupported } from '#resource/index.ts';

/** `/schema/config/<id>`: which keys a configuration knows; of a configuration of many its name will do. */
export function configSchemaResource(store: ConfigStore): RouteHandler {
  return {
    async handle(_context, request, { remaining }) {
      if (request.method !== 'read') return unsupported(request);
      const [name = '', alias, ...more] = remaining;
      const definition = store.definitions.get(name);
      const isMany = definition?.kind === 'factory';
      if (definition === undefined || more.length > 0 || (alias !== undefined && !isMany)) {
        throw noSchema(store, formatPath(remaining));
      }
      const schema = definition.jsonSchema as unknown as JsonObject;
      const answer = asksForJsonSchema(request)
        ? schema
        : { config: name, many: isMany, file: isMany ? `${name}-<name>.json` : `${name}.json`, schema };
      return resource(formatPath(remaining), null, answer);
    },
    describe: (path) => [
      {
        path: `${path}/{id}`,
        kind: 'instance',
        title: 'schema of a configuration',
        methods: ['read'],
        actions: [],
      },
    ],
    asksOthers: false,
  };
}

function noSchema(store: ConfigStore, id: string): NotFoundError {
  const names = [...store.definitions.keys()];
  return new NotFoundError(`No part of the server reads a configuration '${id}'`, {
    id: 'CONFIG_NO_SCHEMA',
    hint: didYouMean(id.split('/', 1)[0]!, names) ?? `There are ${names.join(', ')}`,
  });
}
