import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToWidth, displayWidth, escapeText, maskText, maskValue } from '../../src/domain/text.ts'

const obeyed = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

describe('escapeText', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['bell\u0007 nul\0 del\u007f', 'bell\\u0007 nul\\u0000 del\\u007f'],
    ['\u009b31m', '\\u009b31m'],
    ['user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['\u2066a\u2069', '\\u2066a\\u2069'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half\ud800', 'half\\ud800'],
    ['\u2028', '\\u2028'],
  ])('A39 %j is shown as %s', (text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  it.each(['plain', 'ünï日本', '👩‍👩‍👧', '❤️', 'שלום', 'e\u0301'])('leaves %s as it is', (text) => {
    expect(escapeText(text)).toBe(text)
  })

  it('keeps line feeds and tabs where lines are wanted', () => {
    expect(escapeText('a\n\tb\r\u001b', { lines: true })).toBe('a\n\tb\\r\\u001b')
  })

  it('A39 lets nothing through that a terminal obeys', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
            fc.constantFrom('\u001b', '\u202e', '\0'),
          ),
        }),
        (text) => void expect(escapeText(text)).not.toMatch(obeyed),
      ),
    )
  })
})

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----'

describe('maskText', () => {
  it.each([
    ['B145 user info of a URL', 'postgres://wf:hunter2@db/x', 'postgres://***@db/x'],
    ['B145 a URL password with an @', 'https://u:p@ss@h/', 'https://***@h/'],
    ['B145 a JWT', 'got eyJhbGciOiJI.eyJzdWIiOiIx.sig-x!', 'got ***!'],
    ['B145 a PEM', `key: ${pem} end`, 'key: -----BEGIN RSA PRIVATE KEY----- *** end'],
    ['B145 a PEM in JSON text', pem.replaceAll('\n', '\\n'), '-----BEGIN RSA PRIVATE KEY----- ***'],
    ['B145 a PEM that is cut off', '-----BEGIN PRIVATE KEY-----\nMIIE', '-----BEGIN PRIVATE KEY----- ***'],
    ['B145 a bearer token', 'sent Bearer abc.def-123', 'sent Bearer ***'],
    ['B145 basic credentials', 'sent Basic dXNlcjpwYXNzMQ==', 'sent Basic ***'],
    ['B145 a header', 'Authorization: Basic dXNlcjpwYXNz\nHost: x', 'Authorization: ***\nHost: x'],
    ['B145 a cookie', 'Set-Cookie: sid=1; HttpOnly', 'Set-Cookie: ***'],
    ['B145 a query', 'GET /x?api_key=abc&y=1', 'GET /x?api_key=***&y=1'],
    ['B145 JSON', '{"password":"a\\"b c","n":1}', '{"password":"***","n":1}'],
    ['B145 JSON in JSON', '{"body":"{\\"token\\":\\"t t\\"}"}', '{"body":"{\\"token\\":\\"***\\"}"}'],
    ['B145 an object literal', "{ client_secret: 'x y' }", "{ client_secret: '***' }"],
    ['B145 an environment line', 'DB_PASSWORD=hunter2 PORT=80', 'DB_PASSWORD=*** PORT=80'],
    ['B145 well-known prefixes', 'sk_live_abcdefgh1234 ghp_abcdefgh1234', '*** ***'],
    ['B145 digits of a password', 'password: 12345', 'password: ***'],
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
  ])('leaves %j readable', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('is done once: masking again changes nothing', () => {
    for (const text of [pem, 'https://u:p@h', 'password: "x"', 'Bearer abcdefgh1']) expect(maskText(maskText(text))).toBe(maskText(text))
  })
})

describe('maskValue', () => {
  it('B145 hides by member names at any depth and by value forms', () => {
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
    { maxTokens: 5 },
    { password: null },
    { secret: true },
    { token: '' },
    { idempotencyKey: 'k-1', pinned: 'yes', author: 'Ann', amount: 30 },
  ])('leaves %j as it is', (value) => {
    expect(maskValue(value)).toEqual(value)
  })

  it('B107 keeps a member called __proto__ a member', () => {
    const masked = maskValue(JSON.parse('{"__proto__":{"token":"t"}}'))
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"token":"***"}}')
  })

  it('B075 does not run out of stack', () => {
    let deep: unknown = 'x'
    for (let n = 0; n < 50_000; n++) deep = [deep]
    expect(() => maskValue(deep)).not.toThrow()
  })
})

describe('width', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本語', 6],
    ['ﾊﾝｶｸ', 4],
    ['ｗｉｄｅ', 8],
    ['한국', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪🇦🇹', 4],
    ['❤️', 2],
    ['1️⃣', 2],
    ['ü', 1],
    ['नि', 1],
    ['▲ ■', 3],
  ])('%s takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本', 4, '日本'],
    ['日本', 1, '…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
  ])('%s cut to %i columns is %s', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut)
  })

  it('never passes the width, and keeps what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        const cut = cutToWidth(text, width)
        expect(displayWidth(cut)).toBeLessThanOrEqual(width)
        if (displayWidth(text) <= width) expect(cut).toBe(text)
      }),
    )
  })

  it('looks only at the beginning of a long text', () => {
    expect(cutToWidth('é'.repeat(5_000_000), 5)).toBe('éééé…')
    expect(cutToWidth('e\u0301'.repeat(1_000), 3)).toBe('e\u0301e\u0301…')
  })
})
