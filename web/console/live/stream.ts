/**
 * The one EventSource of a browser: `/api/events` with the topics somebody wants.
 *
 * The cursor is the server's and opaque; it is handed back when the topics change, so that the new
 * stream goes on where the old one stood; not when a topic comes back that was dropped, for its
 * reader needs it from the beginning. EventSource reconnects by itself after a dropped line;
 * after a refusal (4xx, 5xx) it gives up for good, and we open a new one after a pause. A line
 * that died without a word is found by its silence, for the server says `beat` every ten seconds.
 */
import type { Envelope } from '../api/types'

/** `lost` has not come back for a while; it is still tried. */
export type Link = 'connecting' | 'live' | 'reconnecting' | 'lost'

interface StreamOptions {
  deliver: (envelope: Envelope) => void
  link: (state: Link) => void
  refused: () => void
  open?: (url: string) => EventSource
}

const SETTLE_MS = 30
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 15_000]
const LOST_MS = 12_000
const SILENT_MS = 25_000
const LISTEN_MS = 5_000

export class Stream {
  private source: EventSource | null = null
  private topics = ''
  private readonly past = new Set<string>()
  private cursor = ''
  private failures = 0
  private timer = 0
  private losing = 0
  private listening = 0
  private heard = 0
  private wasLive = false

  constructor(private readonly options: StreamOptions) {}

  /** Follow exactly these topics; several calls in one breath open one stream. */
  want(topics: string[]): void {
    const wanted = [...topics].sort().join(',')
    if (wanted === this.topics) return
    const now = new Set(this.topics.split(','))
    if (topics.some((topic) => this.past.has(topic) && !now.has(topic))) this.cursor = ''
    for (const topic of topics) this.past.add(topic)
    this.topics = wanted
    this.later(SETTLE_MS)
  }

  /** Somebody, or the browser, has a reason to believe that it would work now. */
  retry(): void {
    this.broken()
    this.later(0)
  }

  close(): void {
    for (const timer of [this.timer, this.losing]) clearTimeout(timer)
    clearInterval(this.listening)
    this.source?.close()
    this.source = null
  }

  private later(delay_ms: number): void {
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.reopen(), delay_ms)
  }

  private reopen(): void {
    clearInterval(this.listening)
    this.source?.close()
    this.source = null
    if (!this.topics) return
    const query = new URLSearchParams({ topics: this.topics })
    if (this.cursor) query.set('cursor', this.cursor)
    const open = this.options.open ?? ((url: string) => new EventSource(url))
    const source = open(`/api/events?${query}`)
    source.onopen = () => this.opened()
    source.onmessage = (message) => this.received(message)
    source.onerror = () => this.failed(source)
    source.addEventListener('beat', () => this.hear())
    this.source = source
    this.hear()
    this.listening = window.setInterval(() => this.listen(), LISTEN_MS)
  }

  private opened(): void {
    this.failures = 0
    this.wasLive = true
    this.hear()
    clearTimeout(this.losing)
    this.losing = 0
    this.options.link('live')
  }

  private received(message: MessageEvent<string>): void {
    this.hear()
    if (message.lastEventId) this.cursor = message.lastEventId
    this.options.deliver(JSON.parse(message.data) as Envelope)
  }

  private hear(): void {
    this.heard = Date.now()
  }

  private listen(): void {
    if (Date.now() - this.heard > SILENT_MS) this.retry()
  }

  private failed(source: EventSource): void {
    if (source !== this.source) return
    this.broken()
    if (source.readyState !== EventSource.CLOSED) return
    this.options.refused()
    this.later(RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] as number)
    this.failures += 1
  }

  private broken(): void {
    if (this.losing) return
    this.options.link(this.wasLive ? 'reconnecting' : 'connecting')
    this.losing = window.setTimeout(() => this.options.link('lost'), LOST_MS)
  }
}
