/**
 * Makes a package of the client, for programs of others: JavaScript, types and nothing to install with it.
 *
 *   node bin/pack-client.js [folder]     writes svc-identity-client-<version>.tgz there; default: this folder
 *
 * Plain JavaScript, as all of bin/.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, 'src', 'client');

/**
 * @param {string} folder where the package is put
 * @returns {string} the file
 */
export function packClient(folder) {
  const draft = mkdtempSync(join(tmpdir(), 'svc-client-'));
  try {
    compile(draft);
    writeFileSync(join(draft, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
    writeFileSync(join(draft, 'README.md'), readme());
    copyFileSync(join(root, 'LICENSE'), join(draft, 'LICENSE'));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(folder)];
    const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: draft, encoding: 'utf8' }));
    return join(resolve(folder), filename);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function compile(outDir) {
  const files = readdirSync(sources).map((file) => join(sources, file));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    strict: true,
    skipDefaultLibCheck: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    rootDir: sources,
    outDir,
  });
  const { diagnostics } = program.emit();
  const mistakes = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: 'svc-identity-client',
    version,
    description: 'Asks the identity management service svc, from Node and browsers',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    files: ['*.js', '*.d.ts'],
  };
}

/** What docs/client.md says of the client, without what is about the folder of the service. */
function readme() {
  const page = readFileSync(join(root, 'docs', 'client.md'), 'utf8');
  const section = page.slice(page.indexOf('```ts'), page.indexOf('## From the shell'));
  const text = section
    .replaceAll('./src/client/index.ts', 'svc-identity-client')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return `# svc-identity-client\n\nAsks the identity management service svc, from Node and browsers. It has no dependencies.\n\n${text.trim()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(packClient(process.argv[2] ?? '.'));
