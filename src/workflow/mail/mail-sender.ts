import { isIP } from 'node:net';
import type { AddressGuard } from '#egress/index.ts';
import { ResourceError, ServiceUnavailableError } from '#errors/index.ts';
import { type Mail, type MailSettings, readAddress } from './mail.ts';

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;

/** The server will not take this mail or any of its recipients, however often it is asked. */
export class MailRefusedError extends ResourceError {
  override readonly name = 'MailRefusedError';
}

export interface Sent {
  /** Recipients that the server refused while it took the others. */
  readonly rejected: string[];
}

/**
 * Hands a mail to the server of the settings. The id names the mail in its `Message-ID`, so that a mail which
 * is sent once more after a crash can be known for the same.
 *
 * @throws InternalServerError when the guard denies the address, ServiceUnavailableError `WORKFLOW_MAIL_NOT_SENT` with what the server said; MailRefusedError
 *   `WORKFLOW_MAIL_REFUSED` when it said so for good
 */
export async function sendMail(
  mail: Mail,
  id: string,
  settings: MailSettings,
  guard: AddressGuard,
): Promise<Sent> {
  const { host, port, username, password, starttls } = settings;
  // It takes 20 MB: only threads that send mail need it.
  const { createTransport } = await import('nodemailer');
  const address = await guard.resolve(host).catch((error: unknown) => {
    throw error instanceof ResourceError ? error : notSent(error, host, port);
  });
  const transport = createTransport({
    host: address,
    port,
    secure: port === 465,
    requireTLS: starttls,
    // Without starttls an offer of the server is taken, with any certificate: better than none.
    tls: {
      rejectUnauthorized: starttls || port === 465,
      // The certificate is the name's, though the connection goes to the address that was looked at.
      ...(isIP(host) === 0 ? { servername: host } : {}),
    },
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail({
      messageId: `<${id}@${domainOf(mail.from)}>`,
      from: asOne(mail.from),
      to: mail.to.map(asOne),
      cc: mail.cc.map(asOne),
      bcc: mail.bcc.map(asOne),
      subject: mail.subject,
      ...(mail.text === null && mail.html !== null ? {} : { text: mail.text ?? '' }),
      ...(mail.html === null ? {} : { html: mail.html }),
      headers: mail.headers,
      attachments: mail.attachments.map(({ filename, contentType, content }) => ({
        filename,
        content,
        encoding: 'base64',
        ...(contentType === null ? {} : { contentType }),
      })),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { rejected: [...rejected] };
  } catch (error) {
    throw notSent(error, host, port);
  } finally {
    transport.close();
  }
}

/** Read once more as a text, a name with a comma in it would be several people. */
function asOne(text: string) {
  return readAddress(text) ?? text;
}

function domainOf(sender: string): string {
  return /@([A-Za-z0-9.-]+)/.exec(sender)?.[1] ?? 'localhost';
}

/** Codes of nodemailer for what is wrong with the mail itself and not with the server or the settings. */
const OF_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];

function notSent(error: unknown, host: string, port: number): ResourceError {
  const { message, code, responseCode } = error as Error & { code?: string; responseCode?: number };
  const isFinal = responseCode !== undefined && responseCode >= 500 && OF_THE_MAIL.includes(code ?? '');
  if (isFinal) {
    return new MailRefusedError(500, `The mail server ${host}:${port} refuses the mail: ${message}`, {
      id: 'WORKFLOW_MAIL_REFUSED',
      hint: 'Look at its recipients and its sender',
      detail: { code: code!, responseCode },
      cause: error,
    });
  }
  return new ServiceUnavailableError(`The mail server ${host}:${port} did not take the mail: ${message}`, {
    id: 'WORKFLOW_MAIL_NOT_SENT',
    hint: 'Look at mail.host, mail.port and the other mail settings in workflow.json',
    detail: {
      ...(code === undefined ? {} : { code }),
      ...(responseCode === undefined ? {} : { responseCode }),
    },
    cause: error,
  });
}
