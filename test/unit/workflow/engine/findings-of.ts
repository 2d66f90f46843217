import { type CompileOptions, compile, ProcessFileError } from '../../../../src/workflow/engine/index.ts';

/** What is refused in a process file: each element with its error, without the prefix. */
export async function refused(xml: string, options?: CompileOptions): Promise<string[]> {
  try {
    await compile(xml, options);
    return [];
  } catch (thrownError) {
    if (!(thrownError instanceof ProcessFileError)) throw thrownError;
    return thrownError.findings.map(({ id, element }) => `${element} ${id.replace('WORKFLOW_', '')}`);
  }
}

/** What a process file is warned of, in the same words. */
export async function warned(xml: string): Promise<string[]> {
  return (await compile(xml))[0].warnings.map(
    ({ id, element }) => `${element} ${id.replace('WORKFLOW_', '')}`,
  );
}
