/**
 * The object store: JSON objects in jsonb, query filters and sort keys as SQL, and `/repo`.
 *
 * Words: a *store* is one collection of objects, a *page* is what one query answers. Invariants: values are bind
 * parameters, never SQL text; SQL and memory answer alike; every page costs the same.
 */
export { compileQueries } from './configured-queries.ts';
export { countObjects } from './count-repository.ts';
export {
  type ClientResource,
  findByExternalId,
  findExternalId,
  hasPendingName,
  setExternalId,
} from './external-id-repository.ts';
export { filterSql, hasSameText } from './filter-sql.ts';
export {
  instantColumn,
  objectTable,
  type QueryColumn,
  type QueryTable,
  textColumn,
  uuidColumn,
} from './filter-sql-table.ts';
export { IndexKeeper } from './index-keeper.ts';
export { internalObjects } from './internal-objects.ts';
export { monthKeeper } from './month-keeper.ts';
export {
  changeObject,
  createObject,
  deletingObject,
  findObject,
  findOwn,
  hasPending,
  insertObject,
  mayBePending,
} from './object-repository.ts';
export { type ObjectStore, objectStore, type StoredObject, storeAt, timesOf } from './object-store.ts';
export { pageResult, pageTotals } from './page-result.ts';
export { findByPrefix } from './prefix-repository.ts';
export { propertyIndexes } from './property-index-repository.ts';
export { queryObjects } from './query-objects.ts';
export { queryTable, type TablePage } from './query-table.ts';
export { repoResource } from './repo-resource.ts';
export { requireNoSecrets, sealObject } from './seal-object.ts';
export { isIndexed, wantedIndexes } from './wanted-indexes.ts';
