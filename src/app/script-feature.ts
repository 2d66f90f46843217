import { scriptConfig } from '#config/index.ts';
import { isObject } from '#json/index.ts';
import type { Feature, Platform } from '#platform/index.ts';
import { type Context, resourceBody } from '#resource/index.ts';
import { bindingResource, type ScriptUses, scriptResource } from '#script/index.ts';

/** `/script`. @param uses of all features */
export function scriptFeature({ scripts, config, router }: Platform, uses: ScriptUses): Feature {
  return {
    resources: {
      'script*': scriptResource(scripts, uses),
      'script/binding': bindingResource({
        uses,
        properties: () => config.get(scriptConfig).properties,
        // With the rights of the caller, and not as what the server itself asks.
        async readType(context: Context, type: string) {
          const request = {
            method: 'read',
            path: ['schema', 'managed', type],
            fields: [],
            parameters: {},
          } as const;
          const answer = await router.handle(context, request);
          const shown = answer.kind === 'resource' ? resourceBody(answer) : null;
          return isObject(shown) ? shown : {};
        },
      }),
    },
  };
}
