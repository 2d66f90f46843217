/**
 * The bundle: what a node runs instead of the thousand modules that it is made of, which takes a fifth of the time to load.
 * It says what the sources say or it is not used: it carries a hash of all that it was made of, and whoever runs it has
 * compared that with the files as they are now. Where there is none that fits, the sources run.
 *
 *   node bin/bundle.js             makes it anew where that is needed; the bootstrap does, and the image is built with it
 *   node bin/bundle.js package     makes the one that goes into the package of npm
 *
 * Plain JavaScript, because the bootstrap asks too.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { forgetOld, hashOf, isPackage, replaceJson, root } from './builds.js';

const isProgram = process.argv[1] === fileURLToPath(import.meta.url);
const isPacking = isProgram && process.argv[2] === 'package';

const modules = join(root, 'node_modules');
const home = isPackage || isPacking ? join(root, 'dist', 'bundle') : join(modules, '.cache', 'svc-bundle');
const currentFile = join(home, 'current.json');
/** Nodes that are running still load parts of theirs, such as the code of one more script thread. */
const KEPT = isPacking ? 1 : 4;

const ENTRIES = {
  'command-line': 'src/cli/index.ts',
  node: 'src/app.ts',
  'script-thread': 'workers/script-application.ts',
  'http-thread': 'workers/http-application.ts',
};

/** Groovy is loaded module by module for the scripts that need it, and sandboxes get it as text. */
const OWN_EXTERNAL = /^#groovy\//;
/**
 * Native code and what is looked up at run time stay packages; so does the driver, because what a test puts into it has to
 * reach the node.
 */
const EXTERNAL = /^(node:|pg($|\/)|pg-native$|pino-pretty$|@resvg\/)/;

/** @returns {URL | undefined} the folder of the bundle of just these sources, with a slash at its end */
export function findBundle() {
  try {
    const { hash, files } = JSON.parse(readFileSync(currentFile, 'utf8'));
    if (hashOf(files) !== hash) return undefined;
    const folder = join(home, hash);
    return existsSync(folder) ? pathToFileURL(folder + sep) : undefined;
  } catch {
    // None was made, or a file that it was made of is gone.
    return undefined;
  }
}

/** Whether the packages that make it are there, which a production installation leaves out. */
export function canBundle() {
  return existsSync(join(modules, 'rolldown', 'package.json'));
}

async function writeBundle() {
  const sources = ['src', 'workers'].flatMap(sourcesIn);
  const before = hashOf(sources);
  const draft = join(home, `.draft-${randomUUID()}`);
  try {
    const packages = await build(draft);
    // What was edited meanwhile may be in it or not.
    if (hashOf(sources) !== before) return;
    const own = ['bin/builds.js', 'bin/bundle.js', 'package.json', ...sources];
    // Where a package is installed, those that it was made with are not there, or elsewhere.
    const files = isPacking ? own : [...own, ...packages];
    const hash = hashOf(files);
    const folder = join(home, hash);
    try {
      renameSync(draft, folder);
    } catch (error) {
      // Somebody else has made the same.
      if (!existsSync(folder)) throw error;
    }
    utimesSync(folder, new Date(), new Date());
    replaceJson(currentFile, { hash, files }, `${draft}.json`);
    const folders = readdirSync(home).filter((name) => name !== 'current.json');
    forgetOld(home, folders, KEPT);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @returns {Promise<string[]>} what says the versions of the packages that went into it */
async function build(folder) {
  const { rolldown } = await import('rolldown');
  const places = { filter: { id: /\.ts$/, code: /import\.meta/ }, handler: keepPlace };
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: ENTRIES,
    logLevel: 'warn',
    external: EXTERNAL,
    plugins: [{ name: 'outside', resolveId: stayOutside, transform: places }],
  });
  mkdirSync(home, { recursive: true });
  await bundle.write({
    dir: folder,
    chunkFileNames: '[name].js',
    comments: false,
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
  });
  for (const name of readdirSync(folder)) if (name.endsWith('.js')) narrow(join(folder, name));
  const files = await bundle.watchFiles;
  await bundle.close();
  const packages = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll(sep, '/')) ?? [],
  );
  return [...new Set(packages)].sort().map((path) => relative(root, join(path, 'package.json')));
}

/** One character above U+00FF doubles what the text of a whole file takes, in each thread. */
function narrow(file) {
  const wide = /[^\0-\xff]/g;
  const text = readFileSync(file, 'utf8');
  if (!wide.test(text)) return;
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, text.replace(wide, escaped));
}

function stayOutside(id) {
  if (!OWN_EXTERNAL.test(id)) return undefined;
  return { id: `${fromBundle('src')}/${id.slice(1)}`, external: true };
}

/** Files that lie beside a module are read from there. */
function keepPlace(code, id) {
  const place = fromBundle(relative(root, id));
  return {
    code: code
      .replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(place)}')`),
    map: null,
  };
}

/** The way from a file of the bundle to one of ours. */
function fromBundle(path) {
  return join(relative(join(home, 'any'), root), path).replaceAll(sep, '/');
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path).replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.ts') && !path.startsWith('src/groovy/'))
    .sort();
}

// What is packed may have been made with other packages.
if (isProgram && (isPacking || findBundle() === undefined)) await writeBundle();
