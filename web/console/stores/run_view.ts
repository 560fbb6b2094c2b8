/**
 * What the chat shows of one run, built from its events in order.
 *
 * The same events always give the same view, so a reload in the middle of a run (the log from
 * event 0) and a second window end up with the same picture as the window that started it.
 */
import type { Attached, Failure, LogEntry, Message, StepRecord, Usage } from '../api/types'

export interface StepView {
  kind: 'step'
  n: number
  tool: string
  args: Record<string, unknown>
  state: 'running' | 'waiting' | 'ok' | 'failed' | 'denied' | 'cut'
  ms: number | null
  text: string
  image: string | null
  /** Where it touched the screen, as fractions, and where a swipe ended. */
  at?: [number, number]
  to?: [number, number]
  before?: string | null
  started?: string
  /** The question that the step opened and did nothing else. */
  asks?: string
}

export interface QuestionView {
  kind: 'question'
  id: string
  title: string
  question: string
  kindOf: 'question' | 'approval' | 'takeover'
  until: string | null
  options: { value: string; label: string }[]
  answer: string | null
  /** Who answered. */
  by?: string
}

/** What somebody said while the run went on; `taken` once its brain has read it. */
interface AddedView {
  kind: 'message'
  text: string
  from: 'agent' | 'user'
  id: string
  taken: boolean
  files: Attached[]
}

type Item =
  | StepView
  | QuestionView
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | AddedView
  | { kind: 'notice'; text: string }
  | { kind: 'route'; channel: string; reason: string; considered: string[] }

export interface RunView {
  runId: string
  live: boolean
  /** It was followed live in this window. */
  watched: boolean
  items: Item[]
  answer: string
  usage: Usage | null
  stopped: boolean
  verified: boolean | null
  error: Failure | null
  /** How a run that broke off can be done again; its brain may know where it was. */
  again: ('resume' | 'restart')[]
  /** Known from the stored message; null while the run is live. */
  stepCount: number | null
  ms: number | null
  /** The log of a stored run is fetched when somebody unfolds it. */
  complete: boolean
  /** What was remembered for the run, as its stored message has it. */
  told: StepView[]
  /** What was learned from the run, once it was. */
  learned: StepView | null
  /** What the hand chose for the thoughts; null while nobody has touched them. */
  thoughtsOpen: boolean | null
}

export function newRun(runId: string): RunView {
  return {
    runId,
    live: true,
    watched: true,
    items: [],
    answer: '',
    usage: null,
    stopped: false,
    verified: null,
    error: null,
    again: [],
    stepCount: null,
    ms: null,
    complete: true,
    told: [],
    learned: null,
    thoughtsOpen: null,
  }
}

/** The view of a run that ended before this page was loaded. */
export function storedRun(message: Message): RunView {
  const view = newRun(message.run_id ?? String(message.id))
  if (message.reasoning) view.items.push({ kind: 'reasoning', text: message.reasoning })
  const complete = !message.run_id || !message.steps
  return { ...view, ...ending(message), live: false, watched: false, answer: message.content, complete }
}

/** Put what the stored message knows better into a view that was followed live. */
export function settle(view: RunView, message: Message): void {
  Object.assign(view, ending(message))
}

function ending(message: Message) {
  return {
    usage: message.usage ?? null,
    stopped: message.stopped ?? false,
    verified: message.verified ?? null,
    error: message.error ?? null,
    again: message.again ?? [],
    stepCount: message.steps ?? null,
    ms: message.ms ?? null,
    told: (message.told ?? []).map(fromRecord),
    learned: message.learned ? fromRecord(message.learned) : null,
  }
}

/** Show what was learned from a run that has ended. */
export function learn(view: RunView, card: StepRecord): void {
  view.learned = fromRecord(card)
}

/** Tell a stored run anew from its log; where that was cleared away, what is known stays. */
export function retell(view: RunView, log: LogEntry[]): void {
  const told = newRun(view.runId)
  for (const entry of log) apply(told, entry)
  // a run that failed shows all that it had said as its answer
  const isSaid = (item: Item) => item.kind === 'text' && view.answer.includes(item.text.trim())
  if (view.error) told.items = told.items.filter((item) => !isSaid(item))
  if (told.items.length) view.items = told.items
  view.complete = true
}

function fromRecord(step: StepRecord): StepView {
  return { kind: 'step', ...ended(step), n: step.n, tool: step.tool, args: step.args }
}

function endOf(step: StepRecord): StepView['state'] {
  if (step.ok) return 'ok'
  if (step.status === 'denied') return 'denied'
  return step.status === 'aborted' ? 'cut' : 'failed'
}

function ended(step: StepRecord) {
  const { ms, text = '', image = null, before = null, started, at, to } = step
  return { state: endOf(step), ms, text, image, before, started, at, to }
}

/** Whether a question still waits for its answer. */
function isOpen(view: RunView, id?: string): boolean {
  return view.items.some((item) => item.kind === 'question' && item.id === id && item.answer === null)
}

type Change = (view: RunView, data: any) => void

