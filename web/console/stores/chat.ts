/**
 * The open conversation: its stored messages and the runs that are followed live.
 *
 * The server owns runs; this window only reads. A run is shown by its event log, from event 0, until
 * its stored message has arrived, so a reload or a second window misses nothing.
 */
import { reactive, watch } from 'vue'

import { api, ApiError, send } from '../api/client'
import type { Attached, Conversation, Cost, LogEntry, Message, RunLog, RunStarted, StepRecord } from '../api/types'
import type { Autonomy } from '../components/autonomy'
import { subscribe } from '../live/hub'
import { loadDrawing } from '../markdown/ready'
import { loadConversations } from './conversations'
import { go, page } from './page'
import { readRun } from './run_reader'
import { learn, retell, settle, storedRun, type RunView } from './run_view'
import { runOf, runs } from './runs'
import { report } from './toasts'
import { keyOf, turnsOf, type Turn } from './turns'

export const chat = reactive({
  id: null as string | null,
  title: '',
  /** Whose it is; nobody's is everybody's. */
  owner_id: null as string | null,
  owner: null as string | null,
  serial: null as string | null,
  /** What of its next runs needs somebody's word, where the settings are not meant; forgotten on leaving. */
  autonomy: '' as Autonomy | '',
  tokens: 0,
  /** What its answers cost where prices were known, by currency. */
  costs: [] as Cost[],
  messages: [] as Message[],
  next: null as number | null,
  loading: false,
  sending: false,
  views: {} as Record<string, RunView>,
})

/** Runs whose events are read, by id, with their conversation; they stay while one looks elsewhere. */
const followed = new Map<string, { conv: string; end: () => void }>()
const path = (id: string) => `/api/agent/conversations/${id}`

/** Show another conversation, or the empty page of a new one. */
export async function open(id: string | null): Promise<void> {
  if (id === chat.id && (id === null || chat.messages.length)) return
  for (const key of Object.keys(chat.views)) if (!chat.views[key]?.live) forget(key)
  const blank = { title: '', owner_id: null, owner: null, serial: null, autonomy: '', tokens: 0, costs: [], messages: [], next: null }
  Object.assign(chat, blank, { id, loading: id !== null })
  if (id) await reload()
}

/**
 * Read the conversation again; what is followed live stays.
 *
 * An edit changes older messages than the newest page shows, so these are forgotten then.
 */
async function reload(forgetOlder = false): Promise<void> {
  const id = chat.id
  if (!id) return
  try {
    const drawn = loadDrawing().catch(report)
    const found = await api<Conversation>(path(id))
    await drawn
    if (chat.id === id) take(found, forgetOlder)
  } finally {
    if (chat.id === id) chat.loading = false
  }
}

function take(found: Conversation, forgetOlder: boolean): void {
  const oldest = found.messages[0]?.id
  const kept = forgetOlder ? -1 : chat.messages.findIndex((message) => message.id === oldest)
  const older = kept > 0 ? chat.messages.slice(0, kept) : []
  const next = older.length ? chat.next : found.next
  const { title, owner_id, owner, serial, tokens, costs } = found
  const messages = [...older, ...found.messages]
  Object.assign(chat, { title, owner_id, owner, serial, tokens, costs, next, messages })
  found.messages.forEach(keep)
  followActive()
}

/** Keep a view for each stored answer: the followed one where there is one. */
function keep(message: Message): void {
  if (message.role !== 'assistant') return
  const key = keyOf(message)
  const view = chat.views[key]
  if (!view) chat.views[key] = storedRun(message)
  else if (!view.live) settle(view, message)
}

/** Put the page before the oldest message in front. */
export async function loadOlder(): Promise<void> {
  if (!chat.id || !chat.next) return
  const id = chat.id
  const found = await api<Conversation>(`${path(id)}?before=${chat.next}`)
  if (chat.id !== id) return
  found.messages.forEach(keep)
  chat.messages = [...found.messages, ...chat.messages]
  chat.next = found.next
}

/** What the chat shows, in order. */
export function turns(): Turn[] {
  const here = [...followed].filter(([, { conv }]) => conv === chat.id).map(([id]) => id)
  return turnsOf(chat.messages, chat.views, here)
}

/** Whether a message began a run, so that it can be said again in other words. */
export function begins(message: Message): boolean {
  const first = chat.messages.find((each) => each.run_id === message.run_id)
  return typeof message.id === 'number' && message.run_id !== null && first === message
}

/** Fetch the log of a stored run. */
export async function loadLog(view: RunView): Promise<void> {
  if (view.complete) return
  const log: LogEntry[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const found: RunLog = await api(`/api/agent/runs/${view.runId}/events?cursor=${cursor}`)
    log.push(...found.items)
    cursor = found.next
  }
  retell(view, log)
}

/** Start a run, or hand the text to the one that is going on in this conversation. */
export async function say(text: string, serial: string, files: Attached[] = []): Promise<boolean> {
  chat.sending = true
  try {
    const current = runOf(chat.id)
    if (!current || !(await add(current.run_id, text, files))) await begin(text, serial, files)
    return true
  } catch (error) {
    report(error)
    return false
  } finally {
    chat.sending = false
  }
}

