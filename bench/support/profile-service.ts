import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProfileLine, type ProfileSummary, summarizeProfiles } from './cpu-profile.ts';
import { type ServiceOptions, startService } from './service.ts';

/**
 * Starts a node under the profiler, loads it, and prints where its threads spent the time. The profiles stay in the folder
 * that `BENCH_PROFILES` names, if it does.
 */
export async function profileService(
  options: ServiceOptions,
  load: (url: string) => Promise<{ readonly perSecond: number }>,
): Promise<void> {
  const kept = process.env['BENCH_PROFILES'];
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'svc-bench-profile-')));
  try {
    {
      await using service = await startService({
        ...options,
        nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
      });
      const { perSecond } = await load(service.url);
      console.log(`${Math.round(perSecond)}/s under the profiler`);
    }
    const summaries = await summarizeProfiles(folder);
    const busiestFirst = [...summaries].sort(([, left], [, right]) => right.busyPercent - left.busyPercent);
    printSummary('main thread', summaries.get(0));
    printSummary('busiest script thread', busiestFirst.find(([thread]) => thread !== 0)?.[1]);
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

export function printSummary(thread: string, summary: ProfileSummary | undefined): void {
  if (summary === undefined) return;
  console.log(
    `\nThe ${thread} was busy for ${summary.busyPercent} % of its life. Of that, by package and room:`,
  );
  printLines(summary.places);
  console.log('By function, without what it calls:');
  printLines(summary.functions);
  console.log('By function, with what it calls before its first await:');
  printLines(summary.withCallees);
}

function printLines(lines: readonly ProfileLine[]): void {
  for (const { name, percent } of lines) console.log(`${percent.toFixed(1).padStart(6)} %  ${name}`);
}
