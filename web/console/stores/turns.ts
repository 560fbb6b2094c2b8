/** What a conversation shows, turn by turn: what was said, and the runs that answer it. */
import type { Message } from '../api/types'
import type { RunView } from './run_view'

type Views = Record<string, RunView>
type Single = { key: string; message: Message } | { key: string; view: RunView }
/** A message, a run, or what an edit replaced. */
export type Turn = Single | { key: string; replaced: Single[] }

/**
 * Put messages in order, then the runs of `following` whose answer is not stored yet.
 *
 * `views` holds each run that is shown, by `keyOf`.
 */
export function turnsOf(messages: Message[], views: Views, following: string[]): Turn[] {
  const shown: Turn[] = []
  const answered = new Set<string>()
  for (const part of parts(messages)) {
    const singles = sequence(part, views, answered)
    const replaced = part[0]?.replaced_by
    if (replaced) shown.push({ key: `replaced-${part[0]?.id}`, replaced: singles })
    else shown.push(...singles)
  }
  for (const id of following) {
    const view = views[id]
    if (view && !answered.has(id)) shown.push({ key: `run-${id}`, view })
  }
  return shown
}

/** The name of a message's run among the views. */
export function keyOf(message: Message): string {
  return message.run_id ?? String(message.id)
}

/** Neighbouring messages that stand, or that were replaced. */
function parts(messages: Message[]): Message[][] {
  const found: Message[][] = []
  for (const message of messages) {
    const last = found.at(-1)
    if (last && Boolean(last[0]?.replaced_by) === Boolean(message.replaced_by)) last.push(message)
    else found.push([message])
  }
  return found
}

function sequence(messages: Message[], views: Views, answered: Set<string>): Single[] {
  const shown: Single[] = []
  const asked = new Set<string>()
  for (const message of messages) {
    const key = keyOf(message)
    const view = views[key]
    const added = message.role === 'user' && asked.has(key)
    if (message.role === 'user') asked.add(key)
    // what was added to a run that goes on is in its log
    if (added && view?.live) continue
    if (message.role === 'user' || !view) shown.push({ key: String(message.id), message })
    else if (!answered.has(key)) shown.push({ key: `run-${key}`, view })
    if (message.role === 'assistant') answered.add(key)
  }
  return shown
}
