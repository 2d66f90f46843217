import { contexts } from './host-values.ts';
import { prepareClasses } from './java-class.ts';
import { connect, type SandboxRecord } from './run.ts';

/** The entry of the library that runs inside the sandbox. */
export function install(sandbox: SandboxRecord): void {
  connect(sandbox);
  contexts.nameOf = sandbox.contextNameOf;
  contexts.mark = sandbox.markContext;
  prepareClasses();
}
