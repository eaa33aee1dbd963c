/** Variables of job `n` whose JSON is `bytes` long (at least about 60). */
export function payload(n, bytes) {
  const variables = { n, sentUs: 0, orderId: `o-${String(n).padStart(7, '0')}`, amount: 30, note: '' }
  variables.note = 'x'.repeat(Math.max(0, bytes - JSON.stringify(variables).length))
  return variables
}
