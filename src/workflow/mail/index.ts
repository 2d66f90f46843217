/**
 * Mail that processes send. A mail task puts its mail into a queue, in the transaction of the process; a worker
 * hands it to the mail server later and tries again when that is away. So no mail leaves for a step that failed.
 */
export { composeMail } from './compose-mail.ts';
export type { Attachment, Mail, MailSettings } from './mail.ts';
export { mailGuard } from './mail-guard.ts';
export { MailQueue } from './mail-queue.ts';
export { sendMail } from './mail-sender.ts';
