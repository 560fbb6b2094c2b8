import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Stream } from './stream'

/** The part of EventSource that the stream uses, opened by hand. */
class Source {
  readyState = 0
  onopen: (() => void) | null = null
  onmessage: ((message: MessageEvent<string>) => void) | null = null
  onerror: (() => void) | null = null
  beat: () => void = () => undefined
  closed = false

  constructor(readonly url: string) {}

  addEventListener(_name: 'beat', listener: () => void) {
    this.beat = listener
  }

  close() {
    this.closed = true
  }

  say(lastEventId: string, data: object) {
    this.onmessage?.(new MessageEvent('message', { lastEventId, data: JSON.stringify(data) }))
  }
}

function streaming() {
  const sources: Source[] = []
  const links: string[] = []
  const stream = new Stream({
    deliver: () => undefined,
    link: (state) => links.push(state),
    refused: () => links.push('refused'),
    open: (url) => {
      const source = new Source(url)
      sources.push(source)
      return source as unknown as EventSource
    },
  })
  return { stream, sources, links }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', { CLOSED: 2 })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('wishes that come together open one stream', () => {
  const { stream, sources } = streaming()

  stream.want(['runs'])
  stream.want(['runs', 'devices'])
  vi.advanceTimersByTime(100)

  expect(sources.map((source) => source.url)).toEqual(['/api/events?topics=devices%2Cruns'])
})

test('a stream with other topics goes on at the cursor', () => {
  const { stream, sources } = streaming()
  stream.want(['runs'])
  vi.advanceTimersByTime(100)
  sources[0]?.say('runs-7', { topic: 'runs' })

  stream.want(['runs', 'run:a'])
  vi.advanceTimersByTime(100)

  expect(sources[0]?.closed).toBe(true)
  expect(sources[1]?.url).toBe('/api/events?topics=run%3Aa%2Cruns&cursor=runs-7')
})

test('a run that comes back is read from its beginning', () => {
  const { stream, sources } = streaming()
  for (const topics of [['runs', 'run:a'], ['runs'], ['runs', 'run:a']]) {
    stream.want(topics)
    vi.advanceTimersByTime(100)
    sources.at(-1)?.say('a:7', { topic: 'runs' })
  }

  expect(sources.map((source) => source.url.includes('cursor'))).toEqual([false, true, false])
})

test('after a refusal a new stream is opened', () => {
  const { stream, sources, links } = streaming()
  stream.want(['runs'])
  vi.advanceTimersByTime(100)
  const [first] = sources

  Object.assign(first as Source, { readyState: 2 })
  first?.onerror?.()
  vi.advanceTimersByTime(1_000)

  expect(links).toEqual(['connecting', 'refused'])
  expect(sources).toHaveLength(2)
})

test('a dropped line is reconnecting, then lost, and live again as soon as it is back', () => {
  const { stream, sources, links } = streaming()
  stream.want(['runs'])
  vi.advanceTimersByTime(100)
  sources[0]?.onopen?.()

  sources[0]?.onerror?.()
  vi.advanceTimersByTime(5_000)
  sources[0]?.onerror?.()
  vi.advanceTimersByTime(8_000)
  sources[0]?.onopen?.()

  expect(links).toEqual(['live', 'reconnecting', 'lost', 'live'])
  expect(sources).toHaveLength(1)
})

test('a line that has gone silent is opened anew at the cursor; a beat is a sign of life', () => {
  const { stream, sources, links } = streaming()
  stream.want(['runs'])
  vi.advanceTimersByTime(100)
  sources[0]?.onopen?.()
  sources[0]?.say('a:7', { topic: 'runs' })

  vi.advanceTimersByTime(20_000)
  sources[0]?.beat()
  vi.advanceTimersByTime(20_000)
  const before = sources.length
  vi.advanceTimersByTime(15_000)

  expect(before).toBe(1)
  expect(sources[0]?.closed).toBe(true)
  expect(sources[1]?.url).toContain('cursor=a%3A7')
  expect(links).toEqual(['live', 'reconnecting'])
})

test('a person who tries again does not wait for the pause', () => {
  const { stream, sources } = streaming()
  stream.want(['runs'])
  vi.advanceTimersByTime(100)
  Object.assign(sources[0] as Source, { readyState: 2 })
  sources[0]?.onerror?.()

  stream.retry()
  vi.advanceTimersByTime(1)

  expect(sources).toHaveLength(2)
})
