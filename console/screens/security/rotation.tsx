import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SvcError } from '#client/index.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { words } from './words.ts';

const LOOK_MS = 1_000;
const NOT_FOUND = 404;

interface RotationState {
  readonly id: string;
  readonly act: 'count' | 'rotate';
  readonly state: 'ACTIVE' | 'COMPLETED' | 'INCOMPLETE' | 'CANCELLED' | 'ERROR';
  readonly askedBy: string;
  readonly askedAt: string;
  readonly rows: number;
  readonly rewritten: number;
  readonly failures: { readonly count: number };
}

/** What older keys have encrypted is counted, and encrypted again, while all nodes go on working. */
export function Rotation({ isDue }: { readonly isDue: boolean }) {
  const t = useWords(words);
  const review = useReview();
  const queries = useQueryClient();
  const last = useQuery({
    queryKey: ['key', 'rotation'],
    queryFn: () =>
      client.send<RotationState>({ method: 'GET', path: ['key', 'rotation'] }).catch((error: unknown) => {
        if (error instanceof SvcError && error.code === NOT_FOUND) return null;
        throw error;
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'ACTIVE' ? LOOK_MS : false),
    retry: false,
  });
  const { id, state } = last.data ?? {};
  const isActive = state === 'ACTIVE';
  // What has been counted stands at each key.
  useEffect(() => {
    if (id !== undefined && !isActive) void queries.invalidateQueries({ queryKey: ['key', 'list'] });
  }, [id, isActive, queries]);
  const act = (action: 'count' | 'rotate' | 'cancel', title: string, done: string) =>
    void review({
      title,
      done,
      call: { method: 'POST', path: ['key'], parameters: { _action: action } },
      touches: ['key'],
    });
  return (
    <Card
      title={t.rotateTitle}
      actions={
        isActive ? (
          <Button onPress={() => act('cancel', t.stopRotation, t.stopRotationDone)}>{t.stopRotation}</Button>
        ) : (
          <div className="row">
            <Button onPress={() => act('count', t.count, t.countDone)}>{t.count}</Button>
            <Button
              {...(isDue ? { look: 'primary' as const } : {})}
              onPress={() => act('rotate', t.rotate, t.rotateDone)}
            >
              {t.rotate}
            </Button>
          </div>
        )
      }
    >
      {last.data == null ? <p className="soft">{t.neverRotated}</p> : <Told of={last.data} />}
    </Card>
  );
}

function Told({
  of: { act, state, askedBy, askedAt, rows, rewritten, failures },
}: {
  readonly of: RotationState;
}) {
  const t = useWords(words);
  const tone = {
    ACTIVE: 'warn',
    COMPLETED: 'good',
    INCOMPLETE: 'warn',
    ERROR: 'bad',
    CANCELLED: 'quiet',
  } as const;
  const mark = { ACTIVE: '◪', COMPLETED: '✓', INCOMPLETE: '▲', ERROR: '✗', CANCELLED: '□' } as const;
  return (
    <Facts
      of={[
        {
          title: act === 'count' ? t.count : t.rotate,
          value: (
            <Badge tone={tone[state]} mark={mark[state]}>
              {t.rotationStates[state]}
            </Badge>
          ),
        },
        { title: t.askedBy, value: askedBy },
        { title: t.since, value: <Ago at={askedAt} /> },
        { title: t.rowsLookedAt, value: String(rows) },
        ...(act === 'rotate' ? [{ title: t.encryptedAgain, value: String(rewritten) }] : []),
        ...(failures.count === 0 ? [] : [{ title: t.notReadable, value: String(failures.count) }]),
      ]}
    />
  );
}
