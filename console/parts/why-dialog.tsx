import { useQuery } from '@tanstack/react-query';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import { type Why, WhyChain } from './chain.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import { Loaded } from './page.tsx';

/** Asks why something is as it is, and tells it. */
export function WhyDialog({
  title,
  queryKey,
  ask,
  onClose,
}: {
  readonly title: string;
  /** Topic first, as for every query. */
  readonly queryKey: readonly unknown[];
  readonly ask: () => Promise<Why>;
  readonly onClose: () => void;
}) {
  const c = useWords(common);
  const why = useQuery({ queryKey, queryFn: ask, retry: false });
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <Loaded of={why}>{(found) => <WhyChain why={found} />}</Loaded>
      <DialogFoot>
        <Button onPress={onClose}>{c.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}
