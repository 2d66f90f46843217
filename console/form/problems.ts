import { PolicyError } from '#client/index.ts';

interface Failure {
  readonly property?: string;
  readonly policyRequirements?: readonly { readonly policyRequirement?: string }[];
}

/** What the server has against each property, in words, where an error is of that kind. */
export function problemsOf(
  error: unknown,
  says: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!(error instanceof PolicyError)) return {};
  const found: Record<string, string> = {};
  for (const failure of error.failures) {
    const { property = '', policyRequirements = [] }: Failure = isFailure(failure) ? failure : {};
    const words = policyRequirements.map(
      ({ policyRequirement = '' }) => says[policyRequirement] ?? policyRequirement,
    );
    found[property.split('/')[0] ?? property] = words.join(', ');
  }
  return found;
}

function isFailure(failure: unknown): failure is Failure {
  return typeof failure === 'object' && failure !== null;
}
