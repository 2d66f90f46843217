import { readFileSync } from 'node:fs';
import { ActivationError, type Finding, systemCodeOf } from '#errors/index.ts';
import { isSecretByAnyWord } from '#json/index.ts';
import { withPasswordSource } from './password-source.ts';

/**
 * Settings that are secrets. Their values are shown nowhere, neither in findings nor to scripts, and no flag takes one: a
 * command line can be read by every user of the machine. `<name>_FILE` names a file that holds the value instead.
 */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'SVC_DATABASE_DIRECT_URL',
  'SVC_DATABASE_READ_URL',
  'SVC_ADMIN_PASSWORD',
  'SVC_KEYS',
] as const;

/** Secret variables, also those of commands that ask a node, which are no settings of one. */
const IN_FILES = [...SECRET_VARIABLES, 'SVC_PASSWORD', 'SVC_API_KEY'];

type Environment = Readonly<Record<string, string | undefined>>;

export function isSecretVariable(name: string): boolean {
  const plain = name.replace(/_FILE$/, '');
  return SECRET_VARIABLES.some((known) => known === plain);
}

/** Whether a variable or property with this name most likely holds a secret. */
export function holdsSecret(name: string): boolean {
  return isSecretByAnyWord(name) || isSecretVariable(name);
}

/**
 * The environment with the values of secrets that are in files.
 *
 * @throws ActivationError with every file that cannot be read, and every secret that is given twice
 */
export function withSecretFiles(environment: Environment): Record<string, string | undefined> {
  const findings: Finding[] = [];
  const read: Record<string, string | undefined> = { ...environment };
  for (const variable of IN_FILES) {
    const file = environment[`${variable}_FILE`];
    if (file === undefined || file.trim() === '') continue;
    if ((environment[variable] ?? '').trim() !== '') {
      findings.push(finding(`${variable} and ${variable}_FILE are both set`, 'Leave one of them out'));
      continue;
    }
    try {
      read[variable] = readFileSync(file.trim(), 'utf8').trim();
      if (read[variable] === '')
        findings.push(finding(`${variable}_FILE names a file that is empty: '${file}'`));
    } catch (error) {
      const code = systemCodeOf(error);
      findings.push(finding(`${variable}_FILE names a file that cannot be read (${code}): '${file}'`));
    }
  }
  const { urls, findings: wrong } = withPasswordSource(read);
  findings.push(...wrong);
  if (findings.length > 0) throw new ActivationError(findings);
  return { ...read, ...urls };
}

/**
 * The environment, from which the process loses its secrets: what runs in it later, or is started by it, inherits none.
 * What the kernel shows of the start of a process stays; files leave no trace there.
 */
export function takeEnvironment(environment: Record<string, string | undefined> = process.env): Environment {
  const taken = { ...environment };
  for (const variable of IN_FILES) delete environment[variable];
  return taken;
}

/** For whoever resolves properties and has no business with the secrets of the server. */
export function withoutSecrets(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecretVariable(name)));
}

function finding(message: string, hint?: string): Finding {
  return { id: 'SETTING_INVALID', where: '', message, ...(hint === undefined ? {} : { hint }) };
}
