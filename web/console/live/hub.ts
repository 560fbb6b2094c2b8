/**
 * Events for this window, through one stream shared by all windows of the browser.
 *
 * Web Locks choose the leader; a BroadcastChannel carries wishes to it and events from it. When
 * the leader closes, another window gets the lock, opens the stream from the beginning of each
 * topic and asks the others what they want; ids make sure that nobody sees an event twice. On plain
 * http from another machine the browser offers no locks: then each window has its own stream.
 */
import { ref } from 'vue'

import type { Envelope } from '../api/types'
import { Leader, SELF } from './leader'
import { Stream, type Link } from './stream'

type Note =
  | { kind: 'want'; from: string; topics: string[] }
  | { kind: 'leave'; from: string }
  | { kind: 'roll-call' }
  | { kind: 'event'; envelope: Envelope }
  | { kind: 'replay'; to: string; topic: string; kept: Envelope[] }
  | { kind: 'link'; state: Link }
  | { kind: 'retry' }

type Handler = (envelope: Envelope) => void

const ROLL_CALL_MS = 30_000
const LOCK = 'phonedeck-events'

/** Whether the events reach us; unless it is "live", what is shown may be old. */
export const link = ref<Link>('connecting')

const me = Math.random().toString(36).slice(2)
const handlers = new Map<string, Handler>()
const seen = new Map<string, number>()
/** Topics whose beginning has come; what is sent to all before that would leave a gap. */
const begun = new Set<string>()
let channel: BroadcastChannel | null = null
let leader: Leader | null = null
let stream: Stream | null = null

/** Follow a topic; one reader a topic in each window. Returns what ends it. */
export function subscribe(topic: string, handler: Handler): () => void {
  if (handlers.delete(topic)) announce()
  seen.delete(topic)
  begun.delete(topic)
  handlers.set(topic, handler)
  announce()
  return () => {
    if (handlers.get(topic) !== handler) return
    handlers.delete(topic)
    announce()
  }
}

/** Take part: become the leader now or when the present one goes. */
export function start(refused: () => void): void {
  if (!navigator.locks || typeof BroadcastChannel === 'undefined') {
    lead(refused)
    return
  }
  channel = new BroadcastChannel(LOCK)
  channel.onmessage = (message: MessageEvent<Note>) => heard(message.data)
  addEventListener('pagehide', () => post({ kind: 'leave', from: me }))
  addEventListener('pageshow', (event) => event.persisted && announce())
  document.addEventListener('resume', announce)
  announce()
  void navigator.locks.request(LOCK, () => {
    lead(refused)
    return new Promise<never>(() => undefined)
  })
}

function lead(refused: () => void): void {
  const opened = new Stream({ deliver: (envelope) => leader?.receive(envelope), link: tell, refused })
  stream = opened
  leader = new Leader({ post: pass, replay, topics: (topics) => opened.want(topics) })
  addEventListener('online', retry)
  addEventListener('offline', retry)
  announce()
  post({ kind: 'roll-call' })
  if (channel) setInterval(rollCall, ROLL_CALL_MS)
}

/** Try again at once, whichever window has the stream. */
export function retry(): void {
  if (stream) stream.retry()
  else post({ kind: 'retry' })
}

function rollCall(): void {
  leader?.prune()
  post({ kind: 'roll-call' })
}

function announce(): void {
  const topics = [...handlers.keys()]
  if (leader) leader.want(SELF, topics)
  else post({ kind: 'want', from: me, topics })
}

function heard(note: Note): void {
  if (note.kind === 'want') welcome(note.from, note.topics)
  else if (note.kind === 'leave') leader?.leave(note.from)
  else if (note.kind === 'roll-call') announce()
  else if (note.kind === 'link') link.value = note.state
  else if (note.kind === 'retry') stream?.retry()
  else if (note.kind === 'event') dispatch(note.envelope)
  else if (note.to === me) begin(note.topic, note.kept)
}

function welcome(from: string, topics: string[]): void {
  if (!leader) return
  leader.want(from, topics)
  post({ kind: 'link', state: link.value })
}

function pass(envelope: Envelope): void {
  dispatch(envelope)
  post({ kind: 'event', envelope })
}

function replay(client: string, topic: string, kept: Envelope[]): void {
  if (client === SELF) begin(topic, kept)
  else post({ kind: 'replay', to: client, topic, kept })
}

function begin(topic: string, kept: Envelope[]): void {
  begun.add(topic)
  kept.forEach(dispatch)
}

function tell(state: Link): void {
  link.value = state
  post({ kind: 'link', state })
}

function dispatch(envelope: Envelope): void {
  const handler = handlers.get(envelope.topic)
  if (!handler || !begun.has(envelope.topic)) return
  if (envelope.id !== undefined) {
    if (envelope.id <= (seen.get(envelope.topic) ?? -1)) return
    seen.set(envelope.topic, envelope.id)
  }
  handler(envelope)
}

function post(note: Note): void {
  channel?.postMessage(note)
}
