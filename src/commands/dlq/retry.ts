import { Flags } from '@oclif/core'
import { againFlags } from '../../cli/changes/change-flags.ts'
import { ChangeCommand, dlqChangeFlags, type ChangeFlags } from '../../cli/changes/change-command.ts'
import { guarded, keysArg } from '../../cli/flags.ts'
import { readKeys } from '../../cli/input/keys.ts'
import { readText } from '../../text/parse-input.ts'
import { jobChange } from '../../cli/changes/job-change.ts'
import { selectorOf } from '../../cli/input/selector-flags.ts'
import { prose } from '../../text/dedent.ts'
import { WfError } from '../../errors.ts'
import type { VariableChange } from '../../domain/resolution.ts'

export default class DlqRetry extends ChangeCommand {
  static override summary = 'Retry the jobs of dead letters'
  static override description =
    prose`The job keeps its key and history; its incident, if any, is closed with the dead letter. With a selector
instead of keys it prompts on a terminal, and needs --yes elsewhere.

--edit opens the variables of one job in $VISUAL, else $EDITOR, else vi. Secrets are shown as ***, and a value left so is not changed;
--reveal shows them. With --handler the result must fit the schema of the type's handler. The changes are recorded as those of --set
are. Nothing is changed if the editor fails or nothing was edited.`
  static override examples = [
    '<%= config.bin %> dlq retry 17',
    {
      description: 'correct the variable that made it poison',
      command: '<%= config.bin %> dlq retry 17 --set amount=10',
    },
    {
      description: 'correct the variables in an editor, validated before they are stored',
      command: '<%= config.bin %> dlq retry 17 --edit --handler ./charge-payment.ts',
    },
    '<%= config.bin %> dlq retry --type send-mail --kind exhausted --retries 5 --yes',
  ]
  static override args = { keys: keysArg('keys of the jobs') }
  static override flags = {
    ...dlqChangeFlags,
    ...againFlags,
    edit: Flags.boolean({ summary: 'edit the variables first; one job at a time' }),
    handler: Flags.custom<string>({
      ...{
        summary: 'module of the handler whose schema the edited variables must fit',
        helpValue: 'FILE',
      },
      parse: guarded((text, name) => readText(text, name)),
    })(),
    reveal: Flags.boolean({ summary: 'show secrets in the editor; this is recorded' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DlqRetry)
    refuseMixed(flags)
    const key = flags.edit ? await this.#onlyKey(args.keys, flags) : null
    const set = key === null ? null : await this.#edited(key, flags)
    const change = jobChange('dlq_retry', flags)
    await this.change(key === null ? args.keys : [String(key)], flags, {
      ...{ command: 'dlq retry', done: 'taken back to work', list: 'dlq' },
      change: set === null ? change : { ...change, set },
    })
  }

  async #onlyKey(words: readonly string[] | undefined, flags: ChangeFlags): Promise<number> {
    const isSelected = Object.keys(selectorOf(flags, this.now())).length > 0
    const [key, ...others] = words && !isSelected ? await readKeys(words) : []
    if (key !== undefined && others.length === 0) return key
    throw new WfError('usage', '--edit is for one job at a time', {
      hint: 'wf dlq retry KEY --edit; --set changes many in the same way',
    })
  }

  /** Null where there is nothing to edit for: the change itself then says why. */
  async #edited(
    key: number,
    { reveal, handler: file, reason }: EditFlags,
  ): Promise<readonly VariableChange[] | null> {
    const [{ editVariables, handlerOf }, { sizes, loadMs }] = await Promise.all([
      import('../../cli/dead-letters/letter-edit.ts'),
      this.settings(),
    ])
    const reader = await this.openRevealing({ reveal })
    try {
      const detail = await reader.job(key)
      if (detail?.deadLetter?.closedAt !== null) return null
      const handler = file === undefined ? null : await handlerOf(file, detail.job.type, loadMs)
      await this.recordReveal([key], { reveal, reason })
      const { variables } = detail
      return await editVariables(this.output, {
        jobKey: key,
        variables,
        variablesBytes: sizes.variablesBytes,
        reveal,
        handler,
      })
    } finally {
      // The change opens it anew: nobody knows how long the editor is open.
      await reader.close()
    }
  }
}

interface EditFlags {
  reveal: boolean
  handler?: string | undefined
  reason?: string | undefined
}

/** Told here: the framework's usage line makes no sense of flags that hang together so. */
function refuseMixed({ edit, handler, reveal, set }: EditFlags & { edit: boolean; set?: unknown }): void {
  if (edit && set !== undefined)
    throw new WfError('usage', '--edit and --set are two ways to the same', {
      hint: 'change all of it in the editor',
    })
  if (edit || (handler === undefined && !reveal)) return
  throw new WfError('usage', `--${handler === undefined ? 'reveal' : 'handler'} is for --edit`, {
    hint: 'wf dlq retry KEY --edit',
  })
}
