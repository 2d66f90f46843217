import {
  type ConfigStore,
  requireOwnSources,
  routerConfig,
  scriptConfig,
  writtenJson,
} from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';
import { isBuiltInFilter } from './router-filters.ts';
import type { ScriptInspector } from './script-inspector.ts';
import { elementsAt, inspectPlaces, placeAt, type ScriptPlace } from './script-place.ts';

/** `script.json` and the filters of `router.json`. */
export function checkScripts({
  config,
  scripts,
}: {
  readonly config: ConfigStore;
  readonly scripts: ScriptInspector;
}): void {
  config.addCheck(scriptConfig, (value) => void requireOwnSources(value, config.locations));
  config.addCheck(routerConfig, (value) => inspectPlaces(scripts, ofFilters(writtenJson(value))));
}

function ofFilters(json: JsonValue): readonly ScriptPlace[] {
  return elementsAt(json, ['filters'])
    .flatMap((filter) =>
      ['condition', 'onRequest', 'onResponse', 'onFailure'].flatMap((name) =>
        placeAt(json, [...filter, name]),
      ),
    )
    .filter(({ reference }) => !isBuiltInFilter(reference));
}
