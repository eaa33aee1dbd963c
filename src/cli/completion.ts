/**
 * Scripts with which a shell completes wf's words. Everything stands in the script: a key press starts no process, and nothing that
 * a store holds (a type's name may be anything) ever reaches a shell's expansion.
 */
import { jobStates } from '../domain/job.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

export interface CompletableFlag {
  name: string
  char: string | null
  summary: string
  /** It takes a value. */
  hasValue: boolean
}

export interface CompletableCommand {
  /** `jobs list`. */
  words: string
  summary: string
  flags: readonly CompletableFlag[]
}

export interface Completable {
  commands: readonly CompletableCommand[]
  topics: readonly { name: string; summary: string }[]
}

/** What the value of a flag can be, where that is a closed set. */
const values: Readonly<Record<string, readonly string[]>> = {
  state: jobStates,
  by: ['cause', 'type', 'outcome', 'minute'],
}

export function completionScript(shell: Shell, wf: Completable): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](wf)
}

/** The first words, with what they do: topics and commands that belong to none. */
function roots({ commands, topics }: Completable): readonly { name: string; summary: string }[] {
  const alone = commands
    .filter(({ words }) => !words.includes(' '))
    .map(({ words, summary }) => ({ name: words, summary }))
  return [...topics, ...alone].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const verbs = ({ commands }: Completable, topic: string) =>
  commands.flatMap(({ words, summary }) =>
    words.startsWith(`${topic} `) ? [{ name: words.slice(topic.length + 1), summary }] : [],
  )

const flagWords = ({ name, char }: CompletableFlag) => [`--${name}`, ...(char === null ? [] : [`-${char}`])]
const flagList = ({ flags }: CompletableCommand) => flags.flatMap(flagWords).join(' ')

function bashScript(wf: Completable): string {
  const topics = wf.topics.map(
    ({ name }) =>
      `    ${name}) list="${verbs(wf, name)
        .map((verb) => verb.name)
        .join(' ')}" ;;`,
  )
  const commands = wf.commands.map((command) => `    "${command.words}") flags="${flagList(command)}" ;;`)
  const closed = Object.entries(values).map(
    ([flag, list]) => `    --${flag}) COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$cur")); return ;;`,
  )
  return `# wf for bash: put  source <(wf completion bash)  into ~/.bashrc
_wf() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" list="" flags="" first="" second="" word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == -* ]] && break
    if [[ -z $first ]]; then first="$word"; elif [[ -z $second ]]; then second="$word"; fi
  done
  case "$prev" in
${closed.join('\n')}
  esac
  if [[ -z $first ]]; then
    COMPREPLY=($(compgen -W "${roots(wf)
      .map(({ name }) => name)
      .join(' ')}" -- "$cur"))
    return
  fi
  case "$first" in
${topics.join('\n')}
  esac
  if [[ -n $list && -z $second && $cur != -* ]]; then
    COMPREPLY=($(compgen -W "$list" -- "$cur"))
    return
  fi
  case "$first\${list:+ $second}" in
${commands.join('\n')}
  esac
  [[ $cur == -* ]] && COMPREPLY=($(compgen -W "$flags" -- "$cur"))
}
complete -o default -F _wf wf
`
}

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** As \`_describe\` reads it: the word, a colon, what it is. */
const described = (word: string, summary: string) => single(`${word.replaceAll(':', '\\:')}:${summary}`)

function zshScript(wf: Completable): string {
  const list = (items: readonly { name: string; summary: string }[]) =>
    items.map(({ name, summary }) => described(name, summary)).join(' ')
  const topics = wf.topics.map(({ name }) => `    ${name}) verbs=(${list(verbs(wf, name))}) ;;`)
  const commands = wf.commands.map(
    ({ words, flags }) =>
      `    ${single(words)}) flags=(${flags.map(({ name, summary }) => described(`--${name}`, summary)).join(' ')}) ;;`,
  )
  const closed = Object.entries(values).map(
    ([flag, of]) => `    --${flag}) compadd -- ${of.join(' ')}; return ;;`,
  )
  return `#compdef wf
# wf for zsh: put  source <(wf completion zsh)  into ~/.zshrc, behind compinit
_wf() {
  local -a verbs flags commands
  case "\${words[CURRENT-1]}" in
${closed.join('\n')}
  esac
  if (( CURRENT == 2 )); then
    commands=(${list(roots(wf))})
    _describe 'command' commands
    return
  fi
  case "\${words[2]}" in
${topics.join('\n')}
  esac
  if (( CURRENT == 3 && \${#verbs} )); then
    _describe 'command' verbs
    return
  fi
  local id="\${words[2]}"
  (( \${#verbs} )) && id="$id \${words[3]}"
  case "$id" in
${commands.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o 'flag' flags; else _files; fi
}
if [[ "\${funcstack[1]}" == _wf ]]; then _wf "$@"; else compdef _wf wf; fi
`
}

const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fishScript(wf: Completable): string {
  const within = (words: string) => {
    const [first = '', second] = words.split(' ')
    return second === undefined ? `__wf_at ${first}` : `__wf_at ${first} ${second}`
  }
  const first = roots(wf).map(
    ({ name, summary }) => `complete -c wf -n __wf_start -f -a ${name} -d ${fishQuoted(summary)}`,
  )
  const second = wf.topics.flatMap(({ name }) =>
    verbs(wf, name).map(
      (verb) => `complete -c wf -n '__wf_only ${name}' -f -a ${verb.name} -d ${fishQuoted(verb.summary)}`,
    ),
  )
  const flags = wf.commands.flatMap(({ words, flags }) =>
    flags.map(({ name, char, summary, hasValue }) => {
      const short = char === null ? '' : ` -s ${char}`
      const list = values[name]
      const value = hasValue ? ` -r${list ? ` -f -a ${fishQuoted(list.join(' '))}` : ''}` : ''
      return `complete -c wf -n '${within(words)}' -l ${name}${short}${value} -d ${fishQuoted(summary)}`
    }),
  )
  return `# wf for fish: wf completion fish > ~/.config/fish/completions/wf.fish
function __wf_words
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    echo $word
  end
end
function __wf_start
  test (count (__wf_words)) -eq 0
end
function __wf_only
  set -l words (__wf_words)
  test (count $words) -eq 1; and test "$words[1]" = $argv[1]
end
function __wf_at
  set -l words (__wf_words)
  set -l length (count $argv)
  test (count $words) -ge $length; or return 1
  test "$words[1..$length]" = "$argv"
end
${[...first, ...second, ...flags].join('\n')}
`
}
