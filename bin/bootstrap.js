/**
 * The first step of every npm script: installs the packages when they are absent or out of date, then hands
 * over to the Node version that is one of them. Plain JavaScript without packages, for Node 20 and later.
 * That Node is an ordinary package for each platform, so npm compares it with the lock file like any other.
 *
 *   bootstrap.js svc <arguments>      the service's command line
 *   bootstrap.js vitest <arguments>   the tests
 *   bootstrap.js check [static]       everything that must hold before a commit; static: all but the tests
 *   bootstrap.js bench <arguments>    benchmarks
 *   bootstrap.js node <file> …        any file
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { canBuildConsole, hasConsole } from './build-console.js';
import { isPackage, root } from './builds.js';
import { canBundle, findBundle } from './bundle.js';

const modules = isPackage ? dirname(root) : join(root, 'node_modules');
const packagedNode = join(modules, '.bin', 'node');
const lockFile = join(root, 'package-lock.json');
const stampFile = join(modules, '.svc-installed');
// Beside node_modules, because npm ci begins with deleting that folder.
const installing = join(root, '.svc-installing');

const STALE_AFTER_MS = 10_000;

/** Where there is no package of Node for the platform, the machine's own has to be this new. */
const OLDEST_OWN_NODE = 24;

const CHECKS = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', '.'],
  ['types of the console', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console'],
  [
    'directions',
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config',
    '.dependency-cruiser.js',
    'src',
    'workers',
    'test',
    'console',
  ],
  ['tests', 'node_modules/vitest/vitest.mjs', 'run'],
];

const BUNDLER = join(root, 'bin', 'bundle.js');
const CONSOLE_BUILDER = join(root, 'bin', 'build-console.js');

const PROGRAMS = {
  svc: 'src/main.ts',
  vitest: 'node_modules/vitest/vitest.mjs',
  bench: 'bench/run.ts',
};

/** @returns {Promise<number>} the exit code */
async function main([command = '', ...rest]) {
  if (command !== 'check' && command !== 'node' && !Object.hasOwn(PROGRAMS, command)) {
    return complain(`Unknown command '${command}': use svc, vitest, check, bench or node`);
  }
  if (command === 'node' && rest.length === 0)
    return complain('Which file? node bin/bootstrap.js node <file> …');
  if (!(await installPackages())) return 1;
  if (command === 'check') return check(rest[0]);
  if (command === 'node') return run(rest, process.cwd());
  const file = join(root, PROGRAMS[command]);
  const wantsBundle = (command !== 'svc' || rest[0] === 'start') && canBundle() && findBundle() === undefined;
  // What starts many nodes waits for it; a node that somebody waits for does not, and leaves it to the next one.
  if (wantsBundle && command !== 'svc') await run([BUNDLER]);
  if (command === 'svc' && rest[0] === 'start') {
    const wantsConsole = !isConsoleOff(rest) && canBuildConsole() && !hasConsole();
    runBeside([...(wantsBundle ? [BUNDLER] : []), ...(wantsConsole ? [CONSOLE_BUILDER] : [])]);
  }
  // The command line takes paths from where its user stands, the tests and benchmarks from the project.
  return run([file, ...rest], command === 'svc' ? process.cwd() : root);
}

/** @returns {Promise<boolean>} whether the packages are there */
async function installPackages() {
  if (isPackage) return findNode() !== undefined || noNode();
  if (isInstalled()) return true;
  const release = await takeTurn();
  try {
    // Whoever held the turn before may have done it.
    if (isInstalled()) return true;
    console.error(`Installing packages (npm ci), ${existsSync(modules) ? 'they are out of date' : 'once'} …`);
    const { code, output } = await npmCi();
    if (code !== 0) {
      process.stderr.write(output);
      complain(`npm ci failed with exit code ${code}`);
      return false;
    }
    if (findNode() === undefined) {
      return noNode();
    }
    writeFileSync(stampFile, lockHash());
    if (canBundle()) await run([BUNDLER]);
    return true;
  } finally {
    release();
  }
}

function noNode() {
  complain(
    `There is no package of Node for ${process.platform} on ${process.arch}, and this is Node ${process.versions.node}. Use Node ${OLDEST_OWN_NODE} or newer`,
  );
  return false;
}

/** The stamp says which lock file we installed; where somebody else ran npm, its own record is compared. */
function isInstalled() {
  if (findNode() === undefined) return false;
  if (readStamp() === lockHash()) return true;
  if (!matchesRecord()) return false;
  try {
    writeFileSync(stampFile, lockHash());
  } catch {
    // Read-only packages are fine; they are compared again next time.
  }
  return true;
}

/** @returns {string | undefined} the packaged Node, or where there is none this one, if it is new enough */
function findNode() {
  if (existsSync(packagedNode)) return packagedNode;
  return Number.parseInt(process.versions.node, 10) >= OLDEST_OWN_NODE ? process.execPath : undefined;
}

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return undefined;
  }
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex');
}

/** npm records what it installed; optional packages of other platforms are not among it. */
function matchesRecord() {
  let wanted;
  let installed;
  try {
    wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
    installed = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
  } catch {
    return false;
  }
  const same = ([path, { version, integrity }]) =>
    wanted[path]?.version === version && wanted[path]?.integrity === integrity;
  const leaveDev = process.env.NODE_ENV === 'production';
  const mayLack = ([path, { optional, dev }]) => path === '' || optional || (dev && leaveDev);
  const isThere = (entry) => entry[0] in installed || mayLack(entry);
  return Object.entries(installed).every(same) && Object.entries(wanted).every(isThere);
}

