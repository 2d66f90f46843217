import {
  ACCOUNT,
  type AttributeDelta,
  type Attributes,
  type Capabilities,
  type ConfigurationOf,
  type ConfigurationProperties,
  type Connector,
  ConnectorError,
  type ConnectorKind,
  type Entry,
  NAME,
  type ObjectClass,
  PASSWORD,
  type Page,
  type ReadRequest,
  type Scalar,
  type SearchQuery,
  Secret,
  UID,
  type WriteRequest,
  type WriteResult,
} from '../../contract.ts';
import { CsvFile, type Row } from './csv-file.ts';
import { KeptRows } from './kept-rows.ts';
import { encodingNamed } from './text-encoding.ts';

const PROPERTIES = {
  csvFile: {
    type: 'text',
    isRequired: true,
    does: 'The file, in the folder data of the project; with a * the newest of several',
  },
  headerUid: { type: 'text', default: 'uid', does: 'The column that says who a row is' },
  headerName: { type: 'text', does: 'The column with the name; the same if there is none' },
  headerPassword: { type: 'text', does: 'The column with the password' },
  quoteCharacter: { type: 'text', default: '"', does: 'What stands around a cell' },
  fieldDelimiter: { type: 'text', default: ',', does: 'What stands between cells' },
  newlineString: { type: 'text', default: '\n', does: 'What ends a row that is written' },
  multivalueDelimiter: { type: 'text', does: 'What stands between values of one cell' },
  encoding: {
    type: 'text',
    default: 'utf-8',
    does: 'utf-8, utf-16le or iso-8859-1; a mark in the file counts more',
  },
} as const satisfies ConfigurationProperties;

type Configuration = ConfigurationOf<typeof PROPERTIES>;

/** Rows of a file. */
export const csvKind: ConnectorKind<typeof PROPERTIES> = {
  id: 'csv',
  displayName: 'CSV file',
  names: [
    'org.forgerock.openicf.csvfile.CSVFileConnector',
    'org.forgerock.openicf.connectors.csv.CSVFileConnector',
  ],
  findsByIds: true,
  properties: PROPERTIES,
  ignored: ['syncFileRetentionCount', 'spaceReplacementString', 'filePath', 'connectorMessages'],
  check({ encoding, fieldDelimiter, quoteCharacter }) {
    return [
      ...(encodingNamed(encoding) === undefined
        ? [{ property: 'encoding', message: `'${encoding}' is no encoding that can be written back` }]
        : []),
      ...(fieldDelimiter === quoteCharacter
        ? [
            {
              property: 'fieldDelimiter',
              message: `'${fieldDelimiter}' cannot be delimiter and quote at once`,
            },
          ]
        : []),
    ];
  },
  open: (configuration, host) => new CsvConnector(configuration, host.resolveFile(configuration.csvFile)),
};

/** Where in a row what stands. */
interface Columns {
  readonly names: Row;
  readonly uid: number;
  readonly name: number;
}

class CsvConnector implements Connector {
  readonly capabilities: Capabilities;
  readonly #configuration: Configuration;
  readonly #file: CsvFile;
  readonly #kept: KeptRows<{ readonly columns: Columns; readonly row: Row }>;

