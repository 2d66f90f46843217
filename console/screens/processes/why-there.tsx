import { Button } from '../../parts/button.tsx';
import type { Why } from '../../parts/chain.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { WhyDialog } from '../../parts/why-dialog.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import type { OneInstance } from './one-instance.ts';
import { Waits } from './waits.tsx';
import { words } from './words.ts';

/** Why an instance is where it is: the server tells it of a task; of all else what it waits for says it. */
export function WhyThere({
  instance: { _id, waitsFor, deleteReason, endTime },
  onClose,
}: {
  readonly instance: OneInstance;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const task = waitsFor.find(({ taskId }) => taskId !== undefined);
  const taskId = task?.taskId;
  if (task !== undefined && taskId !== undefined && endTime === null) {
    return (
      <WhyDialog
        title={t.why(task.name ?? task.element ?? '')}
        queryKey={['task', 'why', taskId]}
        ask={() => client.resource('workflow/taskinstance').action<Why>('why', { id: taskId })}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={t.waitsFor} isWide onClose={onClose}>
      {endTime === null ? <Waits instance={_id} waits={waitsFor} /> : <p>{deleteReason ?? t.over}</p>}
      <DialogFoot>
        <Button onPress={onClose}>{c.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}
