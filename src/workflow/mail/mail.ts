import type { JsonObject } from '#json/index.ts';

/** A mail as it waits in the queue: plain JSON, nothing left to work out. */
export type Mail = {
  readonly from: string;
  readonly to: string[];
  readonly cc: string[];
  readonly bcc: string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly headers: { readonly [name: string]: string };
  readonly attachments: Attachment[];
} & JsonObject;

export type Attachment = {
  readonly filename: string;
  readonly contentType: string | null;
  /** Base64. */
  readonly content: string;
} & JsonObject;

/** How mail leaves the house: `mail.*` of `workflow.json`. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** Refuse to go on without an encrypted connection and a certificate that is right. */
  readonly starttls: boolean;
  /** The sender of mails that name none. */
  readonly from: string;
}
