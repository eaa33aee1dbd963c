import { describe, expect, it } from 'vitest'
import { maskText, maskValue } from '../../src/text/mask.ts'

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----'

describe('maskText', () => {
  it.each([
    // B145
    ['user info of a URL', 'postgres://wf:hunter2@db/x', 'postgres://***@db/x'],
    ['a URL password with an @', 'https://u:p@ss@h/', 'https://***@h/'],
    ['a JWT', 'got eyJhbGciOiJI.eyJzdWIiOiIx.sig-x!', 'got ***!'],
    ['a PEM', `key: ${pem} end`, 'key: -----BEGIN RSA PRIVATE KEY----- *** end'],
    ['a PEM in JSON text', pem.replaceAll('\n', '\\n'), '-----BEGIN RSA PRIVATE KEY----- ***'],
    ['a PEM that is cut off', '-----BEGIN PRIVATE KEY-----\nMIIE', '-----BEGIN PRIVATE KEY----- ***'],
    ['a bearer token', 'sent Bearer abc.def-123', 'sent Bearer ***'],
    ['basic credentials', 'sent Basic dXNlcjpwYXNzMQ==', 'sent Basic ***'],
    ['a header', 'Authorization: Basic dXNlcjpwYXNz\nHost: x', 'Authorization: ***\nHost: x'],
    ['a cookie', 'Set-Cookie: sid=1; HttpOnly', 'Set-Cookie: ***'],
    ['a query', 'GET /x?api_key=abc&y=1', 'GET /x?api_key=***&y=1'],
    ['JSON', '{"password":"a\\"b c","n":1}', '{"password":"***","n":1}'],
    ['JSON in JSON', '{"body":"{\\"token\\":\\"t t\\"}"}', '{"body":"{\\"token\\":\\"***\\"}"}'],
    ['an object literal', "{ client_secret: 'x y' }", "{ client_secret: '***' }"],
    ['an environment line', 'DB_PASSWORD=hunter2 PORT=80', 'DB_PASSWORD=*** PORT=80'],
    ['well-known prefixes', 'sk_live_abcdefgh1234 ghp_abcdefgh1234', '*** ***'],
    ['digits of a password', 'password: 12345', 'password: ***'],
    ['a URL password with a slash', 'postgres://u:p/ss@h/x', 'postgres://***@h/x'],
    ['a URL that was cut', 'at postgres://u:secr…', 'at postgres://***…'],
    [
      'a signed address',
      'https://b/x?sv=1&sig=abc%2Bdef&se=2&X-Amz-Signature=0af3',
      'https://b/x?sv=1&sig=***&se=2&X-Amz-Signature=***',
    ],
    ['a JWT that was cut', 'got eyJhbGciOiJIUzI1NiJ9…', 'got ***…'],
    ['two words', 'my api key: abc', 'my api key: ***'],
    ['digits of a card check', '{"cvv": 123,"pin":"0000"} was thrown', '{"cvv": ***,"pin":"***"} was thrown'],
    [
      'an object under a secret name',
      '{"credentials": {"user":"u","x":"y"}, "n": 1}',
      '{"credentials": ***, "n": 1}',
    ],
    ['a list under a secret name', '{"Set-Cookie":["sid=1"],"n":1}', '{"Set-Cookie":***,"n":1}'],
    [
      'JSON in JSON in JSON',
      String.raw`"{\\\"pin\\\":\\\"1 2\\\"}"`,
      String.raw`"{\\\"pin\\\":\\\"***\\\"}"`,
    ],
    ['a setting with a common name', 'auth=abc {"session":"x"}', 'auth=*** {"session":"***"}'],
  ])('%s', (_, text, shown) => {
    expect(maskText(text)).toBe(shown)
  })

  it.each([
    'Basic authentication failed',
    'the token expired: try again',
    'password is wrong',
    'max_tokens: 5',
    'https://x.example/a@b',
    'order o-1 for ann@example.org',
    'secret=false',
    'sessions: 3, password_length=8, token count: 12',
    'https://registry.example:4873/@scope/pkg',
    'if (token == null) return',
    'order 1700000000005 of 4111111111111112',
    'span: 3, japan: yes, spin=1, secretary: Ann',
    'job charge-payment #12: attempt 1 failed: ETIMEDOUT, again in 2s',
  ])('leaves %j readable', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('is hidden to the end of what a shell puts together', () => {
    expect(maskText("--set password='it'\\''s so' --json")).toBe("--set password='***' --json")
  })

  it('is done once: masking again changes nothing', () => {
    for (const text of [pem, 'https://u:p@h', 'password: "x"', 'Bearer abcdefgh1'])
      expect(maskText(maskText(text))).toBe(maskText(text))
  })
})

describe('maskValue', () => {
  // B145
  it('hides by member names at any depth and by value forms', () => {
    const value = {
      password: 'x',
      nested: { apiKey: 'k', deeper: [{ 'access-token': 't' }] },
      headers: { Authorization: 'z', 'Set-Cookie': ['a'] },
      credentials: { user: 'u', pass: 'p' },
      url: 'https://u:p@h/',
      pin: 1234,
      note: 'fine',
    }
    expect(maskValue(value)).toEqual({
      password: '***',
      nested: { apiKey: '***', deeper: [{ 'access-token': '***' }] },
      headers: { Authorization: '***', 'Set-Cookie': '***' },
      credentials: '***',
      url: 'https://***@h/',
      pin: '***',
      note: 'fine',
    })
    expect(value.nested.apiKey).toBe('k')
  })

  it.each([
    ...[
      'cvv',
      'CVC2',
      'cardCvc',
      'card_cvv',
      'csc',
      'pin',
      'pinCode',
      'PIN',
      'userPin',
      'pan',
      'iban',
      'customerIban',
      'IBAN',
      'ssn',
    ],
    ...[
      'cardNumber',
      'card_number',
      'CARD-NUMBER',
      'cardnumber',
      'cardNo',
      'ccNumber',
      'cc_num',
      'creditCard',
      'credit_card_number',
    ],
    ...[
      'otp',
      'otpCode',
      'one_time_code',
      'verificationCode',
      'securityCode',
      'cookie',
      'cookies',
      'set-cookie',
      'Set-Cookie',
    ],
    ...[
      'session',
      'sessionId',
      'session_id',
      'sid',
      'PHPSESSID',
      'sessionToken',
      'privateKey',
      'private_key',
      'SSH_PRIVATE_KEY',
    ],
    ...[
      'password',
      'passwd',
      'PWD',
      'passphrase',
      'Passwort',
      'dbPass',
      'auth',
      'authorization',
      'x-api-key',
      'accessKey',
      'AWS_SECRET_ACCESS_KEY',
    ],
    ...[
      'token',
      'refreshToken',
      'csrf-token',
      'jwt',
      'clientSecret',
      'credentials',
      'creds',
      'dbCreds',
      'bearer',
    ],
    // B145
  ])('hides what stands under %s, in data and in text', (name) => {
    expect(maskValue({ [name]: 'x1', deep: [{ [name]: ['x1'] }, { [name]: { a: 'x1' } }] })).toEqual({
      [name]: '***',
      deep: [{ [name]: '***' }, { [name]: '***' }],
    })
    for (const text of [
      JSON.stringify({ [name]: 'x1' }),
      JSON.stringify(JSON.stringify({ [name]: 'x1' })),
      `${name}=x1`,
      `{ ${name}: 'x1' }`,
    ])
      expect(maskText(text)).not.toContain('x1')
  })

  // B145
  it.each(['cvv', 'pin', 'otp', 'password', 'cardNumber', 'pan', 'secret', 'apiKey'])(
    'hides a number under %s',
    (name) => {
      expect(maskValue({ [name]: 123 })).toEqual({ [name]: '***' })
    },
  )

  // B145
  it('hides nothing less in the text of data than in the data', () => {
    const data = {
      card: { number: '17', cvv: '123', pin: 1234 },
      auth: { pass: 'p4ss' },
      note: 'postgres://u:p4ss@h',
      session: 'p4ss',
    }
    for (const text of [JSON.stringify(maskValue(data)), maskText(JSON.stringify(data))]) {
      for (const secret of ['123', 'p4ss']) expect(text).not.toContain(secret)
    }
  })

  it.each([
    { maxTokens: 5 },
    { sessions: 3, sessionCount: 4, passwordLength: 8, tokenLimit: 9, cookies: 2 },
    {
      span: 'x',
      japan: 'x',
      spin: 'x',
      pinned: 'x',
      secretary: 'Ann',
      bypass: 'no',
      ibanez: 'x',
      authorName: 'x',
    },
    { password: null },
    { secret: true },
    { token: '' },
    { idempotencyKey: 'k-1', pinned: 'yes', author: 'Ann', amount: 30 },
    { key: 4111111111111111, digits: '4111 1111 1111 1111', fingerprint: '4111111111111111' },
  ])('leaves %j as it is', (value) => {
    expect(maskValue(value)).toEqual(value)
  })

  // B145
  it('hides secrets in names, and keeps as many members', () => {
    expect(maskValue({ 'https://u:p@h/': 1, 'https://v:q@h/': 2, plain_name_of_length: 4 })).toEqual({
      'https://***@h/': 1,
      'https://***@h/ (2)': 2,
      plain_name_of_length: 4,
    })
  })

  // B107
  it('keeps a member called __proto__ a member', () => {
    const masked = maskValue(JSON.parse('{"__proto__":{"token":"t"}}'))
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"token":"***"}}')
  })

  it('takes linear time for a text that repeats what it searches for', () => {
    const parts = [
      ...[
        'a',
        'word ',
        '"a":"b",',
        '\\',
        '4',
        'pan:',
        'password=',
        '"password":"',
        'http://',
        'a:',
        '=',
        '_-',
      ],
      ...[
        'token:[',
        'token:\\"',
        "token:'",
        'token:"',
        'eyJ',
        'eyJ-',
        'Bearer ',
        'bearer\t',
        'https://a:b',
        '://',
      ],
      ...[
        'https://a:b…',
        'https://a:b@',
        '?sig=',
        'max_tokens=1 ',
        'basic aaaaaaaa',
        '\\":',
        '-----BEGIN ',
        'api key: ',
      ],
    ]
    const msFor = (text: string) =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const before = process.cpuUsage()
          expect(maskText(text).length).toBeLessThanOrEqual(text.length * 2)
          return process.cpuUsage(before).user / 1_000
        }),
      )
    for (const part of parts) {
      const [short, long] = [10_000, 320_000].map((length) => part.repeat(Math.ceil(length / part.length)))
      if (short === undefined || long === undefined) throw new Error('there are two texts')
      const shortMs = Math.max(2, msFor(short))
      // Linear time takes 32 times as long, quadratic time 1,024 times.
      expect([part, msFor(long) < 250 * shortMs]).toEqual([part, true])
    }
  })

  // B075
  it('does not run out of stack', () => {
    let deep: unknown = 'x'
    for (let n = 0; n < 50_000; n++) deep = [deep]
    expect(() => maskValue(deep)).not.toThrow()
  })
})
