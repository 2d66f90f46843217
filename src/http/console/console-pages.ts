import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { NotFoundError } from '#errors/index.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Page } from '../pages.ts';
import type { Answer } from '../write-response.ts';
import { BuiltConsole, type BuiltFile } from './built-console.ts';

export interface ConsoleOptions {
  /** Where `bin/build-console.js` writes. */
  readonly folder: string;
  /** What the banner of its pages says, such as `Production`; undefined: no banner. */
  readonly environment: string | undefined;
}

const BASE = '/console';
const HTML = 'text/html; charset=utf-8';
/** Stands in the files of the build in place of the nonce that each answer makes anew. */
const NONCE = /__NONCE__/g;
const OWN_LINK = /(?<=(?:href|src)=")\.\/(?=assets\/)/g;
const BUILDING_SECONDS = 2;
const ENCODINGS: Readonly<Record<string, string>> = { br: 'br', gz: 'gzip' };

/** `/console` and all below it, and for browsers the way there from `/`. */
export function consolePages({ folder, environment }: ConsoleOptions): (path: string) => Page | undefined {
  const console = new BuiltConsole(folder);
  const page: Page = ({ incoming }) => {
    const text = console.page();
    return text === undefined ? absentPage(console.absence()) : shown(text, incoming.path, environment);
  };
  return (path) => {
    if (path === '/') return leadBrowser;
    if (path === BASE || path.startsWith(`${BASE}/`)) {
      const name = path.slice(BASE.length + 1);
      return name.startsWith('assets/') ? (exchange) => asset(console.file(name), exchange) : page;
    }
    return undefined;
  };
}

/** A program that asks for nothing in particular is told where the resources are, as everywhere. */
const leadBrowser: Page = ({ incoming }) => {
  if (!/\btext\/html\b/.test(incoming.header('accept') ?? '')) {
    throw new NotFoundError("There is nothing at '/'", {
      hint: 'Resources are below /svc; /docs describes them, /console is for people',
    });
  }
  // Relative, for proxies with a path of their own, unless it is known: then there may be no slash behind it.
  const { publicPath } = incoming;
  const location = publicPath === '' ? 'console' : `${publicPath}/console`;
  return { status: 302, headers: { Location: location, Vary: 'Accept' }, body: '' };
};

/**
 * All is relative to where the page is, so that it works below any path of a proxy: there is no `<base>`, which the policy
 * would have to allow.
 */
function shown(text: string, path: string, environment: string | undefined): Answer {
  const nonce = randomBytes(16).toString('base64url');
  const depth = path.slice(BASE.length).split('/').length - 1;
  const toBase = depth === 0 ? `${BASE.slice(1)}/` : depth === 1 ? './' : '../'.repeat(depth - 1);
  const body = text
    .replace(NONCE, nonce)
    .replace(OWN_LINK, toBase)
    .replace('__ENVIRONMENT__', () => escaped(environment ?? ''));
  return { status: 200, headers: pageHeaders(nonce), body };
}

function pageHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Type': HTML,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      // Two sheets are made by libraries; what they set on elements from scripts is not what this is about.
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
}

const ABSENT = {
  building: [
    'The console is being built',
    'This takes a few seconds after the first start. The page looks again by itself.',
  ],
  failed: [
    'The console could not be built',
    'npm run build:console says why. The server itself works without it.',
  ],
  unbuilt: [
    'The console has not been built',
    'npm run build:console builds it. The server itself works without it.',
  ],
};

function absentPage(why: keyof typeof ABSENT): Answer {
  const [title = '', text = ''] = ABSENT[why];
  const again = why === 'building' ? `<meta http-equiv="refresh" content="${BUILDING_SECONDS}">` : '';
  const nonce = randomBytes(16).toString('base64url');
  const style =
    ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;margin:0;padding:1.5rem}h1{font-size:1.25rem}';
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${again}<title>${title}</title><style nonce="${nonce}">${style}</style><main><h1>${title}</h1><p>${text}</p></main></html>`;
  return { status: 503, headers: { ...pageHeaders(nonce), 'Retry-After': String(BUILDING_SECONDS) }, body };
}

/** The name of a file changes with its content, so whoever has one need not ask again. */
async function asset(file: BuiltFile | undefined, { incoming }: HttpExchange): Promise<Answer> {
  if (file === undefined) throw isGone(incoming.path);
  const accepted = (incoming.header('accept-encoding') ?? '')
    .split(',')
    .filter((entry) => !/;\s*q=0(?:\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(';')[0]?.trim());
  const form = file.encodings.find((encoding) => accepted.includes(ENCODINGS[encoding]));
  const tag = `"${file.tag}${form === undefined ? '' : `-${form}`}"`;
  const headers = {
    'Content-Type': file.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: tag,
    Vary: 'Accept-Encoding',
    ...(form === undefined ? {} : { 'Content-Encoding': ENCODINGS[form] ?? form }),
  };
  if (
    incoming
      .header('if-none-match')
      ?.split(',')
      .some((one) => one.trim() === tag)
  ) {
    return { status: 304, headers, body: null };
  }
  try {
    const body = await readFile(form === undefined ? file.location : `${file.location}.${form}`);
    return { status: 200, headers, body };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw isGone(incoming.path);
    throw error;
  }
}

function isGone(path: string): NotFoundError {
  return new NotFoundError(`There is nothing at '${path}'`, {
    hint: 'The console has been built anew since this page was loaded: load it again',
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
