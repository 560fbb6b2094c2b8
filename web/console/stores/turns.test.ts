import { expect, test } from 'vitest'

import type { Message } from '../api/types'
import { newRun, type RunView } from './run_view'
import { turnsOf, type Turn } from './turns'

const CREATED = '2026-03-10T12:00:00Z'

function said(id: number, role: 'user' | 'assistant', run_id: string, more: Partial<Message> = {}): Message {
  return { id, role, content: `${id}`, created: CREATED, run_id, ...more }
}

function view(runId: string, live: boolean): RunView {
  return { ...newRun(runId), live }
}

const keys = (turns: Turn[]) => turns.map((turn) => turn.key)

test('a run stands once, whether its answer is stored or still comes', () => {
  const messages = [said(1, 'user', 'a'), said(2, 'assistant', 'a'), said(3, 'user', 'b')]
  const views = { a: view('a', false), b: view('b', true) }

  expect(keys(turnsOf(messages, views, ['a', 'b']))).toEqual(['1', 'run-a', '3', 'run-b'])
})

test('what was added to a run stands in its log while it goes on, and as a message after', () => {
  const messages = [said(1, 'user', 'a'), said(2, 'user', 'a')]

  expect(keys(turnsOf(messages, { a: view('a', true) }, ['a']))).toEqual(['1', 'run-a'])
  expect(keys(turnsOf(messages, { a: view('a', false) }, []))).toEqual(['1', '2'])
})

test('what an edit replaced stands together, before what stands', () => {
  const old = { replaced_by: 'b' }
  const messages = [said(1, 'user', 'a', old), said(2, 'assistant', 'a', old), said(3, 'user', 'b')]

  const [replaced, ...rest] = turnsOf(messages, { a: view('a', false) }, [])

  expect(replaced).toMatchObject({ key: 'replaced-1', replaced: [{ key: '1' }, { key: 'run-a' }] })
  expect(keys(rest)).toEqual(['3'])
})
