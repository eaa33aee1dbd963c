import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCardNumber } from '../../src/text/card-number.ts'
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
    ['a flag', 'curl --api-key abc --port 80', 'curl --api-key *** --port 80'],
    ['an element', '<Password type="text">x</Password>', '<Password type="text">***</Password>'],
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
    ['a card number', 'card 4111 1111 1111 1111 was declined', 'card *** was declined'],
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
    'auth: failed; session: started',
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
    expect(maskText("wf --password 'it'\\''s so' --json")).toBe('wf --password *** --json')
  })

  it('is done once: masking again changes nothing', () => {
    for (const text of [pem, 'https://u:p@h', 'password: "x"', 'Bearer abcdefgh1'])
      expect(maskText(maskText(text))).toBe(maskText(text))
  })
})

describe('card numbers', () => {
  it.each([
    ['Visa', '4111111111111111'],
    ['Visa of 13 digits', '4222222222222'],
    ['Mastercard', '5555555555554444'],
    ['Mastercard of the 2 series', '2223003122003222'],
    ['American Express', '378282246310005'],
    ['Diners', '30569309025904'],
    ['Discover', '6011111111111117'],
    ['JCB', '3566002020360505'],
    ['UnionPay of 19 digits', '6205500000000000004'],
    // B145
  ])('hides one of %s wherever it stands', (_, digits) => {
    const groups = digits.replace(/(\d{4})(?=\d)/g, '$1 ')
    for (const text of [digits, groups, groups.replaceAll(' ', '-'), groups.replaceAll(' ', '\u00a0')]) {
      expect(maskText(`paid with ${text}, thanks`)).toBe('paid with ***, thanks')
      expect(maskText(`${text}`)).toBe('***')
      expect(maskValue({ a: [text] })).toEqual({ a: ['***'] })
    }
    const number = Number(digits)
    if (Number.isSafeInteger(number))
      expect(maskValue({ a: number, text: `{"a":${digits}}` })).toEqual({ a: '***', text: '{"a":***}' })
  })

  it('hides one among other numbers, and leaves those', () => {
    expect(maskText('17 4111 1111 1111 1111 12/27')).toBe('17 *** 12/27')
    expect(maskText('4111-1111-1111-1111-4222222222222')).toBe('***-***')
  })

  it.each([
    ['fails the check', '4111111111111112'],
    ['is too short', '411111111116'],
    ['is too long', '41111111111111111113'],
    ['is a time in ms', '1700000000008'],
    ['is a time in µs', '1700000000000003'],
    ['is a part of a word', 'a4111111111111111f'],
    ['is a fraction', '0.4111111111111111'],
    ['are single digits', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
  ])('leaves what %s', (_, text) => {
    expect(maskText(`see ${text} there`)).toBe(`see ${text} there`)
  })

  it('takes keys of jobs, counts and times for what they are', () => {
    for (const value of [0, 1, 4711, 250_000, 1_700_000_000_005, 2 ** 53 - 1, 4.5e20, -4111111111111111])
      expect(maskValue(value)).toBe(value)
  })

  it('is one in ten of the numbers that begin as cards do, at most', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 10n ** 19n - 1n }), (number) => {
        const all = Array.from({ length: 10 }, (_, last) => `${number / 10n}${last}`)
        expect(all.filter(isCardNumber).length).toBeLessThanOrEqual(1)
      }),
    )
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
      card: { number: '4111111111111111', cvv: '123', pin: 1234 },
      auth: { pass: 'p4ss' },
      note: 'postgres://u:p4ss@h',
      session: 'p4ss',
    }
    for (const text of [JSON.stringify(maskValue(data)), maskText(JSON.stringify(data))]) {
      for (const secret of ['4111', '123', 'p4ss']) expect(text).not.toContain(secret)
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
  ])('leaves %j as it is', (value) => {
    expect(maskValue(value)).toEqual(value)
  })

  const besides: readonly object[] = [
    [{ name: 'password', value: 'p4ss' }],
    [{ Key: 'apiKey', Value: 'p4ss', Type: 'text' }],
    { env: [{ value: 'p4ss', name: 'DB_PASSWORD' }] },
    { headers: [{ header: 'X-Auth-Token', val: 'p4ss' }] },
    { tags: [{ k: 'pin', v: 1234 }] },
    {
      headers: [
        ['Accept', 'text'],
        ['Authorization', 'p4ss'],
        ['cookie', ['p4ss']],
      ],
    },
  ]
  // B145
  it.each(besides)('hides what a name stands beside, in data and in text: %j', (data) => {
    const hidden = /p4ss|1234/
    const pretty = JSON.stringify(data, null, 2)
    const texts = [
      JSON.stringify(data),
      pretty,
      JSON.stringify(JSON.stringify(data)),
      JSON.stringify({ body: JSON.stringify({ data: JSON.stringify(data) }) }),
    ]
    expect(JSON.stringify(maskValue(data))).not.toMatch(hidden)
    for (const text of texts) expect(maskText(text)).not.toMatch(hidden)
  })

  it.each([
    { name: 'Ann', value: 'p4ss' },
    { name: 'token', total: 5, values: ['a'] },
    { key: 'maxTokens', value: 5 },
    { required: ['password', 'email'], pairs: [['a', 'b']], three: [['token', 'a', 'b']] },
  ])('leaves what no secret names beside it: %j', (data) => {
    expect(maskValue(data)).toEqual(data)
    expect(maskText(JSON.stringify(data))).toBe(JSON.stringify(data))
  })

  // B145
  it('hides secrets in names, and keeps as many members', () => {
    expect(
      maskValue({ 'https://u:p@h/': 1, 'https://v:q@h/': 2, '4111111111111111': 3, plain_name_of_length: 4 }),
    ).toEqual({
      'https://***@h/': 1,
      'https://***@h/ (2)': 2,
      '***': 3,
      plain_name_of_length: 4,
    })
  })

  // B107
  it('keeps a member called __proto__ a member', () => {
    const masked = maskValue(JSON.parse('{"__proto__":{"token":"t"}}'))
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"token":"***"}}')
  })

  it('takes no longer than it must for a text that repeats what it looks for', () => {
    const parts = [
      'a',
      'word ',
      '"a":"b",',
      '\\',
      '4',
      '4111 ',
      'password=',
      '"password":"',
      '<a>',
      'http://',
      'a:',
      'token:[',
      'token:\\"',
      '--a ',
      '=',
    ]
    for (const part of [
      ...parts,
      '_-',
      '4111-',
      'eyJ',
      'Bearer ',
      'https://a:b',
      "token:'",
      '"name":"token","value":"',
      '[["token",',
      '?sig=',
    ]) {
      const text = part.repeat(Math.ceil(200_000 / part.length))
      expect(maskText(text).length).toBeLessThanOrEqual(text.length * 2)
    }
  })

  // B075
  it('does not run out of stack', () => {
    let deep: unknown = 'x'
    for (let n = 0; n < 50_000; n++) deep = [deep]
    expect(() => maskValue(deep)).not.toThrow()
  })
})
