import { readFileSync } from 'node:fs';
import { Hono } from 'hono';

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
export function docsRoutes(describe: () => string): Hono {
  const routes = new Hono({ strict: false });
  const page = readFileSync(new URL('index.html', FOLDER), 'utf8');
  routes.get('/', (hono) =>
    // The page's links are relative, so that it works behind a proxy with a path of its own.
    new URL(hono.req.url).pathname.endsWith('/')
      ? hono.redirect('../docs', 308)
      : hono.html(page, 200, HEADERS),
  );
  routes.get('/openapi.json', (hono) => hono.body(describe(), 200, { 'Content-Type': 'application/json' }));
  for (const [name, type] of Object.entries(ASSETS)) {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    routes.get(`/${name}`, (hono) => hono.body(text, 200, { ...HEADERS, 'Content-Type': type }));
  }
  return routes;
}
