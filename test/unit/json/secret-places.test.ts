import { describe, expect, it } from 'vitest';
import { isSecretByAnyWord, isSecretName, placesOfSecrets, withoutPasswords } from '#json/index.ts';

describe('what is a secret by its name', () => {
  it.each([
    ...[
      'password',
      'bindPassword',
      'passwd',
      'SMTP_PASS',
      'smtpPass',
      'db.pass',
      'pwd',
      'passcode',
      'pin',
      'cardPin',
    ],
    ...[
      'secret',
      'client_secret',
      'clientsecret',
      'secretKey',
      'SECRET_KEY',
      'secretkey',
      'secretAccessKey',
      'secretKeyBase',
    ],
    ...[
      'apiKey',
      'x-api-key',
      'accessKey',
      'signingKey',
      'encryptionKey',
      'masterKey',
      'AccountKey',
      'SharedAccessKey',
    ],
    ...[
      'hmacKey',
      'sshKey',
      'webhookKey',
      'consumerKey',
      'subscription-key',
      'privateKeyPem',
      'passphrase',
      'password2',
    ],
    ...[
      'token',
      'botToken',
      'idToken',
      'sessionToken',
      'oauth_token',
      'credentials',
      'dbCredentials',
      'Proxy-Authorization',
    ],
    ...['passwordHash', 'secretString', 'bearer', 'Cookie', 'jwt'],
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    ...[
      'bypass',
      'compass',
      'spin',
      'key',
      'primaryKey',
      'publicKey',
      'accessKeyId',
      'keyId',
      'sortKeys',
      'foreignKey',
    ],
    ...[
      'passwordAttribute',
      'passwordFields',
      'userCredential',
      'syncToken',
      'nextPageToken',
      'tokenUrl',
      'secretName',
    ],
    ...['authorizationEndpoint', 'tokenIdleTimeMinutes', 'userName', '_key', 'constructor'],
  ])('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it.each(['MAIL_PASSWORD_OLD', 'X-Vault-Token-Id', 'DB_PASS', 'SECRETS_DIR'])('%s speaks of one', (name) => {
    expect(isSecretByAnyWord(name)).toBe(true);
  });
});

describe('places of secrets', () => {
  const places = (content: Parameters<typeof placesOfSecrets>[0]) =>
    placesOfSecrets(content).map((place) => place.join('/'));

  it.each([
    [{ passwords: { ada: 'x', bob: 'y' } }, ['passwords/ada', 'passwords/bob']],
    [{ apiKeys: ['x', 'y'] }, ['apiKeys/0', 'apiKeys/1']],
    [{ password: 1234 }, ['password']],
    [{ headers: [{ name: 'X-Api-Key', value: 'x' }] }, ['headers/0/value']],
    [[{ operation: 'replace', field: '/password', value: 'x' }], ['0/value']],
    [{ text: '-----BEGIN RSA PRIVATE KEY-----\nMIIE' }, ['text']],
    [{ sent: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl' }, ['sent']],
    [{ jwk: { kty: 'oct', k: 'x', kid: 'a' } }, ['jwk/k']],
    [{ url: 'postgres://svc:x@db/svc' }, ['url']],
  ])('%j has some', (content, expected) => {
    expect(places(content)).toEqual(expected);
  });

  it.each([
    [{ properties: { passwords: { type: 'array', title: 'Passwords' }, password: { type: 'string' } } }],
    [{ password: '&{mail.password}', maxTokens: 5, secret: '' }],
    [{ required: ['password'], name: 'password', fields: 'password' }],
    [{ source: 'password == "x" && user == "y"', url: 'https://id.example.com/token?response_type=token' }],
    [{ source: 'var host = 1;\nvar password = "x";' }],
  ])('%j has none', (content) => {
    expect(places(content)).toEqual([]);
  });
});

describe('a password inside of a text', () => {
  it.each([
    ['postgres://svc:x@db/svc', 'postgres://svc:***@db/svc'],
    [
      'jdbc:postgresql://db/svc?user=svc&password=x&ssl=true',
      'jdbc:postgresql://db/svc?user=svc&password=***&ssl=true',
    ],
    [
      'jdbc:sqlserver://db;user=sa;password=x;encrypt=true',
      'jdbc:sqlserver://db;user=sa;password=***;encrypt=true',
    ],
    ['jdbc:oracle:thin:scott/tiger@db:1521:xe', 'jdbc:oracle:thin:scott/***@db:1521:xe'],
    ['Server=db;User Id=sa;Password=a b;Encrypt=true', 'Server=db;User Id=sa;Password=***;Encrypt=true'],
    ['AccountName=a;AccountKey=x==;EndpointSuffix=core', 'AccountName=a;AccountKey=***;EndpointSuffix=core'],
    ['host=db user=svc password=x', 'host=db user=svc password=***'],
    ['https://a.example.com/b?sv=1&sig=x', 'https://a.example.com/b?sv=1&sig=***'],
    ['https://u:x@a.example.com/b?access_token=y', 'https://u:***@a.example.com/b?access_token=***'],
    ['grant_type=client_credentials&client_secret=x', 'grant_type=client_credentials&client_secret=***'],
    [
      'PlainLoginModule required username="a" password="x";',
      'PlainLoginModule required username="a" password=***;',
    ],
  ])('%s is shown without it', (text, shown) => {
    expect(withoutPasswords(text)).toBe(shown);
    expect(withoutPasswords(shown)).toBe(shown);
  });

  it('leaves what refers to one as it is', () => {
    expect(withoutPasswords('postgres://svc:&{db.password}@db/svc')).toBeUndefined();
    expect(withoutPasswords('https://a.example.com/b?token=&{hook.token}')).toBeUndefined();
  });
});
