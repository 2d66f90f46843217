import type { WorkflowConfig } from '#config/index.ts';
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

/** A line of a header has no more (RFC 5322, 2.1.1). */
const MOST_OF_ADDRESS = 998;

/** The one address that a text of a mail is, `a@x.org` or with a name in front of it; undefined for anything else. */
export function readAddress(text: string): { readonly name: string; readonly address: string } | undefined {
  if (text.length > MOST_OF_ADDRESS) return undefined;
  const [, written = '', inside, alone] =
    /^([^<>]*)<([^<>\s,;]+@[^<>\s,;]+)>$|^([^<>\s,;]+@[^<>\s,;]+)$/.exec(text) ?? [];
  const address = inside ?? alone;
  if (address === undefined) return undefined;
  const [, quoted] = /^"(.*)"$/s.exec(written.trim()) ?? [];
  return { name: quoted?.replace(/\\(.)/gs, '$1') ?? written.trim(), address };
}

/** How mail leaves: `mail` of `workflow.json`. */
export interface MailSettings extends Omit<WorkflowConfig['mail'], 'password'> {
  readonly password?: string | undefined;
}
