/** Whether two values are the same JSON: the order of members says nothing, that of a list does. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameJson(item, other[at]))
    )
  }
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(member(one, name), member(other, name)))
  )
}

/** `__proto__` is data like any other. */
function member(owner: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(owner, name)?.value
}
