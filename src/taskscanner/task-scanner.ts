import { runUnitOfWork } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Context, WriteContext } from '#resource/index.ts';
import { pageScan } from './page-scan.ts';
import { rehearseScan } from './rehearse-scan.ts';
import { parseScanDefinition } from './scan-definition.ts';
import { PAGE_QUEUE, SLICE_QUEUE, type TaskScannerPlatform } from './scan-platform.ts';
import { performScan, startScan } from './start-scan.ts';
import { endFailedRun, type Lane, workSlice } from './work-slice.ts';

export type { TaskScannerPlatform } from './scan-platform.ts';

const DAY_MS = 86_400_000;

/** A firing of a schedule that invokes the task scanner. */
export interface ScanFiring {
  readonly jobId: string;
  readonly runId: string;
  readonly invokeContext: JsonValue;
  readonly log: (level: string, message: string) => void;
}

/** What a schedule invokes, and what the nodes do with its queues. */
export class TaskScanner {
  readonly #platform: TaskScannerPlatform;

  /** @param lanes how many slices one node works on at once */
  constructor(platform: TaskScannerPlatform, lanes: number) {
    this.#platform = platform;
    platform.queue.work(
      PAGE_QUEUE,
      {
        run: (unitOfWork, { data }) => pageScan(platform, unitOfWork, String(data['run'])),
        failed: (unitOfWork, { data }, failure) =>
          endFailedRun(platform, unitOfWork, String(data['run']), null, failure),
      },
      { concurrency: 2, runsScripts: true, retries: 5, retryDelayMs: 1_000, losses: 10 },
    );
    platform.queue.work(
      SLICE_QUEUE,
      {
        run: (unitOfWork, { data, attempt, suspected }, fence) =>
          workSlice(platform, unitOfWork, data as unknown as Lane, {
            ends: Math.max(attempt - 1, suspected),
            fence,
          }),
        failed: (unitOfWork, { data }, failure) =>
          endFailedRun(platform, unitOfWork, String(data['run']), Number(data['lane']), failure),
      },
      { concurrency: lanes, runsScripts: true, retries: 5, retryDelayMs: 1_000, losses: 10, limitMs: DAY_MS },
    );
  }

  /** @throws BadRequestError for an `invokeContext` that no run could do anything with */
  check(invokeContext: JsonValue): void {
    parseScanDefinition(invokeContext);
  }

  /** What a firing would do. */
  rehearse(context: WriteContext, { invokeContext }: Pick<ScanFiring, 'invokeContext'>): Promise<JsonObject> {
    return rehearseScan(this.#platform, context, parseScanDefinition(invokeContext));
  }

  /** Starts the scan within the unit of work of the firing; with `waitForCompletion` by itself, and waits for its end. */
  async fire(context: Context, { jobId, runId, invokeContext, log }: ScanFiring): Promise<void> {
    const definition = parseScanDefinition(invokeContext);
    const order = { definition, name: `schedule/${jobId}`, firing: runId };
    if (definition.wait) {
      log('info', `scan ${await performScan(this.#platform, context, order)} is done`);
      return;
    }
    const { unitOfWork } = context;
    const id =
      unitOfWork === null
        ? await runUnitOfWork(this.#platform.database, {}, (own) =>
            startScan(this.#platform, own, context, order),
          )
        : await startScan(this.#platform, unitOfWork, context, order);
    log('info', `scan ${id} started`);
  }
}
