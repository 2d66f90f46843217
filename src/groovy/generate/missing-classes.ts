import type { GroovySyntaxError } from '../groovy-syntax-error.ts';
import type { SourceText } from '../syntax/source-text.ts';

/** What a script may be told about itself although it compiles. */
export interface GroovyWarning {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What to write instead of classes that scripts of the field reach for. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [
    /^groovyx\.net|^org\.apache\.http|^java\.net\.http|^okhttp|^wslite|\b(?:RESTClient|HTTPBuilder|\w*URLConnection|URL|URI|HttpClient\w*|CloseableHttp\w*|Http(?:Get|Post|Put|Patch|Delete)|Unirest|ContentType)$/,
    'Scripts open no connections; another server is asked by an http task of a process, or by svc.action on a resource that calls out.',
  ],
  [
    /^groovy\.sql|^javax?\.sql|^oracle|\b(?:Sql|DataSource|Connection|ResultSet|DriverManager|\w*Statement)$/,
    'Scripts open no databases; svc.query and svc.read find what stands under managed/ and repo/.',
  ],
  [
    /^java\.nio\.file|\b(?:File|Files|Paths?|File(?:Reader|Writer|\w*Stream)|RandomAccessFile|CSVReader|CSVParser)$/,
    'Scripts have no files; data stands in resources, and values of a configuration in `properties` of script.json.',
  ],
  [/^org\.identityconnectors|^org\.forgerock\.openicf/, 'Connectors and their scripts do not run here.'],
  [
    /^java\.util\.concurrent|^groovyx\.gpars|\b(?:Thread\w*|Executors?|ExecutorService|GParsPool)$/,
    'Scripts have one thread; work that goes on by itself is a schedule.',
  ],
  [
    /^javax?\.(?:naming)|^com\.unboundid|^org\.forgerock\.opendj/,
    'Directories cannot be asked from a script.',
  ],
  [/^(?:javax|jakarta)\.mail|\b(?:MimeMessage|SimpleEmail)$/, 'Mail is sent by a mail task of a process.'],
  [/^java\.lang\.reflect/, 'There is no reflection here.'],
];
const OTHERWISE = 'There is no Java virtual machine here; the documentation lists the classes that exist.';

interface Missing {
  readonly name: string;
  readonly at: number;
}

/** The classes that a script names and nobody has: all of them are told at once, and imports only when they are used. */
export class MissingClasses {
  readonly #source: SourceText;
  /** Missing classes that are imported, by the names that the script has for them. */
  readonly #imported = new Map<string, Missing>();
  readonly #unusedPackages: Missing[] = [];
  readonly #used = new Set<string>();
  readonly problems: GroovySyntaxError[] = [];

  constructor(source: SourceText) {
    this.#source = source;
  }

  addImport(simple: string, name: string, at: number): void {
    this.#imported.set(simple, { name, at });
  }

  addPackage(name: string, at: number): void {
    this.#unusedPackages.push({ name: `${name}.*`, at });
  }

  /** Whether it is the name of an import that names nothing. */
  isImported(name: string): boolean {
    return this.#imported.has(name);
  }

  /** The script needs the class. */
  report(name: string, at: number): void {
    const [first = '', ...rest] = name.split('.');
    const imported = this.#imported.get(first);
    const full = imported === undefined ? name : [imported.name, ...rest].join('.');
    if (this.#used.has(full)) return;
    this.#used.add(full);
    const place = imported === undefined || rest.length > 0 ? at : imported.at;
    this.problems.push(this.#source.errorAt(place, `unable to resolve class ${full}`, insteadOf(full)));
  }

  get warnings(): readonly GroovyWarning[] {
    const unused = [...this.#imported.values(), ...this.#unusedPackages].filter(
      ({ name }) => !this.#used.has(name),
    );
    return unused.map(({ name, at }) => ({
      message: `The import ${name} names nothing that exists here, and nothing of the script uses it`,
      ...this.#source.positionAt(at),
    }));
  }
}

function insteadOf(name: string): string {
  return INSTEAD.find(([pattern]) => pattern.test(name))?.[1] ?? OTHERWISE;
}
