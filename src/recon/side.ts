import { InternalServerError } from '#errors/index.ts';
import { type JsonObject, lastOf } from '#json/index.ts';
import { NO_PAGING, nestedContext, parsePath, type WriteContext } from '#resource/index.ts';
import { type Listing, managedListing, stagedListing, stageObjects } from './listing-repository.ts';
import { asCaller, queryOf } from './question-of-caller.ts';
import type { ReconPlatform } from './recon-platform.ts';

/**
 * One side of a mapping, as a reconciliation lists it. A listing is all of it or nothing: what fails on its way fails as a whole, and
 * begins anew.
 */
export interface Side {
  /** Its ids, once they are staged. */
  readonly listing: Listing;
  /** Sees to it that all of them are in the database: where they are there already, nothing is copied. */
  stage(context: WriteContext): Promise<void>;
}

interface SideOptions {
  readonly run: string;
  readonly side: 'source' | 'target';
  /** A path, such as `managed/user`. */
  readonly collection: string;
  /** Parameters of a query; undefined: all there is. */
  readonly query: JsonObject | undefined;
  /** The ids, where only these objects are asked for. */
  readonly ids?: readonly string[] | undefined;
  /** Whether the query is that of whoever has asked for the run, and is asked with their rights. */
  readonly isOwn?: boolean;
  /** Whether prints of what objects show are staged with their ids. */
  readonly withPrints?: boolean;
}

const PAGE_SIZE = 1_000;

/** A type of managed objects is a table; everything else is asked for, page by page. */
export function sideOf(platform: Pick<ReconPlatform, 'resources'>, options: SideOptions): Side {
  const path = parsePath(options.collection);
  if (options.query === undefined && options.ids === undefined && path[0] === 'managed') {
    return { listing: managedListing(lastOf(path)), stage: async () => {} };
  }
  const { run, side, ids } = options;
  return {
    listing: stagedListing(run, side),
    stage: async (context) =>
      ids === undefined
        ? stageQueried(platform, context, options)
        : stageObjects(
            await context.unitOfWork.db(),
            run,
            side,
            ids.map((id) => ({ id, print: null })),
          ),
  };
}

async function stageQueried(
  { resources }: Pick<ReconPlatform, 'resources'>,
  context: WriteContext,
  { run, side, collection, query = { _queryFilter: 'true' }, isOwn = false, withPrints = false }: SideOptions,
): Promise<void> {
  const fields = withPrints ? [['*'], ['_rev']] : [['_id']];
  const request = { ...queryOf(collection, query), fields };
  let cookie: string | null = null;
  do {
    const at = cookie === null ? {} : { cookie };
    const paging = { ...NO_PAGING, pageSize: PAGE_SIZE, ...at };
    const page = await resources.handle(isOwn ? asCaller(context) : nestedContext(context), {
      ...request,
      paging,
    });
    if (page.kind !== 'query') throw new InternalServerError(`'${collection}' has answered no list`);
    const objects = page.result.flatMap(({ id, revision }) =>
      id === null ? [] : { id, print: withPrints ? revision : null },
    );
    await stageObjects(await context.unitOfWork.db(), run, side, objects);
    cookie = page.pagedResultsCookie;
  } while (cookie !== null);
}

/** Whether it asks for nothing but all. */
export function asksForAll({ _queryId, queryId, ...others }: JsonObject): boolean {
  const id = _queryId ?? queryId;
  const named = Object.keys(others).filter((name) => name !== 'resourceName');
  return (id === 'query-all-ids' || id === 'query-all') && named.length === 0;
}
