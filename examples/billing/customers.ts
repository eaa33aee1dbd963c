/** Who is billed, as a database would have it. What belongs to one period of one customer has one name everywhere. */
export interface Customer {
  id: string
  card: string
  seats: number
}

/** Customer 3 has a card that is declined, customer 5 one whose bank does not answer. */
export const customers: readonly Customer[] = [
  { id: 'customer-1', card: 'tok_visa', seats: 3 },
  { id: 'customer-2', card: 'tok_amex', seats: 12 },
  { id: 'customer-3', card: 'tok_declined', seats: 1 },
  { id: 'customer-4', card: 'tok_visa', seats: 40 },
  { id: 'customer-5', card: 'tok_bank_down', seats: 2 },
  { id: 'customer-6', card: 'tok_maestro', seats: 7 },
  { id: 'customer-7', card: 'tok_visa', seats: 5 },
]

export const pricePerSeat = 9.5

/** Such as `invoice/customer-7/2026-11`: whoever asks for it a second time gets the first. */
export function keyOf(
  what: 'invoice' | 'charge' | 'reminder',
  { customer, period }: { customer: string; period: string },
): string {
  return `${what}/${customer}/${period}`
}

export const periodPattern = /^\d{4}-(0[1-9]|1[0-2])$/
