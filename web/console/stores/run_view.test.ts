import { expect, test } from 'vitest'

import type { Message } from '../api/types'
import { apply, groups, newRun, reasoning, retell, runMs, steps, storedRun } from './run_view'

const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, calls: 2 }

const LOG: [string, object][] = [
  ['route', { channel: 'phone', reason: 'you chose it', considered: ['phone', 'browser'] }],
  ['delta', { text: 'Let me ', kind: 'reasoning' }],
  ['delta', { text: 'look.', kind: 'reasoning' }],
  ['delta', { text: 'I open it.', kind: 'content' }],
  ['step_started', { n: 1, tool: 'de_open_app', args: { app: 'Notes' } }],
  ['step', { n: 1, tool: 'de_open_app', args: { app: 'Notes' }, ok: true, ms: 300, image: '/api/artifacts/a' }],
  ['step_started', { n: 2, tool: 'de_tap_text', args: { text: 'New' } }],
  ['step', { n: 2, tool: 'de_tap_text', args: { text: 'New' }, ok: false, ms: 40, text: 'not found' }],
  ['delta', { text: 'Done **it**', kind: 'content' }],
  ['usage', usage],
]

function replay(events: [string, object][]) {
  const view = newRun('r1')
  const ended = events.map(([event, data]) => apply(view, { event, data }))
  return { view, ended: ended.at(-1) }
}

const message = (change: Partial<Message>): Message => ({
  id: 'm1', role: 'assistant', content: 'Done', created: '2026-03-10T12:00:00Z', run_id: 'r1', ...change,
})

test('events become a trail in their order', () => {
  const { view } = replay(LOG)

  expect(view.items.map((item) => item.kind)).toEqual(['route', 'reasoning', 'text', 'step', 'step', 'text'])
  expect(reasoning(view)).toBe('Let me look.')
  expect(steps(view).map((step) => step.state)).toEqual(['ok', 'failed'])
  expect(view.live).toBe(true)
})

test('the answer that was streamed is shown once', () => {
  const { view, ended } = replay([...LOG, ['done', { answer: 'Done **it**', usage, mode: 'chat', verified: true }]])

  expect(ended).toBe(true)
  expect(view).toMatchObject({ live: false, answer: 'Done **it**', verified: true, usage })
  expect(view.items.at(-1)?.kind).toBe('step')
  expect(runMs(view)).toBe(340)
})

test('a stop keeps what was said and marks the step that was cut', () => {
  const { view } = replay([...LOG.slice(0, 5), ['done', { answer: '', usage, mode: 'chat', stopped: true }]])

  expect(view.stopped).toBe(true)
  expect(steps(view)[0]?.state).toBe('cut')
})

test('a stop in the middle of the answer keeps it as the answer', () => {
  const { view } = replay([...LOG, ['done', { answer: '', usage, mode: 'chat', stopped: true }]])

  expect(view.answer).toBe('Done **it**')
})

test('an error ends the run with its words', () => {
  const error = { code: 'model_auth', message: 'The key was refused', hint: 'Enter it again' }

  const { view, ended } = replay([...LOG, ['error', error]])

  expect(ended).toBe(true)
  expect(view.error).toEqual(error)
})

test('steps that share a number and come without a start are kept apart', () => {
  const { view } = replay([
    ['step', { n: 0, tool: 'memory.experiences', args: {}, ok: true, ms: 0 }],
    ['step', { n: 0, tool: 'memory.actions', args: {}, ok: true, ms: 0 }],
  ])

  expect(view.items).toHaveLength(2)
})

test('an answered question knows its answer', () => {
  const options = [{ value: 'approve', label: 'Allow' }]
  const question = { question_id: 'q1', kind: 'approval', title: 'Sure?', question: 'Pay?', options }

  const { view } = replay([['question', question], ['answered', { question_id: 'q1', value: 'approve' }]])

  expect(view.items[0]).toMatchObject({ kind: 'question', answer: 'approve' })
})

test('neighbouring steps share a card', () => {
  const { view } = replay(LOG)

  const kinds = groups(view.items).map((group) => group.kind)

  expect(kinds).toEqual(['route', 'reasoning', 'text', 'steps', 'text'])
})

