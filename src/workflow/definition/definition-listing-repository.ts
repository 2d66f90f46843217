import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { QueryRequest } from '#resource/index.ts';
import { type Listing, type ListPage, listPage, textIs, textLike } from '../query/list-repository.ts';
import { readInteger } from '../query/parameter.ts';
import type { QueryKind } from '../query/query-kind.ts';
import type { DefinitionRow } from './definition-repository.ts';

const column = (name: string): RawBuilder<unknown> => sql.ref(`d.${name}`);
/** Names of plain files had a prefix in the engines that clients were written for. */
const resourceName = (value: string) => value.replace(/^OSGI-INF\/(?:flowable|activiti)\//, '');

const LISTING: Listing = {
  select: sql`d.*`,
  from: sql`workflow_definition d`,
  base: [],
  filters: {
    _id: textIs(column('id')),
    key: textIs(column('key')),
    keyLike: textLike(column('key')),
    name: textIs(column('name')),
    nameLike: textLike(column('name')),
    category: textIs(column('category')),
    categoryLike: textLike(column('category')),
    deploymentId: (value) =>
      /^\d{1,18}$/.test(value) ? sql`d.deployment_id = ${value}::bigint` : sql`false`,
    processDefinitionResourceName: (value) => sql`d.resource_name = ${resourceName(value)}`,
    processDefinitionResourceNameLike: (value) => textLike(column('resource_name'))(resourceName(value)),
    version: (value) => sql`d.version = ${readInteger('version', value)}`,
  },
  // Sort keys are ignored here.
  sorts: {},
  id: sql`d.key, d.version`,
};

export async function listDefinitions(
  db: Db,
  request: QueryRequest,
  kind: QueryKind,
): Promise<ListPage<DefinitionRow>> {
  return listPage(db, { ...request, sortKeys: [] }, kind, LISTING);
}
