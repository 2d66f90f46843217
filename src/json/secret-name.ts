/**
 * What is a secret by its name, judged here and nowhere else: members of configuration, variables, headers, parameters of
 * addresses. Case, digits at the end and what stands between words (`secretKey`, `SECRET_KEY2`, `secret-key`) make no difference.
 */
const KEYS = [
  ...[
    'access',
    'account',
    'admin',
    'api',
    'auth',
    'client',
    'consumer',
    'crypto',
    'decryption',
    'encryption',
    'hmac',
  ],
  ...[
    'integration',
    'license',
    'master',
    'private',
    'secret',
    'service',
    'session',
    'shared',
    'signature',
    'signing',
  ],
  ...['ssh', 'storage', 'subscription', 'symmetric', 'token', 'webhook'],
].map((owner) => `${owner}keys`);
/** Each in the plural: in the singular they are the same. */
const NOUNS = [
  ...['passwords', 'passwds', 'passphrases', 'passcodes', 'pwds', 'secrets', 'keybases'],
  ...['tokens', 'credentials', 'authorizations', 'authorisations'],
  ...KEYS,
];
const ENDING = new RegExp(`(?:${NOUNS.map((noun) => `${noun}?`).join('|')})$`);
/** Ends of other words as well, so they count where they are a word: `smtpPass`, not `bypass`. */
const WORD = /(?:^|[^a-zA-Z])(?:pass|pin)$|(?:[a-z\d](?:Pass|Pin)|(?:^|[^a-zA-Z])(?:PASS|PIN|Pass|Pin))$/;
const WHOLE = /^(?:bearer|cookie|setcookie|jwt|sig|xamzsignature)$/;
/** What is said of the form in which a secret stands, behind its name: `passwordHash`, `secretValue`. */
const FORM = /(?:hash|value|string|plain|plaintext|cleartext|encoded|base64|pem)$/;
/** They name a place in a list, or a property of an object. */
const NO_SECRET = /(?:sync|page|next|continuation|cursor|delta|change|skip|resume)tokens?$|^usercredential$/;

/** Whether a value with this name is a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.replace(/(?<!\d)\d+$/, '');
  if (WORD.test(plain)) return true;
  const joined = plain.replace(/[^a-zA-Z\d]/g, '').toLowerCase();
  return isSecret(joined) || isSecret(joined.replace(FORM, ''));
}

/** Whether it is the name of several secrets, each of which has a name of its own: `passwords`, `apiKeys`. */
export function isNameOfSecrets(name: string): boolean {
  return /s$/i.test(name) && !/(?:pass|credentials)$/i.test(name) && isSecretName(name);
}

/** Whether a secret is spoken of anywhere in it: for variables and headers, where one too many does no harm. */
export function isSecretByAnyWord(name: string): boolean {
  return (
    /passw|passph|passcode|secret|token|credential|authori[sz]ation|api_?key|private_?key|bearer|jwt/i.test(
      name,
    ) || isSecretName(name)
  );
}

function isSecret(joined: string): boolean {
  return (ENDING.test(joined) || WHOLE.test(joined)) && !NO_SECRET.test(joined);
}
