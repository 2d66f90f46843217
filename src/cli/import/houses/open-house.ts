import { getTimeZone } from '#time/index.ts';
import { hasProcesses } from '../processes/act-tables-repository.ts';
import { openForeignDatabase } from '../repository/foreign-database-repository.ts';
import { ForeignSourceError } from '../repository/foreign-source-error.ts';
import type { ImportSource } from '../repository/import-source.ts';
import { repositorySource } from '../repository/import-steps.ts';
import { csvSource } from './csv-source.ts';
import type { GivenHouse, HouseOptions } from './given-house.ts';
import { keycloakSource } from './keycloak-source.ts';
import { ldifSource } from './ldif-source.ts';
import { openRest } from './rest-source.ts';

/**
 * Opens what the place is: a database or the REST interface of a server of the family, a realm that Keycloak has exported, or
 * a file of LDIF or CSV.
 *
 * @throws ForeignSourceError where that cannot be read
 */
export async function openHouse(
  given: GivenHouse,
  options: HouseOptions,
): Promise<ImportSource & AsyncDisposable> {
  const { place, password, schema, zone = 'UTC', audit } = given;
  if (/^https?:\/\//.test(place)) return openRest(given, options);
  if (/^(?:jdbc:|[a-z]+:\/\/)/i.test(place)) {
    const database = await openForeignDatabase(place, password, schema);
    if (!database.tables.has('objecttypes') && !hasProcesses(database)) {
      await database[Symbol.asyncDispose]();
      throw new ForeignSourceError(
        `there is no table 'objecttypes', and no 'act_ru_execution', in ${database.place}: is it the database of the other server, and --schema right?`,
      );
    }
    const end = () => database[Symbol.asyncDispose]();
    return {
      ...repositorySource({
        ...options,
        source: database,
        zone: getTimeZone(zone),
        since: audit === 'all' ? '' : audit,
      }),
      [Symbol.asyncDispose]: end,
    };
  }
  const read = /\.ldif$/i.test(place) ? ldifSource : /\.csv$/i.test(place) ? csvSource : keycloakSource;
  return { ...(await read(given, options)), [Symbol.asyncDispose]: async () => {} };
}
