import { type Database, runUnitOfWork } from '#database/index.ts';
import { toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { findJob, type JobRow, listJobs, listMotions } from './job-repository.ts';
import { ensureSchedule, removeSchedule } from './register-schedule.ts';
import { parseSchedule } from './schedule.ts';

export interface FileSchedulesOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly wake: () => void;
  readonly observe: Observe;
}

/** A schedule of `conf/schedule-<id>.json`. */
export interface ScheduleFile {
  readonly id: string;
  readonly content: JsonObject;
}

/**
 * Keeps the schedules of the configuration files in force. Every node does this with the same files; the rows of
 * the jobs are the lock, and content that has not changed changes nothing.
 */
export class FileSchedules {
  readonly #options: FileSchedulesOptions;

  constructor(options: FileSchedulesOptions) {
    this.#options = options;
  }

  /** Brings all of them in force, and removes those whose file is gone. A wrong one is reported and left out. */
  async activateAll(files: readonly ScheduleFile[]): Promise<void> {
    for (const file of files) await this.activate(file);
    const declared = new Set(files.map((file) => file.id));
    for (const job of await listJobs(this.#options.database.db, 'file')) {
      if (!declared.has(job.id)) await this.remove(job.id);
    }
  }

  async activate({ id, content }: ScheduleFile): Promise<void> {
    const { database, now, observe, wake } = this.#options;
    try {
      const definition = parseSchedule(content, { persisted: false });
      const result = await runUnitOfWork(database, {}, async (unitOfWork) =>
        ensureSchedule({ unitOfWork, now: now() }, { id, definition, source: 'file' }),
      );
      if (result === 'unchanged') return;
      const next = (await listMotions(database.db, [id])).get(id)?.nextRunAt ?? null;
      observe({ kind: 'schedule.registered', schedule: id, next });
      wake();
    } catch (error) {
      const { message } = toResourceError(error);
      observe({ kind: 'config.refused', id: `schedule/${id}`, findings: [message] });
    }
  }

  async remove(id: string): Promise<void> {
    const { database, observe } = this.#options;
    const removed = await runUnitOfWork(database, {}, async (unitOfWork) => {
      const job: JobRow | undefined = await findJob(await unitOfWork.db(), id, true);
      if (job?.source !== 'file') return false;
      await removeSchedule(unitOfWork, job);
      return true;
    });
    if (removed) observe({ kind: 'schedule.removed', schedule: id });
  }
}
