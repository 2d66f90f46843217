import { endpointConfig, writtenJson } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { asField, type Inspection } from '#platform/index.ts';
import { inspectPlaces } from '#script/index.ts';

/** The scripts of endpoints. */
export function checkEndpoints({ config, scripts }: Inspection): void {
  config.addCheck(endpointConfig, async (value) => {
    const reference = withoutRoute(writtenJson(value));
    return (await inspectPlaces(scripts, [{ field: '', reference }])).map(asField);
  });
}

/** An endpoint is its script reference, with its route beside. */
function withoutRoute(json: JsonValue): JsonValue {
  if (!isObject(json)) return json;
  const { context, encrypt, ...reference } = json;
  return reference;
}