/** A folder can be made by one process only. Its maker keeps it fresh, so a stale one was left by a dead maker. */
async function takeTurn() {
  for (;;) {
    try {
      mkdirSync(installing);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isStale(installing)) clearStale();
    else await delay(100);
  }
  const beat = setInterval(() => utimesSync(installing, new Date(), new Date()), 1_000);
  return () => {
    clearInterval(beat);
    rmSync(installing, { recursive: true, force: true });
  };
}

/** The slower of two who see a stale folder must not remove the new one of the faster: one clears, and looks again. */
function clearStale() {
  const clearing = `${installing}.clearing`;
  try {
    mkdirSync(clearing);
  } catch {
    if (isStale(clearing)) rmSync(clearing, { recursive: true, force: true });
    return;
  }
  if (isStale(installing)) rmSync(installing, { recursive: true, force: true });
  rmSync(clearing, { recursive: true, force: true });
}

function isStale(folder) {
  const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return age > STALE_AFTER_MS;
}

/** A cache that cannot be written to, as of a user without a home, is replaced by a temporary one. */
async function npmCi() {
  const first = await runNpm([]);
  const cacheIsClosed =
    first.code !== 0 && /\b(EACCES|EROFS|EPERM|ENOTDIR)\b.*(_cacache|\bcache\b)/s.test(first.output);
  if (!cacheIsClosed) return first;
  const cache = mkdtempSync(join(tmpdir(), 'svc-npm-'));
  try {
    return await runNpm(['--cache', cache]);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** @returns {Promise<{ code: number, output: string }>} */
async function runNpm(args) {
  const include = process.env.NODE_ENV === 'production' ? [] : ['--include=dev'];
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', ...include, ...args], {
    cwd: root,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => isMeantForNpm(name))),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const hear = (text) => {
    output += text;
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const code = await endOf(child, (error) => {
    output += `npm cannot be run: ${error.message}\n`;
  });
  return { code, output };
}

/**
 * An npm that runs this script passes on all its settings (a workspace, a dry run, what to omit), which are not
 * meant for this installation; how to reach the registry is.
 */
function isMeantForNpm(name) {
  if (!/^npm_/i.test(name)) return true;
  return /^npm_config_(cache|registry|.*proxy|ca|cafile|cert|key|strict_ssl|(user|global)config|(prefer_)?offline|fetch_.*|maxsockets|@.*|\/\/.*)$/i.test(
    name,
  );
}

/** @param {string} [scope] `static` leaves the tests out */
async function check(scope) {
  const checks = scope === 'static' ? CHECKS.filter(([title]) => title !== 'tests') : CHECKS;
  for (const [title, file, ...args] of checks) {
    const startedAt = Date.now();
    const code = await run([join(root, file), ...args]);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.error(`${code === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * Runs a file under the packaged Node.
 * @returns {Promise<number>} its exit code, or 128 + the signal that ended it
 */
async function run([file, ...args], cwd = root) {
  if (file.startsWith(modules) && !existsSync(file)) {
    return complain(
      `${file} is missing: development packages were left out. Run: NODE_ENV=development npm ci --include=dev`,
    );
  }
  const bin = join(modules, '.bin');
  const env = {
    // Types are stripped once and not at each start; a program that turns it on itself is stripped without.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'svc'),
    // Else the C library keeps some 20 MB that nobody uses for each thread that V8 and libuv ever had at work.
    MALLOC_ARENA_MAX: '2',
    // What npm replaces is no place for anybody's configuration and data.
    ...(isPackage ? { SVC_PROJECT: process.cwd() } : {}),
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  };
  const flags = isPackage ? [`--import=${pathToFileURL(join(root, 'bin', 'types.js'))}`] : [];
  const child = spawn(findNode(), [...flags, file, ...args], { cwd, env, stdio: 'inherit' });
  return endOf(child, (error) => complain(`Node cannot be run: ${error.message}`));
}

function isConsoleOff(args) {
  const at = args.findIndex((arg) => arg === '--console' || arg.startsWith('--console='));
  const flag = at === -1 ? undefined : (args[at].split('=')[1] ?? args[at + 1]);
  return (flag ?? process.env.SVC_CONSOLE)?.trim().toLowerCase() === 'off';
}

/** Behind a node that starts or works. */
function runBeside(files) {
  for (const file of files) {
    const child = spawn(findNode(), [file], { cwd: root, stdio: 'ignore', detached: true });
    child.once('error', () => undefined);
    child.unref();
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
}

/** Waits for a child, and passes signals on to it meanwhile. */
function endOf(child, onError) {
  // A terminal sends Ctrl-C to the child as well, and twice would be a demand to stop without tidying up.
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const forward = (signal) => {
    if (signal !== 'SIGINT' || !terminal) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  // A SIGTERM to npm ends npm and the shell between npm and us, and never gets here: their end is the signal.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 200);
  return new Promise((resolve) => {
    const end = (code) => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once('error', (error) => {
      onError(error);
      end(1);
    });
    child.once('close', (code, signal) => end(code ?? 128 + constants.signals[signal]));
  });
}

function complain(message) {
  console.error(message);
  return 1;
}

process.exitCode = await main(process.argv.slice(2));
