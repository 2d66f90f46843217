import { type ConfigStore, type RouterConfig, type RouterFilterConfig, routerConfig } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { Filter, Request, Response } from '#resource/index.ts';
import { filterOf, readRouterFilter } from './router-filter.ts';
import type { Scripts } from './scripts.ts';

/**
 * Filters of the field that this server has built in. They are in force whatever `router.json` says; an entry that
 * names one only says where in the order authorization stands.
 */
const NATIVE = { authorization: 'router-authz.js', policies: 'policyFilter.js' } as const;

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
export function routerFilters(config: ConfigStore, scripts: () => Scripts): RouterFilters {
  let inForce = read(config.get(routerConfig), scripts);
  config.addCheck(routerConfig, (value) => void read(value, scripts));
  config.watchOnly(routerConfig, () => {
    inForce = read(config.get(routerConfig), scripts);
  });
  const stand = (side: keyof ScriptedFilters): Filter => {
    const filter: Filter = (context, request, next) => pass(inForce[side], context, request, next);
    const runsScripts = (request: Request, asksOthers: boolean) =>
      inForce[side].some((other) => other.runsScripts?.(request, asksOthers) ?? false);
    return Object.assign(filter, { runsScripts });
  };
  return { ahead: stand('ahead'), behind: stand('behind') };
}

function pass(
  filters: readonly Filter[],
  ...[context, request, next]: Parameters<Filter>
): Promise<Response> {
  const [first, ...others] = filters;
  if (first === undefined) return next(context, request);
  return first(context, request, (...inner) => pass(others, ...inner, next));
}

function read({ filters }: RouterConfig, scripts: () => Scripts): ScriptedFilters {
  const authorization = filters.findIndex((filter) => isNative(filter, NATIVE.authorization));
  const read = filters.map((filter, index) => {
    const { onRequest, ...others } = filter;
    const isBuiltIn = Object.values(NATIVE).some((file) => isNative(filter, file));
    const scripted = isBuiltIn ? others : { ...others, ...(onRequest === undefined ? {} : { onRequest }) };
    return readRouterFilter(scripted, `filters/${index}`);
  });
  const made = read.map((filter) => {
    const { onRequest, onResponse, onFailure } = filter.scripts;
    return (onRequest ?? onResponse ?? onFailure) === undefined ? undefined : filterOf(filter, scripts);
  });
  const present = (some: readonly (Filter | undefined)[]) => some.filter((filter) => filter !== undefined);
  return {
    ahead: present(made.slice(0, Math.max(0, authorization))),
    behind: present(made.slice(Math.max(0, authorization))),
  };
}

function isNative({ onRequest }: RouterFilterConfig, file: string): boolean {
  return typeof onRequest?.file === 'string' && onRequest.file.split('/').at(-1) === file;
}

/** Whether a script reference of `router.json` names what is built in: nothing of such a file runs. */
export function isBuiltInFilter(reference: JsonValue): boolean {
  if (!isObject(reference)) return false;
  const onRequest = reference as RouterFilterConfig['onRequest'];
  return Object.values(NATIVE).some((file) => isNative({ onRequest } as RouterFilterConfig, file));
}
