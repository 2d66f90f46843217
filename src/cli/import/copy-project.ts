import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectPlan } from './plan-project.ts';

/** Writes what the plan says, each file as a whole: one that is broken off is gone on with by planning anew. */
export async function copyProject({ texts }: ProjectPlan, target: string): Promise<void> {
  for (const [path, { bytes, mode }] of texts) {
    const file = join(target, path);
    await mkdir(dirname(file), { recursive: true });
    // No file of the target, and no link that somebody has put there, is written through by chance.
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(draft, bytes, { flag: 'wx', mode });
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}
