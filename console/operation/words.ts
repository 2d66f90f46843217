import { wordsOf } from '../words/words.ts';

export const words = wordsOf(
  {
    progress: 'What was begun for many',
    of: (processed: number, total: number) => `${processed} of ${total}`,
    failed: (n: number) => (n === 1 ? '1 failed' : `${n} failed`),
    trail: 'All that it has changed',
    file: (name: string) => `Save ${name}`,
    done: 'It is under way, each by itself',
    exportTitle: (type: string) => `Write many into a file: ${type}`,
    PREPARED: 'is being prepared',
    ACTIVE: 'under way',
    COMPLETED: 'done',
    CANCELLED: 'stopped',
    ERROR: 'failed',
  },
  {
    progress: 'Was für viele begonnen wurde',
    of: (processed: number, total: number) => `${processed} von ${total}`,
    failed: (n: number) => `${n} gescheitert`,
    trail: 'Alles, was es geändert hat',
    file: (name: string) => `${name} speichern`,
    done: 'Es ist im Gang, eines nach dem anderen',
    exportTitle: (type: string) => `Viele in eine Datei schreiben: ${type}`,
    PREPARED: 'wird vorbereitet',
    ACTIVE: 'im Gang',
    COMPLETED: 'fertig',
    CANCELLED: 'beendet',
    ERROR: 'gescheitert',
  },
);
