import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Why browser tests are skipped where there is no browser. */
export const NO_BROWSER = `no browser: none of ${NAMES.join(', ')} is on the PATH, and CHROMIUM names none; on Debian: apt-get install chromium`;

/** The Chromium of this machine, also named by `CHROMIUM`; undefined when there is none. */
export async function findBrowser(): Promise<string | undefined> {
  const given = process.env['CHROMIUM'] ?? '';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places =
    given !== '' ? [given] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

export function launchBrowser(executablePath: string) {
  // Its sandbox does not work for root and in most containers; it loads nothing but our own server.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args, timeout: 300_000 });
}