test('a stored run knows its count before its steps are fetched', () => {
  const view = storedRun(message({ steps: 6, ms: 4_800, reasoning: 'hm', verified: false }))

  expect(view).toMatchObject({ live: false, complete: false, stepCount: 6, ms: 4_800, verified: false })
  expect(reasoning(view)).toBe('hm')
})

test('a stored run told anew from its log is as it was live', () => {
  const log = [...LOG, ['done', { answer: 'Done **it**', usage }]] as [string, object][]
  const live = replay(log).view
  const view = storedRun(message({ content: 'Done **it**', steps: 2, ms: 400, reasoning: 'Let me look.' }))

  retell(view, log.map(([event, data]) => ({ event, data })))
  retell(view, log.map(([event, data]) => ({ event, data })))

  expect(view.items).toEqual(live.items)
  expect(view).toMatchObject({ complete: true, answer: 'Done **it**', ms: 400 })
})

test('a log that was cleared away leaves what is known', () => {
  const view = storedRun(message({ steps: 2, reasoning: 'Let me look.' }))

  retell(view, [{ event: 'done', data: { answer: 'Done' } }])

  expect(reasoning(view)).toBe('Let me look.')
  expect(view.complete).toBe(true)
})

test('what a failed run had said is not told twice', () => {
  const error = { code: 'interrupted', message: 'restarted' }
  const view = storedRun(message({ content: 'I open it.\n\nDone **it**', steps: 2, error }))

  retell(view, [...LOG, ['error', error] as [string, object]].map(([event, data]) => ({ event, data })))

  expect(view.items.map((item) => item.kind)).toEqual(['route', 'reasoning', 'step', 'step'])
})

test('what was added is marked once the brain has read it', () => {
  const said = (id: string) => ['message', { text: id, from: 'user', message_id: id }] as [string, object]
  const { view } = replay([said('m1'), said('m2'), ['taken', { message_ids: ['m1'] }]])

  expect(view.items.map((item) => item.kind === 'message' && item.taken)).toEqual([true, false])
})

test('a route without a choice is not worth a line', () => {
  const view = newRun('r1')

  apply(view, { event: 'route', data: { channel: 'phone', reason: 'only', considered: ['phone'] } })

  expect(view.items).toEqual([])
})

const step = (n: number, ok = true) => ['step', { n, tool: 'de_tap_text', args: {}, ok, ms: 9 }] as [string, object]
const asks = (id: string, kind = 'approval') =>
  ['question', { question_id: id, kind, title: '', question: 'Pay?', options: [] }] as [string, object]

test('a step that only asked waits until its question is answered', () => {
  const asked = replay([step(1), step(2), asks('q1')]).view
  const answered = replay([step(1), step(2), asks('q1'), ['answered', { question_id: 'q1', value: 'deny' }]]).view

  expect(steps(asked).map((each) => each.state)).toEqual(['ok', 'waiting'])
  expect(steps(answered).map((each) => each.state)).toEqual(['ok', 'ok'])
})

test('a step waits, too, when its question was told before its end, unless it is answered by then', () => {
  const begins = ['step_started', { n: 1, tool: 'de_tap_text', args: {} }] as [string, object]
  const answer = ['answered', { question_id: 'q1', value: 'deny' }] as [string, object]

  const asked = replay([begins, asks('q1'), step(1)]).view
  const answered = replay([begins, asks('q1'), step(1), answer]).view
  const early = replay([begins, asks('q1'), answer, step(1)]).view

  expect([asked, answered, early].map((view) => steps(view)[0]?.state)).toEqual(['waiting', 'ok', 'ok'])
})

test('another answer leaves a step waiting for its own', () => {
  const { view } = replay([step(1), asks('q1'), step(2), asks('q2'), ['answered', { question_id: 'q2', value: 'x' }]])

  expect(steps(view).map((each) => each.state)).toEqual(['waiting', 'ok'])
})

test('a step that failed, or was done before the phone was taken over, asked nothing', () => {
  const failed = replay([step(1, false), asks('q1')]).view
  const taken = replay([step(1), asks('q1', 'takeover')]).view

  expect(steps(failed)[0]?.state).toBe('failed')
  expect(steps(taken)[0]?.state).toBe('ok')
})

test('a step whose question nobody answered before the end was not done', () => {
  const { view } = replay([step(1), asks('q1'), ['done', { answer: '', usage, mode: 'chat', stopped: true }]])

  expect(steps(view)[0]?.state).toBe('cut')
})
