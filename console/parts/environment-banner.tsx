const MARKS: readonly (readonly [RegExp, string])[] = [
  [/prod|live/i, 'bad'],
  [/stag|test|accept|pre|abnahme/i, 'warn'],
  [/dev|local|sandbox/i, 'good'],
];

const environment = document.querySelector<HTMLMetaElement>('meta[name=svc-environment]')?.content ?? '';

/** Where one is (`SVC_ENVIRONMENT`), above everything. */
export function EnvironmentBanner() {
  if (environment === '' || environment.startsWith('__')) return null;
  const tone = MARKS.find(([pattern]) => pattern.test(environment))?.[1] ?? 'info';
  return (
    <aside className={`environment ${tone}`} aria-label={environment}>
      {environment}
    </aside>
  );
}
