import { flushPromises } from '@vue/test-utils'
import { expect, test, vi } from 'vitest'

import { start } from '../live/hub'
import { serve } from '../testing'
import { begins, chat, followChat, turns } from './chat'
import { go } from './page'
import { followRuns } from './runs'

/** The stream as the server would send it, said by hand. */
class Source {
  static last: Source | null = null
  static CLOSED = 2
  onopen: (() => void) | null = null
  onmessage: ((message: MessageEvent<string>) => void) | null = null
  onerror: (() => void) | null = null

  constructor(readonly url: string) {
    Source.last = this
  }

  close() {}

  addEventListener() {}

  say(topic: string, event: string, data: object, id?: number) {
    const message = JSON.stringify({ topic, event, data, id })
    this.onmessage?.(new MessageEvent('message', { data: message }))
  }
}

const run = { run_id: 'r1', conv_id: 'c1', serial: 'A1', mode: 'chat', status: 'running', step: 1, max_steps: 40 }
const conversation = { id: 'c1', title: 'Notes', serial: 'A1', created: '', updated: '', tokens: 10, next: null }
const prompt = { id: 1, role: 'user', content: 'open Notes', created: '', run_id: 'r1' }
const answer = { id: 2, role: 'assistant', content: 'Opened.', created: '', run_id: 'r1', steps: 1, ms: 900 }

// for the whole file: a stream is opened a moment after it was asked for, maybe in the next test
vi.stubGlobal('EventSource', Source)

const streams = async () => {
  await flushPromises()
  await new Promise((resolve) => setTimeout(resolve, 50))
}

test('a page opened in the middle of a run shows all of it, and the stored answer once', async () => {
  const answers: Record<string, unknown> = {
    'GET /api/agent/conversations/c1': { ...conversation, messages: [prompt] },
    'GET /api/agent/conversations?': { items: [], next: null },
  }
  serve(answers)
  followRuns()
  start(() => undefined)
  go('/chat/c1')
  followChat()
  await streams()

  Source.last?.say('runs', 'snapshot', { running: true, run, runs: [run] })
  await streams()
  const topics = decodeURIComponent(Source.last?.url ?? '')
  Source.last?.say('run:r1', 'step_started', { n: 1, tool: 'de_open_app', args: {} }, 1)
  Source.last?.say('run:r1', 'step_started', { n: 1, tool: 'de_open_app', args: {} }, 1)
  const during = turns()
  answers['GET /api/agent/conversations/c1'] = { ...conversation, messages: [prompt, answer] }
  Source.last?.say('run:r1', 'done', { answer: 'Opened.', mode: 'chat' }, 2)
  Source.last?.say('runs', 'snapshot', { running: false, run: null, runs: [] })
  await streams()

  expect(topics).toContain('run:r1')
  expect(during.map((turn) => turn.key)).toEqual(['1', 'run-r1'])
  expect(turns().map((turn) => turn.key)).toEqual(['1', 'run-r1'])
  expect(chat.views.r1).toMatchObject({ live: false, answer: 'Opened.', stepCount: 1, ms: 900 })
  expect(chat.views.r1?.items).toHaveLength(1)
})

test('what an edit replaced stands folded in its place', async () => {
  const old = { replaced_by: 'r2' }
  const messages = [
    { ...prompt, id: 1, run_id: 'r0' },
    { ...prompt, ...old, id: 3 },
    { ...answer, ...old, id: 4 },
    { ...prompt, id: 5, run_id: 'r2' },
    { ...answer, id: 6, run_id: 'r2' },
  ]
  serve({ 'GET /api/agent/conversations/c3': { ...conversation, id: 'c3', messages } })

  go('/chat/c3')
  await streams()
  const shown = turns()

  expect(shown.map((turn) => turn.key)).toEqual(['1', 'replaced-3', '5', 'run-r2'])
  expect(shown[1]).toMatchObject({ replaced: [{ key: '3' }, { key: 'run-r1' }] })
  expect(chat.messages.filter(begins).map((message) => message.id)).toEqual([1, 3, 5])
})

test('what was remembered for a run is known from its stored answer', async () => {
  const card = { n: 1, tool: 'memory.experiences', args: { items: [] }, ok: true, ms: 0, text: '1 experience fits' }
  const messages = [prompt, { ...answer, told: [card] }]
  serve({ 'GET /api/agent/conversations/c5': { ...conversation, id: 'c5', messages } })

  go('/chat/c5')
  await flushPromises()

  expect(chat.views.r1?.told.map((step) => step.text)).toEqual(['1 experience fits'])
})

test('what was learned from a run shows with its answer once it is', async () => {
  const card = { n: 2, tool: 'memory.learned', args: {}, ok: true, ms: 0, text: '1 experience was kept' }
  const messages = [prompt, { ...answer, learned: card }, { ...prompt, id: 3, run_id: 'r9' }, { ...answer, id: 4, run_id: 'r9' }]
  serve({ 'GET /api/agent/conversations/c4': { ...conversation, id: 'c4', messages } })
  go('/chat/c4')
  await streams()

  Source.last?.say('memory', 'learned', { learned: null })
  Source.last?.say('memory', 'learned', { learned: { run_id: 'r9', conv_id: 'c4', card: { ...card, text: 'new' } } })

  expect(chat.views.r1?.learned?.text).toBe('1 experience was kept')
  expect(chat.views.r9?.learned?.text).toBe('new')
})

test('another conversation starts empty', async () => {
  serve({ 'GET /api/agent/conversations/c2': { ...conversation, id: 'c2', messages: [] } })

  go('/chat/c2')
  await streams()

  expect(turns()).toEqual([])
  expect(chat.title).toBe('Notes')
})

test('a conversation that is gone leads to a new one', async () => {
  serve({})

  go('/chat/gone')
  await streams()

  expect(location.hash).toBe('#/')
  expect(chat.id).toBeNull()
})
