import { join } from 'node:path';
import { vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import { ADMIN_PASSWORD } from './api.ts';
import type { TestServer } from './server.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands in this process against a server; profiles are kept in its project. @returns the exit code, and what was said */
export function commandLineOf(server: () => TestServer) {
  return async (args: readonly string[], environment: Record<string, string> = {}): Promise<Said> => {
    const said = { out: '', err: '' };
    const given = {
      SVC_URL: server().url,
      SVC_PASSWORD: ADMIN_PASSWORD,
      XDG_CONFIG_HOME: join(server().project.location, 'home'),
      ...environment,
    };
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
    const log = vi.spyOn(console, 'log').mockImplementation((text) => {
      said.out += `${text}\n`;
    });
    const error = vi.spyOn(console, 'error').mockImplementation((text) => {
      said.err += `${text}\n`;
    });
    try {
      return { code: await run(args), ...said };
    } finally {
      log.mockRestore();
      error.mockRestore();
      vi.unstubAllEnvs();
    }
  };
}