/** Add to a run that goes on; false when it had ended a moment before. */
async function add(runId: string, text: string, files: Attached[]): Promise<boolean> {
  try {
    await send('POST', `/api/agent/run/${runId}/message`, { text, ...named(files) })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'run_over') return false
    throw error
  }
}

/** Do a run again from the beginning, or let one that broke off go on where it was. */
export function again(runId: string, how: 'restart' | 'resume'): Promise<boolean> {
  return startAnew(`/api/agent/runs/${runId}/again`, { how })
}

/** Say a message again in other words; it and what followed stay to be read. */
export function sayInstead(message: Message, prompt: string, serial: string): Promise<boolean> {
  const body = { ...wish(prompt, serial, message.attachments), conv_id: chat.id, replaces: message.id }
  return startAnew('/api/agent/run', body, true)
}

/** Start a run whose prompt comes with the conversation. */
async function startAnew(address: string, body: object, isEdit = false): Promise<boolean> {
  try {
    const { run_id, conv_id } = await send<RunStarted>('POST', address, body)
    follow(run_id, conv_id)
    if (chat.id === conv_id) await reload(isEdit)
    loadConversations().catch(report)
    return true
  } catch (error) {
    report(error)
    return false
  }
}

/** Leave a run that broke off as it is: it is not offered any more. */
export async function leave(view: RunView): Promise<void> {
  await send('DELETE', `/api/agent/runs/${view.runId}/again`)
  view.again = []
}

/** The ids of the files that are still there, if there are any. */
function named(files: Attached[]): { attachments?: string[] } {
  const ids = files.filter((file) => !file.gone).map((file) => file.id)
  return ids.length ? { attachments: ids } : {}
}

/** What a new run is to be, as far as it was said. */
function wish(prompt: string, serial: string, files?: Attached[] | null): object {
  return { prompt, ...(serial && { serial }), ...(chat.autonomy && { autonomy: chat.autonomy }), ...named(files ?? []) }
}

async function begin(prompt: string, serial: string, files: Attached[]): Promise<void> {
  const { autonomy } = chat
  const body = { ...wish(prompt, serial, files), ...(chat.id && { conv_id: chat.id }) }
  const started = await send<RunStarted>('POST', '/api/agent/run', body)
  const { run_id, conv_id } = started
  if (chat.id !== conv_id) {
    await open(null)
    Object.assign(chat, { id: conv_id, autonomy })
    go(`/chat/${conv_id}`)
  }
  const created = new Date().toISOString()
  const sent = chat.messages.some((message) => message.run_id === run_id)
  if (!sent) chat.messages.push({ id: `sent-${run_id}`, role: 'user', content: prompt, created, run_id, attachments: files })
  follow(run_id, conv_id)
  loadConversations().catch(report)
}

export function answer(runId: string, question_id: string, value: string): Promise<unknown> {
  return send('POST', `/api/agent/run/${runId}/answer`, { question_id, value })
}

function follow(runId: string, conv: string): void {
  if (followed.has(runId)) return
  const { view, end } = readRun(runId, () => {
    loadConversations().catch(report)
    if (chat.id === conv) reload().catch(report)
    else forget(runId)
  })
  chat.views[runId] = view
  followed.set(runId, { conv, end })
}

function forget(runId: string): void {
  followed.get(runId)?.end()
  followed.delete(runId)
  delete chat.views[runId]
}

/** Follow what the snapshot says is running here; read the messages if its prompt is missing. */
function followActive(): void {
  const here = runs.items.filter((run) => run.conv_id === chat.id && !followed.has(run.run_id))
  for (const run of here) follow(run.run_id, run.conv_id)
  const missing = here.some((run) => !chat.messages.some((message) => message.run_id === run.run_id))
  if (missing && !chat.loading) reload().catch(report)
}

/** A run that has left the snapshot without a last event here: read what was stored. */
function noticeLost(): void {
  const going = new Set(runs.items.map((run) => run.run_id))
  const lost = [...followed.keys()].filter((id) => chat.views[id]?.live && !going.has(id))
  if (lost.length) setTimeout(() => closeLost(lost), 4_000)
}

function closeLost(lost: string[]): void {
  const going = (id: string) => runs.items.some((run) => run.run_id === id)
  const still = lost.filter((id) => followed.has(id) && chat.views[id]?.live && !going(id))
  if (!still.length) return
  still.forEach(forget)
  reload().catch(report)
}

/** A conversation that is not there leaves the page of a new one. */
function missing(error: unknown): void {
  report(error)
  if (error instanceof ApiError && error.status === 404) go('/', true)
}

/** Keep the open conversation in step with the address and with what runs. */
export function followChat(): void {
  subscribe('memory', (envelope) => {
    const newest: { run_id: string; card: StepRecord } | null = envelope.data.learned
    const view = newest && chat.views[newest.run_id]
    if (view) learn(view, newest.card)
  })
  watch(
    () => [page.view, page.convId] as const,
    ([view, id]) => {
      if (view === 'chat') open(id).catch(missing)
    },
    { immediate: true },
  )
  watch(
    () => runs.items,
    () => {
      if (!chat.loading) followActive()
      noticeLost()
    },
  )
}
