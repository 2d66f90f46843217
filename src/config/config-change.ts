/** `previous` and `current` are what `get` and `list` give, or plain JSON where there is no definition. */
export interface ConfigChange<T = unknown> {
  readonly id: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly previous?: T;
  readonly current?: T;
}

/** Configurations that stand in front of the files, by id: their text, or null for one that was deleted. */
export type ConfigOverlay = ReadonlyMap<string, string | null>;

export type OnConfigChange<T = unknown> = (change: ConfigChange<T>) => void | Promise<void>;
