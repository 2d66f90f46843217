import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildConsole } from '../../bin/build-console.js';
import { ADMIN_PASSWORD } from '../../test/support/api.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { PEOPLE_PASSWORD, seed } from './seed.ts';

/** A browser that starts on a busy machine takes its time. */
const PATIENCE_MS = 120_000;

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A node with something on it, and a browser that looks at its console. */
export interface ConsoleSite extends AsyncDisposable {
  readonly server: TestServer;
  /** A page for somebody who is logged in; it is closed with its site. */
  open(options?: Visit): Promise<Visitor>;
  /** The same, where no event gets through: what the page has read stays as it was when somebody else changes it. */
  openDeaf(options?: Visit): Promise<Visitor>;
}

export interface Visit {
  /** Null is logged in as nobody. */
  readonly user?: 'svc-admin' | 'avo' | 'bkim' | null;
  /** Where the server is seen at, unless it is asked itself. */
  readonly base?: string;
  /** Below `/console`. */
  readonly path?: string;
  /** `pseudo` is English with every text of the console marked, and longer. */
  readonly language?: 'en' | 'de' | 'pseudo';
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

export interface Visitor {
  readonly page: Page;
  /** Breaches of the content policy, errors that nobody has caught, and files from elsewhere. */
  readonly problems: readonly string[];
  /** What it has asked the server for, such as `GET managed/user`. */
  readonly asked: readonly string[];
  /** What axe has against the page as it is now. */
  axe(): Promise<readonly string[]>;
  /** By how many pixels the page is wider than its window. */
  overflow(): Promise<number>;
  close(): Promise<void>;
}

export async function openSite(
  executable: string,
  environment: Record<string, string> = {},
): Promise<ConsoleSite> {
  await using scope = new AsyncDisposableStack();
  const built = buildConsole();
  const process = 'workflow/accessRequest.bpmn20.xml';
  const server = scope.use(
    await startTestServer({
      files: { [process]: await readFile(new URL(`../../${process}`, import.meta.url), 'utf8') },
      environment: { SVC_ENVIRONMENT: 'Staging', ...environment },
      deploymentIntervalMs: 50,
    }),
  );
  await seed(server);
  await built;
  const browser = await launchBrowser(executable);
  scope.defer(() => browser.close());
  const opened = scope.move();
  return {
    server,
    open: (options = {}) => visit(browser, server, options),
    openDeaf: (options = {}) => visit(browser, server, options, { isDeaf: true }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export async function visit(
  browser: Browser,
  server: Pick<TestServer, 'url'>,
  options: Visit,
  { isDeaf = false } = {},
): Promise<Visitor> {
  const {
    user = 'svc-admin',
    base = server.url,
    path = '/',
    language = 'en',
    theme = 'light',
    width = 1280,
    height = 800,
  } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    locale: language === 'pseudo' ? 'en' : language,
    colorScheme: theme,
    // What moves while it is looked at is read wrongly.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (user !== null) await logIn(context, server, user);
  const page = await context.newPage();
  if (isDeaf) await page.route('**/svc/events**', (route) => route.abort());
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // What is refused is shown on the page, and said by the browser besides.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(text);
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base)) problems.push(`from elsewhere: ${url}`);
    const [path = ''] = url.slice(base.length).split('?');
    if (path.startsWith('/svc/')) asked.push(`${request.method()} ${path.slice('/svc/'.length)}`);
  });
  if (language === 'pseudo') await page.addInitScript("localStorage.setItem('svc.language', 'pseudo')");
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  );
  await page.goto(`${base}/console${path}`);
  return {
    page,
    problems,
    asked,
    axe: async () => {
      // Evaluated from outside, where the policy of the page does not count.
      await page.evaluate(axe);
      return page.evaluate<string[]>(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`,
      );
    },
    overflow: () =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    close: () => context.close(),
  };
}

async function logIn(context: BrowserContext, { url }: Pick<TestServer, 'url'>, user: string): Promise<void> {
  const password = user === 'svc-admin' ? ADMIN_PASSWORD : PEOPLE_PASSWORD;
  const response = await context.request.post(`${url}/svc/authentication?_action=login`, {
    headers: { 'X-Svc-Username': user, 'X-Svc-Password': password, 'X-Requested-With': 'test' },
  });
  if (!response.ok()) throw new Error(`${user} cannot log in: ${response.status()}`);
}
