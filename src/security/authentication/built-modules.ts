import type { AuthenticationConfig, KnownModule } from '#config/index.ts';

type AuthModule = AuthenticationConfig['serverAuthContext']['authModules'][number];

interface BuiltModule {
  readonly module: AuthModule & { readonly known: KnownModule };
  /** Among all that stand in the file. */
  readonly index: number;
}

/** The modules of a configuration that are built, in order. */
export function builtModules({
  serverAuthContext: { authModules },
}: AuthenticationConfig): readonly BuiltModule[] {
  return authModules.flatMap(({ known, ...module }, index) =>
    known === undefined ? [] : [{ module: { ...module, known }, index }],
  );
}
