import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { PatchOperation } from '#client/index.ts';
import { useIdentity } from '../session/identity.ts';
import type { Values } from './form.tsx';
import { kindOf, type Schema } from './schema.ts';

/**
 * What has been typed over an object, and not saved: kept in this tab, so that neither a reload nor the end of a session takes
 * it away; whoever leaves is asked. Secrets are kept
 * nowhere, and nothing of one person is shown to the next.
 */
export function useTyped(key: string, { properties }: Pick<Schema, 'properties'>, question: string) {
  const { component, id } = useIdentity();
  const place = `svc.draft ${component}/${id} ${key}`;
  const [typed, setTyped] = useState<Values>(() => JSON.parse(sessionStorage.getItem(place) ?? '{}'));
  const isDirty = Object.keys(typed).length > 0;
  // Whoever has saved leaves before the next rendering.
  const asks = useRef(isDirty);
  asks.current = isDirty;
  useEffect(() => {
    if (isDirty) sessionStorage.setItem(place, JSON.stringify(withoutSecrets(typed, properties)));
    else sessionStorage.removeItem(place);
  }, [place, typed, properties, isDirty]);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      asks.current && current.pathname !== next.pathname && !window.confirm(question),
    enableBeforeUnload: false,
  });
  return {
    typed,
    isDirty,
    type: (name: string, value: unknown) => setTyped((before) => ({ ...before, [name]: value })),
    forget: () => {
      asks.current = false;
      sessionStorage.removeItem(place);
      setTyped({});
    },
  };
}

/** A form of a process does not say that a field is secret: there its name does. */
function withoutSecrets(typed: Values, properties: Schema['properties']): Values {
  const isSecret = (name: string) =>
    /pass|pin|pwd|secret|token|key|credential/i.test(name) || kindOf(properties[name] ?? {}) === 'secret';
  return Object.fromEntries(Object.entries(typed).filter(([name]) => !isSecret(name)));
}

/** What has to be sent so that an object becomes what was typed: as little as possible. */
export function patchOf(before: Values, typed: Values): readonly PatchOperation[] {
  return Object.entries(typed).flatMap(([name, value]): PatchOperation[] => {
    if (JSON.stringify(before[name] ?? null) === JSON.stringify(value ?? null)) return [];
    const field = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return value === null || value === undefined
      ? [{ operation: 'remove', field }]
      : [{ operation: 'replace', field, value: sent(value) }];
  });
}

/** A reference without what came along for people: only where the object is. */
function sent(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && '_ref' in value) {
    return { _ref: value._ref };
  }
  return value;
}
