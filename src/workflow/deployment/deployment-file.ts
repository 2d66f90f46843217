import { BadRequestError } from '#errors/index.ts';
import type { Finding } from '../engine/index.ts';
import { readBarArchive } from './bar-archive.ts';

const DEPLOYABLE = /^[^.].*\.(?:bar|xml|bpmn)$/i;
const MODEL_NAMESPACE = 'http://www.omg.org/spec/BPMN/20100524/MODEL';

/** What gives away a process file that has lost its namespace. */
const PROCESS_NAME = /\.bpmn(?:20\.xml)?$/i;
const PROCESS_ELEMENT = /<(?:[\w.-]+:)?(?:definitions|process)[\s/>]/;

/** The longest name that a file may have. */
const LONGEST_NAME = 255;

/** Whether a file of that name in the watched directory may be deployed. */
export function isDeployable(name: string): boolean {
  return DEPLOYABLE.test(name);
}

/**
 * The resources that a file consists of: those of an archive, or the file itself; undefined for XML that is
 * about something else.
 *
 * @throws BadRequestError `WORKFLOW_NAME_TOO_LONG`
 */
export async function readResources(
  name: string,
  bytes: Buffer,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
  requireShort(name);
  if (name.toLowerCase().endsWith('.bar')) {
    const resources = await readBarArchive(bytes);
    for (const inside of resources.keys()) requireShort(inside);
    return resources;
  }
  return bytes.includes(MODEL_NAMESPACE) ? new Map([[name, bytes]]) : undefined;
}

/** What is to be said of a file that `readResources` takes for something else, and that looks like a process file. */
export function passedOver(name: string, bytes: Buffer): Finding | undefined {
  if (!PROCESS_NAME.test(name) && !PROCESS_ELEMENT.test(bytes.toString('utf8'))) return undefined;
  return {
    id: 'WORKFLOW_NO_NAMESPACE',
    element: '',
    message: 'Nothing in it is of the namespace of BPMN, so it is passed over',
    hint: `Declare the namespace: <definitions xmlns="${MODEL_NAMESPACE}" …>`,
  };
}

function requireShort(name: string): void {
  if (name.length <= LONGEST_NAME) return;
  throw new BadRequestError(
    `The name '${name.slice(0, 40)}…' has ${name.length} characters; ${LONGEST_NAME} are allowed`,
    { id: 'WORKFLOW_NAME_TOO_LONG', field: '/name' },
  );
}
