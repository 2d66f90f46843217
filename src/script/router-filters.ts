import { type ConfigStore, type RouterConfig, type RouterFilterConfig, routerConfig } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { Filter, Request, Response } from '#resource/index.ts';
import { filterOf, type HideReferences, readRouterFilter } from './router-filter.ts';
import type { Scripts } from './scripts.ts';

/**
 * Filters of the field that this server has built in. They are in force whatever `router.json` says; an entry that
 * names one only says where in the order authorization stands.
 */
const NATIVE = {
  authorization: builtIn('router-authz', 'testAccess'),
  policies: builtIn('policyFilter', 'runFilter'),
} as const;

/** Built in, too, and in force where an entry says so. */
const REFERENCES = builtIn('relationshipFilter', 'filterResponse');

interface ScriptedFilters {
  readonly ahead: readonly Filter[];
  readonly behind: readonly Filter[];
}

export interface RouterFilters {
  /** For those that `router.json` names ahead of authorization. */
  readonly ahead: Filter;
  /** For all others. */
  readonly behind: Filter;
}

/** The filters of `router.json`, as it is at the moment of each request. */
export function routerFilters(
  config: ConfigStore,
  scripts: () => Scripts,
  hide: HideReferences,
): RouterFilters {
  let inForce = read(config.get(routerConfig), scripts, hide);
  config.addCheck(routerConfig, (value) => void read(value, scripts, hide));
  config.watchOnly(routerConfig, () => {
    inForce = read(config.get(routerConfig), scripts, hide);
  });
  const stand = (side: keyof ScriptedFilters): Filter => {
    const filter: Filter = (context, request, next) => pass(inForce[side], context, request, next);
    const runsScripts = (request: Request, asksOthers: boolean) =>
      inForce[side].some((other) => other.runsScripts?.(request, asksOthers) ?? false);
    const judgesAnswer = (request: Request) =>
      inForce[side].flatMap((other) => other.judgesAnswer?.(request) ?? []);
    return Object.assign(filter, { runsScripts, judgesAnswer });
  };
  return { ahead: stand('ahead'), behind: stand('behind') };
}

/** Has a request meet the filters of a `router.json` that is not in force; what they hide of an answer is shown. */
export function meetFilters(
  config: RouterConfig,
  scripts: Scripts,
  ...asked: Parameters<Filter>
): Promise<Response> {
  const hide = Object.assign(async (_: unknown, response: Response) => response, {
    runsScripts: () => false,
  });
  const { ahead, behind } = read(config, () => scripts, hide);
  return pass([...ahead, ...behind], ...asked);
}

function pass(
  filters: readonly Filter[],
  ...[context, request, next]: Parameters<Filter>
): Promise<Response> {
  const [first, ...others] = filters;
  if (first === undefined) return next(context, request);
  return first(context, request, (...inner) => pass(others, ...inner, next));
}

function read({ filters }: RouterConfig, scripts: () => Scripts, hide: HideReferences): ScriptedFilters {
  const authorization = filters.findIndex(({ onRequest }) => NATIVE.authorization(onRequest));
  const made = filters.map((config, index) => {
    const { onRequest, onResponse, ...others } = config;
    const isNative = Object.values(NATIVE).some((names) => names(onRequest));
    const hides = REFERENCES(onResponse);
    const own = {
      ...others,
      ...(onRequest === undefined || isNative ? {} : { onRequest }),
      ...(onResponse === undefined || hides ? {} : { onResponse }),
    };
    const filter = readRouterFilter(own, `filters/${index}`);
    const does = filter.scripts.onRequest ?? filter.scripts.onResponse ?? filter.scripts.onFailure;
    if (does === undefined && !hides) return undefined;
    return filterOf(filter, scripts, hides ? hide : undefined);
  });
  const present = (some: readonly (Filter | undefined)[]) => some.filter((filter) => filter !== undefined);
  return {
    ahead: present(made.slice(0, Math.max(0, authorization))),
    behind: present(made.slice(Math.max(0, authorization))),
  };
}

/** Whether a script is the file of that name, or calls nothing but that function of it. */
function builtIn(name: string, call: string): (script: RouterFilterConfig['onRequest']) => boolean {
  const source = new RegExp(`^\\s*require\\((['"])${name}(?:\\.js)?\\1\\)\\.${call}\\(\\);?\\s*$`);
  return (script) =>
    typeof script?.file === 'string'
      ? script.file.split('/').at(-1) === `${name}.js`
      : typeof script?.source === 'string' && source.test(script.source);
}

/** Whether a script reference of `router.json` names what is built in: nothing of such a file runs. */
export function isBuiltInFilter(reference: JsonValue): boolean {
  if (!isObject(reference)) return false;
  return [...Object.values(NATIVE), REFERENCES].some((names) => names(reference));
}
