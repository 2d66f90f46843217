import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject } from '#json/index.ts';
import { ForeignSourceError } from '../repository/foreign-source-error.ts';
import type { ImportSource } from '../repository/import-source.ts';
import type { GivenHouse, HouseOptions } from './given-house.ts';
import { type HouseObject, objectStep, uuidOf, valueFor } from './house-rows.ts';

const ID = '_id';

/**
 * A file of CSV, whose first row has the names of properties. `_id` is the id; without it the first column is what makes an object
 * the same one the next time.
 */
export async function csvSource(
  { place, type: name = 'user' }: GivenHouse,
  { types }: Pick<HouseOptions, 'types'>,
): Promise<ImportSource> {
  const type = types.current().get(name);
  if (type === undefined)
    throw new ForeignSourceError(`conf/managed.json has no type '${name}'; --type names one`);
  const text = await readFile(place, 'utf8').catch((error: Error) => {
    throw new ForeignSourceError(`${place} cannot be read: ${error.message}`, { cause: error });
  });
  const [header = [], ...rows] = rowsOf(text.replace(/^\uFEFF/, ''));
  const unfit = header.filter((column) => column !== ID && valueFor(type, column, ['']) === undefined);
  const at = Math.max(0, header.indexOf(ID));
  const objects = rows.map((row, number): HouseObject => {
    if (row.length !== header.length) {
      throw new ForeignSourceError(
        `row ${number + 2} of ${place} has ${row.length} cells, and the first one ${header.length}`,
      );
    }
    const content: JsonObject = {};
    for (const [column, cell] of row.entries()) {
      const property = header[column] ?? '';
      const value = cell === '' || property === ID ? undefined : valueFor(type, property, [cell]);
      if (value !== undefined) content[property] = value;
    }
    const key = row[at] ?? '';
    return { id: header[at] === ID ? key : uuidOf([name, header[at] ?? '', key]), content, notes: [] };
  });
  if (new Set(objects.map(({ id }) => id)).size < objects.length || objects.some(({ id }) => id === '')) {
    throw new ForeignSourceError(`two rows of ${place} have the same '${header[at]}', or one has none`);
  }
  const reason = `Properties that can be written have no such name; secrets do not come in plain`;
  return {
    place: resolve(place),
    listSteps: async () => [objectStep(types, name, objects)],
    listLeft: async () =>
      unfit.map((column) => ({ about: `column ${column}`, id: null, count: 1, reason, isLeft: true })),
  };
}

/** Rows of cells, which may stand in double quotes (RFC 4180). The delimiter is a comma, or a semicolon where the first row has no comma. */
export function rowsOf(text: string): string[][] {
  const delimiter = /^[^\n,]*;/.test(text) ? ';' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    if (row.length > 0 || cell !== '') rows.push([...row, cell]);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[at++];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  if (isQuoted) throw new ForeignSourceError('a cell begins with a quote that nothing ends');
  endRow();
  return rows;
}