const CHANGES: Record<string, Change> = {
  delta(view, data: { text: string; kind: 'content' | 'reasoning' }) {
    const kind = data.kind === 'reasoning' ? 'reasoning' : 'text'
    const last = view.items.at(-1)
    if (last?.kind === kind) last.text += data.text
    else view.items.push({ kind, text: data.text })
  },
  step_started(view, data: { n: number; tool: string; args: Record<string, unknown>; started?: string }) {
    view.items.push({ kind: 'step', ...data, state: 'running', ms: null, text: '', image: null })
  },
  step(view, data: StepRecord) {
    const open = view.items.find(
      (item): item is StepView =>
        item.kind === 'step' && item.state === 'running' && item.n === data.n,
    )
    if (!open) return void view.items.push(fromRecord(data))
    Object.assign(open, ended(data))
    if (open.state === 'ok' && isOpen(view, open.asks)) open.state = 'waiting'
  },
  usage(view, data: Usage) {
    view.usage = data
  },
  route(view, data: { channel: string; reason: string; considered: string[] }) {
    // where there was nothing to choose, saying what was chosen is noise
    if (data.considered.length < 2) return
    view.items.push({ kind: 'route', ...data })
  },
  notice(view, data: { message: string }) {
    view.items.push({ kind: 'notice', text: data.message })
  },
  message(view, data: { text: string; from: 'agent' | 'user'; message_id?: string; attachments?: Attached[] }) {
    const { text, from, message_id: id = '', attachments: files = [] } = data
    view.items.push({ kind: 'message', text, from, id, taken: !id, files })
  },
  taken(view, data: { message_ids: string[] }) {
    for (const item of view.items) {
      if (item.kind === 'message' && data.message_ids.includes(item.id)) item.taken = true
    }
  },
  question(view, data) {
    const { question_id: id, kind: kindOf, title, question, options, expires_at: until } = data
    const asking = kindOf === 'takeover' ? undefined : steps(view).at(-1)
    // a question may be told before its step has ended
    if (asking?.state === 'running') asking.asks = id
    if (asking?.state === 'ok') Object.assign(asking, { state: 'waiting', asks: id })
    view.items.push({ kind: 'question', id, kindOf, title, question, options, until, answer: null })
  },
  answered(view, data: { question_id: string; value: string; by?: string }) {
    for (const item of view.items) {
      if (item.kind === 'question' && item.id === data.question_id) {
        Object.assign(item, { answer: data.value, by: data.by })
      }
    }
    const asking = steps(view).find((step) => step.asks === data.question_id)
    if (asking?.state === 'waiting') asking.state = 'ok'
  },
  done(view, data) {
    view.answer = data.answer ?? ''
    view.usage = data.usage ?? view.usage
    view.stopped = Boolean(data.stopped)
    view.verified = data.verified ?? null
    dropEcho(view)
    end(view)
  },
  error(view, data: Failure) {
    view.error = data
    end(view)
  },
}

/** Apply one event to a view; returns whether it was the run's last. */
export function apply(view: RunView, entry: LogEntry): boolean {
  CHANGES[entry.event]?.(view, entry.data)
  return entry.event === 'done' || entry.event === 'error'
}

/** The answer was already streamed as the last text; it is shown once. */
function dropEcho(view: RunView): void {
  const last = view.items.at(-1)
  if (last?.kind !== 'text') return
  if (!view.answer) view.answer = last.text
  if (view.answer.includes(last.text.trim())) view.items.pop()
}

function end(view: RunView): void {
  view.live = false
  for (const step of steps(view)) if (['running', 'waiting'].includes(step.state)) step.state = 'cut'
}

/** The run's own steps; what is remembered has their form, and is none. */
export function steps(view: RunView): StepView[] {
  return view.items.filter((item): item is StepView => item.kind === 'step' && !isMemory(item))
}

/** The cards of what was remembered for the run, as far as its log is known. */
export function remembered(view: RunView): StepView[] {
  return view.items.filter(isMemory)
}

export function isMemory(item: Item): item is StepView {
  return item.kind === 'step' && item.tool.startsWith('memory.')
}

/** All of the run's reasoning, in order. */
export function reasoning(view: RunView): string {
  return view.items.flatMap((item) => (item.kind === 'reasoning' ? [item.text] : [])).join('\n\n')
}

/** What the server answers for a run that was stopped before it had said anything. */
const ONLY_STOPPED = ['已停止。', 'Stopped.']

/** The run's answer, but for what its foot says anyway. */
export function answerOf(view: RunView): string {
  return view.stopped && ONLY_STOPPED.includes(view.answer.trim()) ? '' : view.answer
}

/** How long a finished run took: as stored, else the sum of its steps. */
export function runMs(view: RunView): number {
  return view.ms ?? steps(view).reduce((sum, step) => sum + (step.ms ?? 0), 0)
}

export type Group =
  | Exclude<Item, StepView>
  | { kind: 'steps'; steps: StepView[] }
  | { kind: 'memory'; step: StepView }

/** Neighbouring steps as one card. */
export function groups(items: Item[]): Group[] {
  const found: Group[] = []
  for (const item of items) {
    const last = found.at(-1)
    if (item.kind !== 'step') found.push(item)
    else if (isMemory(item)) found.push({ kind: 'memory', step: item })
    else if (last?.kind === 'steps') last.steps.push(item)
    else found.push({ kind: 'steps', steps: [item] })
  }
  return found
}