  constructor(configuration: Configuration, path: string) {
    const { fieldDelimiter, quoteCharacter, newlineString, encoding } = configuration;
    this.#configuration = configuration;
    this.#file = new CsvFile(path, {
      delimiter: fieldDelimiter,
      quote: quoteCharacter,
      newline: newlineString,
      encoding: encodingNamed(encoding) ?? 'utf-8',
    });
    this.#kept = new KeptRows(this.#file);
    const canWrite = !this.#file.isPattern;
    this.capabilities = {
      create: canWrite,
      update: canWrite,
      delete: canWrite,
      filter: [],
      stableListing: true,
      changes: 'compared',
      maxConcurrency: 10,
    };
  }

  async test(signal: AbortSignal): Promise<void> {
    this.#columnsOf(await this.#file.header(signal));
  }

  async schema(signal: AbortSignal): Promise<readonly ObjectClass[]> {
    const { names, uid } = this.#columnsOf(await this.#file.header(signal));
    const { headerPassword, multivalueDelimiter } = this.#configuration;
    const isMultiValued = multivalueDelimiter !== undefined;
    const attributes = names.map((name, at) => {
      if (name === headerPassword) return { name: PASSWORD, type: 'secret' as const };
      if (at === uid) return { name, type: 'string' as const, isRequired: true };
      return { name, type: 'string' as const, isMultiValued };
    });
    return [{ name: ACCOUNT, attributes }];
  }

  async get(_type: string, id: string, request: ReadRequest): Promise<Entry | undefined> {
    const found = await this.#kept.find(id, () => this.#rows(request.signal));
    return found && this.#entryOf(found.columns, found.row);
  }

  async *search(
    _type: string,
    { filter, pageSize }: SearchQuery,
    request: ReadRequest,
  ): AsyncGenerator<Page> {
    const isSuperset = filter !== undefined;
    let entries: Entry[] = [];
    for await (const { columns, row } of this.#rows(request.signal)) {
      entries.push(this.#entryOf(columns, row));
      if (entries.length < pageSize) continue;
      yield { entries, isSuperset };
      entries = [];
    }
    if (entries.length > 0) yield { entries, isSuperset };
  }

  async create(_type: string, attributes: Attributes, { signal }: WriteRequest): Promise<WriteResult> {
    let id = '';
    await this.#rewrite(signal, (columns) => {
      const made = columns.names.map(() => '');
      for (const [name, values] of attributes) this.#set(columns, made, name, values);
      id = made[columns.uid] || (made[columns.name] ?? '');
      made[columns.uid] = id;
      if (id === '') throw missing(columns);
      return {
        replace: (row) => {
          if (row[columns.uid] === id)
            throw new ConnectorError('alreadyExists', `There is a row '${id}' already`, { existingId: id });
          return row;
        },
        append: () => [made],
      };
    });
    return { id };
  }

  async update(
    _type: string,
    id: string,
    deltas: readonly AttributeDelta[],
    { signal }: WriteRequest,
  ): Promise<WriteResult> {
    let now = id;
    await this.#rewrite(signal, (columns) => {
      let isFound = false;
      const seen = new Set<string>();
      return {
        replace: (row) => {
          if (row[columns.uid] !== id) {
            seen.add(row[columns.uid] ?? '');
            return row;
          }
          isFound = true;
          const changed = [...row];
          for (const delta of deltas) this.#apply(columns, changed, delta);
          now = changed[columns.uid] ?? '';
          if (now === '') throw missing(columns);
          return changed;
        },
        append: () => {
          if (!isFound) throw new ConnectorError('notFound', `There is no row '${id}'`);
          if (seen.has(now)) throw new ConnectorError('alreadyExists', `There is a row '${now}' already`);
          return [];
        },
      };
    });
    return { id: now };
  }

  async delete(_type: string, id: string, { signal }: WriteRequest): Promise<void> {
    await this.#rewrite(signal, (columns) => ({
      replace: (row) => (row[columns.uid] === id ? undefined : row),
      append: () => [],
    }));
  }

  async authenticate(_type: string, name: string, password: Secret, signal: AbortSignal): Promise<string> {
    const { headerPassword } = this.#configuration;
    if (headerPassword === undefined) throw new ConnectorError('notSupported', 'No column holds passwords');
    for await (const { columns, row } of this.#rows(signal)) {
      const isNamed = row[columns.name] === name || row[columns.uid] === name;
      if (isNamed && row[columns.names.indexOf(headerPassword)] === password.reveal())
        return row[columns.uid] ?? '';
    }
    throw new ConnectorError('invalidCredentials', 'The name or the password is wrong');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kept.forget();
  }

  /** @throws ConnectorError `protocol` for two rows of one id: which of them is meant nobody knows */
  async *#rows(
    signal: AbortSignal,
    rows: AsyncIterable<Row> = this.#file.rows(signal),
  ): AsyncGenerator<{ readonly columns: Columns; readonly row: Row }> {
    let columns: Columns | undefined;
    const seen = new Set<string>();
    for await (const row of rows) {
      if (columns === undefined) {
        columns = this.#columnsOf(row);
        continue;
      }
      const id = row[columns.uid] ?? '';
      if (id === '')
        throw new ConnectorError('protocol', `Row ${seen.size + 1} has no ${columns.names[columns.uid]}`);
      if (seen.has(id)) throw new ConnectorError('protocol', `Two rows are '${id}'`);
      seen.add(id);
      yield { columns, row };
    }
    if (columns === undefined) throw new ConnectorError('misconfigured', 'The file has no header');
  }

  #rewrite(
    signal: AbortSignal,
    begin: (columns: Columns) => {
      /** @returns undefined for a row that goes */
      readonly replace: (row: Row) => Row | undefined;
      readonly append: () => readonly Row[];
    },
  ): Promise<void> {
    const changed = async function* (this: CsvConnector, all: AsyncIterable<Row>): AsyncGenerator<Row> {
      const columns = this.#columnsOf(await this.#file.header(signal));
      const work = begin(columns);
      yield columns.names;
      for await (const { row } of this.#rows(signal, all)) {
        const next = work.replace(row);
        if (next !== undefined) yield next;
      }
      yield* work.append();
    };
    return this.#file.rewrite(changed.bind(this), signal);
  }

  /** @throws ConnectorError `misconfigured` */
  #columnsOf(names: Row): Columns {
    const { headerUid, headerName = headerUid, headerPassword = headerUid } = this.#configuration;
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new ConnectorError('misconfigured', `Two columns are called '${twice}'`);
    for (const name of [headerUid, headerName, headerPassword]) {
      if (names.includes(name)) continue;
      throw new ConnectorError(
        'misconfigured',
        `There is no column '${name}'; there are ${names.join(', ')}`,
      );
    }
    return { names, uid: names.indexOf(headerUid), name: names.indexOf(headerName) };
  }

  #entryOf({ names, uid, name }: Columns, row: Row): Entry {
    const { headerPassword } = this.#configuration;
    const attributes = new Map<string, readonly Scalar[]>();
    for (const [at, column] of names.entries()) {
      const values = this.#split(row[at] ?? '');
      if (values.length > 0 && column !== headerPassword) attributes.set(column, values);
    }
    return { id: row[uid] ?? '', name: row[name] ?? '', attributes };
  }

  #apply(columns: Columns, row: string[], delta: AttributeDelta): void {
    if ('replace' in delta) {
      this.#set(columns, row, delta.name, delta.replace);
      return;
    }
    const gone = new Set(delta.remove.map(textOf));
    const values = this.#split(row[this.#columnOf(columns, delta.name)] ?? '').filter(
      (one) => !gone.has(one),
    );
    this.#set(columns, row, delta.name, [...new Set([...values, ...delta.add.map(textOf)])]);
  }

  #set(columns: Columns, row: string[], attribute: string, values: readonly Scalar[]): void {
    const at = this.#columnOf(columns, attribute);
    const { multivalueDelimiter } = this.#configuration;
    if (values.length > 1 && multivalueDelimiter === undefined) {
      throw new ConnectorError('invalid', `'${attribute}' takes one value: no multivalueDelimiter is set`, {
        attribute,
      });
    }
    const texts = values.map(textOf);
    const split = texts.find(
      (text) => multivalueDelimiter !== undefined && text.includes(multivalueDelimiter),
    );
    if (split !== undefined && attribute !== PASSWORD) {
      throw new ConnectorError('invalid', `'${split}' holds the multivalueDelimiter`, { attribute });
    }
    row[at] = texts.join(multivalueDelimiter ?? '');
  }

  #columnOf({ names, uid, name }: Columns, attribute: string): number {
    if (attribute === UID) return uid;
    if (attribute === NAME) return name;
    const { headerPassword = '' } = this.#configuration;
    const at = names.indexOf(attribute === PASSWORD ? headerPassword : attribute);
    if (at >= 0) return at;
    throw new ConnectorError('misconfigured', `There is no column '${attribute}'`, { attribute });
  }

  #split(cell: string): readonly string[] {
    if (cell === '') return [];
    const { multivalueDelimiter } = this.#configuration;
    return multivalueDelimiter === undefined
      ? [cell]
      : cell.split(multivalueDelimiter).filter((one) => one !== '');
  }
}

function textOf(value: Scalar): string {
  if (value instanceof Secret) return value.reveal();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
}

function missing({ names, uid }: Columns): ConnectorError {
  const attribute = names[uid] ?? '';
  return new ConnectorError('invalid', `A row needs '${attribute}'`, { attribute });
}
