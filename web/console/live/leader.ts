/**
 * What the leading window does for the others: one stream, every topic that anybody wants.
 *
 * A window that asks for a run's topic late is given what has been read of it so far, because the
 * stream itself will not say it twice. Of other topics only the newest state matters.
 */
import type { Envelope } from '../api/types'

export const SELF = 'self'

interface LeaderOptions {
  /** Hand a new envelope to all windows. */
  post: (envelope: Envelope) => void
  /** Hand what was kept of a topic to a window that begins to follow it; also when it is nothing. */
  replay: (client: string, topic: string, kept: Envelope[]) => void
  /** Tell the stream the union of topics. */
  topics: (topics: string[]) => void
}

export class Leader {
  private readonly wants = new Map<string, Set<string>>()
  private readonly kept = new Map<string, Envelope[]>()
  private heard = new Set<string>()

  constructor(private readonly options: LeaderOptions) {}

  /** A window says which topics it follows now. */
  want(client: string, topics: string[]): void {
    const before = this.wants.get(client) ?? new Set()
    this.heard.add(client)
    this.wants.set(client, new Set(topics))
    for (const topic of topics) {
      if (!before.has(topic)) this.options.replay(client, topic, this.kept.get(topic) ?? [])
    }
    this.settle()
  }

  /** A window has gone. */
  leave(client: string): void {
    if (this.wants.delete(client)) this.settle()
  }

  /** Forget the windows that did not answer since the last call. */
  prune(): void {
    for (const client of [...this.wants.keys()]) {
      if (client !== SELF && !this.heard.has(client)) this.wants.delete(client)
    }
    this.heard = new Set()
    this.settle()
  }

  /** Something came from the stream. */
  receive(envelope: Envelope): void {
    const kept = this.kept.get(envelope.topic)
    const last = kept?.at(-1)?.id
    // a stream that began anew says again what was kept already
    if (envelope.id !== undefined && last !== undefined && envelope.id <= last) return
    if (kept && envelope.topic.startsWith('run:')) kept.push(envelope)
    else this.kept.set(envelope.topic, [envelope])
    this.options.post(envelope)
  }

  private settle(): void {
    const union = new Set([...this.wants.values()].flatMap((topics) => [...topics]))
    for (const topic of [...this.kept.keys()]) if (!union.has(topic)) this.kept.delete(topic)
    this.options.topics([...union])
  }
}
