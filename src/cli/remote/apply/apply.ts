import { EXIT } from '../../command.ts';
import { complain } from '../../typed-name.ts';
import { UsageError } from '../../usage-error.ts';
import { DRY_RUN } from '../change.ts';
import { textOf } from '../connection.ts';
import type { Asked } from '../remote-command.ts';
import { commandOf, type Flag } from '../verb.ts';
import { applyPlan, planDocuments } from './apply-documents.ts';
import { readDocuments } from './documents.ts';
import { agreeToPrune, findExtras, PRUNE_FLAGS, prune, rehearsePrune } from './prune.ts';
import { Teller } from './teller.ts';

const FILE: Readonly<Record<string, Flag>> = {
  file: {
    value: '<file>',
    short: 'f',
    does: 'YAML (several documents, too), JSON, one object a line, a folder of them, or - for the input',
  },
};

const NOTES = `An object is {"_type": "managed/role", "_id": "auditor", …}. One whose id the node makes has "_key": "userName" in place of
"_id", and is found by that property. Objects may refer to each other, in any order: {"_ref": "managed/role/auditor"}, or
by what they are called: {"_ref": "managed/user?userName=avo"}.

Of a managed object what its file does not say stays as it is; a secret, which nobody can compare, is set when the object
is made, and stays then. Outside of managed/ (scheduler/job, config, …) an object is
replaced as a whole as soon as something that its file says is different: what the file leaves out is gone then, or has
its default.`;

/** `svc apply -f …` */
export const apply = commandOf(
  'apply',
  'make objects what files say they are',
  {
    does: 'ends with 1 when one of them was refused; the others are applied',
    flags: { ...FILE, ...DRY_RUN, ...PRUNE_FLAGS, yes: { short: 'y', does: 'of --prune: does not ask' } },
    example: 'svc apply -f roles/ --dry-run',
    async run(asked) {
      const { failed } = await applyAll(asked, asked.flags['dry-run'] === true);
      return failed === 0 ? EXIT.OK : EXIT.FINDING;
    },
  },
  `${NOTES}

What --prune deletes is rehearsed first, and asked for; where nobody can be asked, it takes --yes. It comes last, and not
at all when an object was refused.`,
);

/** `svc diff -f …` */
export const diff = commandOf(
  'diff',
  'tell how objects differ from what files say',
  {
    does: 'ends with 0 when they are the same, with 1 when they differ or would be refused',
    flags: { ...FILE, ...PRUNE_FLAGS },
    example: 'svc diff -f roles/',
    async run(asked) {
      const { changed, failed } = await applyAll(asked, true);
      return changed + failed === 0 ? EXIT.OK : EXIT.FINDING;
    },
  },
  NOTES,
);

async function applyAll(asked: Asked, dryRun: boolean): Promise<{ changed: number; failed: number }> {
  const place = textOf(asked.flags, 'file');
  if (place === undefined) throw new UsageError('-f <file> is missing');
  const documents = await readDocuments(place);
  const teller = new Teller(asked);
  const plan = await planDocuments(asked.client, documents, teller);
  const extras = await findExtras(asked, [...plan.found.keys()]);
  if (!dryRun && extras.length > 0) {
    const failed = await rehearsePrune(asked, extras, teller);
    if (failed > 0) {
      complain('Nothing was changed.');
      return { changed: 0, failed };
    }
    await agreeToPrune(asked, extras);
  }
  const applied = await applyPlan(asked.client, plan, teller, dryRun);
  if (applied.failed > 0 && extras.length > 0) {
    complain('Nothing was pruned, because an object was refused.');
    return applied;
  }
  const pruned = await prune(asked, extras, teller, dryRun);
  return { changed: applied.changed + pruned.changed, failed: applied.failed + pruned.failed };
}
