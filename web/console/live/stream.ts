/**
 * The one EventSource of a browser: `/api/events` with the topics somebody wants.
 *
 * The cursor is the server's and opaque; it is handed back when the topics change, so that the new
 * stream goes on where the old one stood; not when a topic comes back that was dropped, for its
 * reader needs it from the beginning. EventSource reconnects by itself after a dropped line;
 * after a refusal (4xx, 5xx) it gives up for good, and we open a new one after a pause.
 */
import type { Envelope } from '../api/types'

export type Link = 'connecting' | 'open' | 'lost'

export interface StreamOptions {
  deliver: (envelope: Envelope) => void
  link: (state: Link) => void
  refused: () => void
  open?: (url: string) => EventSource
}

const SETTLE_MS = 30
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 15_000]

export class Stream {
  private source: EventSource | null = null
  private topics = ''
  private readonly past = new Set<string>()
  private cursor = ''
  private failures = 0
  private timer = 0

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

  close(): void {
    clearTimeout(this.timer)
    this.source?.close()
    this.source = null
  }

  private later(delay_ms: number): void {
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.reopen(), delay_ms)
  }

  private reopen(): void {
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
    this.source = source
  }

  private opened(): void {
    this.failures = 0
    this.options.link('open')
  }

  private received(message: MessageEvent<string>): void {
    if (message.lastEventId) this.cursor = message.lastEventId
    this.options.deliver(JSON.parse(message.data) as Envelope)
  }

  private failed(source: EventSource): void {
    if (source !== this.source) return
    this.options.link(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting')
    if (source.readyState !== EventSource.CLOSED) return
    this.options.refused()
    this.later(RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] as number)
    this.failures += 1
  }
}
