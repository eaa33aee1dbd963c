import { BaseCommand } from '../../cli/base-command.ts'
import { listFlags, operationArg } from '../../cli/flags.ts'
import { collect, nextInJson } from '../../cli/output/list.ts'
import {
  operationDocument,
  operationFacts,
  targetColumns,
  targetDocument,
  targetName,
  type SeenTarget,
} from '../../cli/changes/operation-view.ts'
import { noSuchOperation } from '../../cli/input/not-found.ts'
import { prose } from '../../text/dedent.ts'
import { Safe, say } from '../../terminal/safe.ts'
import { table } from '../../terminal/table.ts'
import { undoRefusal, type Operation } from '../../domain/operation.ts'
import { foretellUndo } from '../../engine/undo.ts'
import type { Reader } from '../../engine/engine.ts'
import type { Paged } from '../../store/page.ts'

export default class AuditShow extends BaseCommand {
  static override summary = 'Show an operator action and its targets'
  static override description =
    prose`OPERATION is the number that the change told, and that wf audit list shows. Its targets come page by page; UNDO says what an
undo would do to each now.`
  static override examples = [
    '<%= config.bin %> audit show 12',
    '<%= config.bin %> audit show 12 --limit 1000 --json',
  ]
  static override args = { operation: operationArg() }
  static override flags = { ...listFlags('the targets') }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AuditShow)
    const store = await this.openReader()
    const operation = await store.operation(args.operation)
    if (!operation) throw await noSuchOperation(store, args.operation)
    const { items, next } = await this.#targets(store, operation, flags)
    const { document, print, note, paint, width } = this.output
    const look = { paint, now: store.now(), suffix: this.storeSuffix }
    document({
      ...operationDocument(operation, look.now, look.suffix),
      targets: { items: items.map(targetDocument), page: { next: nextInJson(next) } },
    })
    if (flags.ids) return print(...items.map((target) => say`${targetName(target)}`))
    print(...operationFacts(operation, look))
    if (items.length > 0) print(say``, ...table(items, targetColumns(), { paint, width }))
    if (next !== null)
      note(say`${this.output.errPaint.dim(say`there are more: --limit, or --cursor ${new Safe(next)}`)}`)
  }

  async #targets(
    store: Reader,
    operation: Operation,
    flags: Parameters<typeof collect>[1],
  ): Promise<Paged<SeenTarget>> {
    const { items, next } = await collect((page) => store.operationTargets(operation.id, page), flags)
    const now = store.now()
    const isOpen = undoRefusal(operation, now) === null
    const seen: SeenTarget[] = []
    for (const target of items) {
      const isAsked = isOpen && target.status === 'changed' && target.undoneBy === null
      seen.push({ ...target, undo: isAsked ? await foretellUndo(store, target, now) : null })
    }
    return { items: seen, next }
  }
}
