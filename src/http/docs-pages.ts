import { readFileSync } from 'node:fs';
import type { Pages } from './pages.ts';
import type { Answer } from './write-response.ts';

const FOLDER = new URL('./docs/', import.meta.url);

const ASSETS: Readonly<Record<string, string>> = {
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
};

const HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** `/docs`: the API description and a page that shows it, all from this server. */
export function docsPages(describe: () => string): Pages {
  const page = fileOf('index.html', 'text/html; charset=UTF-8');
  const assets = Object.entries(ASSETS).map(([name, type]) => [`/docs/${name}`, fileOf(name, type)] as const);
  return {
    // The page's links are relative, so that it works behind a proxy with a path of its own.
    '/docs': ({ incoming }) =>
      incoming.path.endsWith('/')
        ? { status: 308, headers: { Location: '../docs' }, body: '' }
        : { ...page, headers: { ...page.headers } },
    '/docs/openapi.json': () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: describe(),
    }),
    ...Object.fromEntries(
      assets.map(([path, answer]) => [path, () => ({ ...answer, headers: { ...answer.headers } })]),
    ),
  };
}

function fileOf(name: string, type: string): Answer {
  const body = readFileSync(new URL(name, FOLDER), 'utf8');
  return { status: 200, headers: { ...HEADERS, 'Content-Type': type }, body };
}
