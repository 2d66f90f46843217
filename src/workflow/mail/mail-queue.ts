import type { UnitOfWork } from '#database/index.ts';
import type { AddressGuard } from '#egress/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import type { DelegateCall } from '../engine/index.ts';
import { composeMail, readMailFailurePlan } from './compose-mail.ts';
import type { Mail, MailSettings } from './mail.ts';
import { MailRefusedError, sendMail } from './mail-sender.ts';

const MAIL_QUEUE = 'workflow-mail';

/** A server that is away for an hour loses no mail: 10 s, 20 s, 40 s … between the attempts. */
const DELIVERY = {
  concurrency: 4,
  runsScripts: false,
  retries: 9,
  retryDelayMs: 10_000,
  backoff: true,
  limitMs: 120_000,
} as const;

/** Tasks of type `mail`: the mail waits in the transaction of its process and leaves after the commit. */
export class MailQueue {
  readonly #queue: Queue;
  readonly #settings: () => Promise<MailSettings>;
  readonly #guard: (port: number) => AddressGuard;
  readonly #observe: Observe;

  /** To be built once on every node; `settings` is asked again for every mail. */
  constructor(
    queue: Queue,
    settings: () => Promise<MailSettings>,
    guard: (port: number) => AddressGuard,
    observe: Observe,
  ) {
    this.#queue = queue;
    this.#settings = settings;
    this.#guard = guard;
    this.#observe = observe;
    queue.work(
      MAIL_QUEUE,
      {
        run: (_unitOfWork, job) => this.#deliver(job.id, job.data as Mail),
        isFinal: (error) => error instanceof MailRefusedError,
      },
      DELIVERY,
    );
  }

  /**
   * Runs a mail task. What its fields say wrongly fails the step, unless the task ignores that.
   *
   * @throws InternalServerError `WORKFLOW_BAD_MAIL`
   */
  async runTask(unitOfWork: UnitOfWork, call: DelegateCall): Promise<void> {
    let mail: Mail;
    const { from } = await this.#settings();
    try {
      mail = composeMail(call, from);
    } catch (error) {
      const { isIgnored, variable } = readMailFailurePlan(call.fields);
      if (!isIgnored) throw error;
      if (variable !== null)
        call.execution.setVariable(variable, error instanceof Error ? error.message : null);
      return;
    }
    await this.#queue.enqueue(unitOfWork, { queue: MAIL_QUEUE, data: mail });
  }

  /**
   * Puts a mail that no process sends into the queue.
   *
   * @throws InternalServerError `WORKFLOW_BAD_MAIL`
   */
  async send(unitOfWork: UnitOfWork, element: string, fields: JsonObject): Promise<void> {
    const { from } = await this.#settings();
    const mail = composeMail({ element, fields, execution: { getVariable: () => undefined } }, from);
    await this.#queue.enqueue(unitOfWork, { queue: MAIL_QUEUE, data: mail });
  }

  async #deliver(id: string, mail: Mail): Promise<void> {
    const settings = await this.#settings();
    const { rejected } = await sendMail(mail, id, settings, this.#guard(settings.port));
    if (rejected.length > 0) {
      this.#observe({ kind: 'workflow.mailRejected', job: id, recipients: rejected.length });
    }
  }
}
