/** A plan over a batch of one. */
import { WfError } from '../errors.ts'
import type { Plan } from '../store/plan.ts'
import type { Store } from '../store/port.ts'

export async function transactOne<Item, Answer>(
  store: Pick<Store, 'transact' | 'now'>,
  plan: Plan<Item, Answer>,
  item: Item,
): Promise<Answer> {
  const answers = await store.transact(plan, [item], store.now())
  if (answers.length === 0) throw new WfError('unexpected', 'the store answered nothing')
  return answers[0] as Answer
}
