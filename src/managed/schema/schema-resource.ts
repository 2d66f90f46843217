import { didYouMean, NotFoundError } from '#errors/index.ts';
import { countObjects } from '#repo/index.ts';
import {
  asksForJsonSchema,
  type Context,
  collection,
  questionReaderOf,
  type RouteHandler,
  resource,
  singleton,
} from '#resource/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { nameType, pathOfType, requestsForTargets, showType, typeAsJsonSchema } from './show-type.ts';
import { requestsFor, rightsTo, seesAnything, type TypeRights } from './type-rights.ts';

interface SeenType {
  readonly type: ManagedType;
  readonly rights: TypeRights;
}

/** `/schema`: the types of which the caller may see anything, and on demand how many objects they have. */
export function typesResource(platform: ManagedPlatform): RouteHandler {
  return singleton({
    description: { title: 'schema' },
    async read(context, request) {
      const seen = await seenTypes(platform, context);
      return resource(null, null, {
        types: seen.map(({ type, rights }) => nameType(type, rights)),
        ...(request.fields.some(([first]) => first === 'counts')
          ? { counts: await countsOf(platform, context, seen) }
          : {}),
      });
    },
    runsScripts: () =>
      platform.resources.judgesByScript([...platform.types.current().values()].flatMap(requestsFor)),
  });
}

/** `/schema/managed/<type>`: what the caller may see of a type. */
export function typeSchemaResource(platform: ManagedPlatform): RouteHandler {
  return collection({
    description: { title: 'schema of a type' },
    async read(context, request, name) {
      const { type, rights } = await seenType(platform, context, name);
      const content = asksForJsonSchema(request)
        ? typeAsJsonSchema(type, rights)
        : await showType(platform, context, request, type, rights);
      return resource(name, null, content);
    },
    runsScripts(_request, name) {
      const type = platform.types.current().get(name ?? '');
      if (type === undefined) {
        return platform.resources.judgesByScript([...platform.types.current().values()].flatMap(requestsFor));
      }
      return (
        platform.policies().runsScripts(pathOfType(type)) ||
        platform.resources.judgesByScript([...requestsFor(type), ...requestsForTargets(type)])
      );
    },
  });
}

async function seenTypes(platform: ManagedPlatform, context: Context): Promise<SeenType[]> {
  const types = [...platform.types.current().values()];
  const all = await Promise.all(
    types.map(async (type) => ({ type, rights: await rightsTo(platform.resources, context, type) })),
  );
  return all.filter(({ rights }) => seesAnything(rights));
}

/** One that the caller may not see is as one that there is not. */
async function seenType(platform: ManagedPlatform, context: Context, name: string): Promise<SeenType> {
  const type = platform.types.current().get(name);
  const rights = type === undefined ? undefined : await rightsTo(platform.resources, context, type);
  if (type !== undefined && rights !== undefined && seesAnything(rights)) return { type, rights };
  const names = (await seenTypes(platform, context)).map((seen) => seen.type.name);
  throw new NotFoundError(`There is no managed type '${name}'`, {
    id: 'MANAGED_UNKNOWN_TYPE',
    hint: didYouMean(name, names) ?? `There are ${names.join(', ') || 'none'}`,
  });
}

/** How many objects there are of the types that the caller may query. */
async function countsOf(platform: ManagedPlatform, context: Context, seen: readonly SeenType[]) {
  const queried = seen.filter(({ rights }) => rights.may.includes('query')).map(({ type }) => type.name);
  const counts = await countObjects(await questionReaderOf(platform, context), queried);
  return Object.fromEntries([...counts].map(([name, count]) => [name, { ...count }]));
}
