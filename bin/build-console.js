/**
 * Builds the web console into dist/console, from where nodes serve it. Each build is a folder of its own, named by a hash of
 * all that it was made of, and current.json names the one that counts: a node finds the files of a build by that list alone,
 * and a page that is open goes on with the files of its own build.
 *
 *   node bin/build-console.js     builds where that is needed; the bootstrap does beside a start, and the image is built with it
 *
 * Plain JavaScript, because the bootstrap asks too.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { forgetOld, hashOf, replaceJson, root } from './builds.js';

const home = join(root, 'dist', 'console');
const currentFile = join(home, 'current.json');
/** Holds the process that builds. */
const buildingFile = join(home, 'building');
const failedFile = join(home, 'failed.txt');
const KEPT = 3;

/** Text below this size is not worth a second form. */
const LEAST_COMPRESSED = 512;

/** Whether there is a build of just these sources. */
export function hasConsole() {
  try {
    return JSON.parse(readFileSync(currentFile, 'utf8')).hash === hashOf(sources());
  } catch {
    return false;
  }
}

/** Whether the packages that make it are there, which a production installation leaves out, and so is what it is made of. */
export function canBuildConsole() {
  return existsSync(join(root, 'node_modules', 'vite', 'package.json')) && existsSync(join(root, 'console'));
}

/** Builds unless there is one of just these sources; whoever builds already is waited for. */
export async function buildConsole() {
  mkdirSync(home, { recursive: true });
  for (;;) {
    if (hasConsole()) return;
    if (takeTurn()) break;
    await delay(200);
  }
  try {
    if (!hasConsole()) await write();
    rmSync(failedFile, { force: true });
  } catch (error) {
    writeFileSync(failedFile, String(error?.stack ?? error));
    throw error;
  } finally {
    rmSync(buildingFile, { force: true });
  }
}

function takeTurn() {
  try {
    writeFileSync(buildingFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isAlive(buildingFile)) rmSync(buildingFile, { force: true });
    return false;
  }
}

function isAlive(file) {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

async function write() {
  const hash = hashOf(sources());
  const draft = join(home, `.draft-${randomUUID()}`);
  const { NODE_ENV } = process.env;
  // What a test runner says here would make it of the development forms of its libraries, which are far larger.
  process.env.NODE_ENV = 'production';
  try {
    const { build } = await import('vite');
    await build({
      root: join(root, 'console'),
      configFile: join(root, 'console', 'vite.config.ts'),
      configLoader: 'native',
      mode: 'production',
      logLevel: 'warn',
      build: { outDir: draft, emptyOutDir: true },
    });
    const files = await Promise.all(filesIn(draft).map((name) => describe(draft, name)));
    rmSync(join(home, hash), { recursive: true, force: true });
    renameSync(draft, join(home, hash));
    replaceJson(currentFile, { hash, files }, `${draft}.json`);
    const builds = readdirSync(home).filter((name) => /^[\da-f]{32}$/.test(name));
    forgetOld(home, builds, KEPT);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What a node has to know of a file; what browsers take in a shorter form has it beside it. */
async function describe(folder, name) {
  const content = readFileSync(join(folder, name));
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  const encodings = [];
  if (content.length >= LEAST_COMPRESSED && name !== 'index.html') {
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    writeFileSync(join(folder, `${name}.br`), await promisify(brotliCompress)(content, quality));
    writeFileSync(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    encodings.push('br', 'gz');
  }
  return { name, tag, encodings };
}

function sources() {
  const ofConsole = filesIn(join(root, 'console')).map((name) => `console/${name}`);
  const ofClient = filesIn(join(root, 'src', 'client')).map((name) => `src/client/${name}`);
  return [...ofConsole, ...ofClient, 'bin/build-console.js', 'bin/builds.js', 'package-lock.json'].filter(
    (name) => !name.includes('/test/') && !name.endsWith('.test.ts'),
  );
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
