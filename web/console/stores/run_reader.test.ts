import { expect, test, vi } from 'vitest'

const hub = vi.hoisted(() => ({ handlers: new Map<string, (envelope: unknown) => void>(), opened: 0 }))

vi.mock('../live/hub', () => ({
  subscribe: (topic: string, handler: (envelope: unknown) => void) => {
    hub.opened += 1
    hub.handlers.set(topic, handler)
    return () => hub.handlers.delete(topic)
  },
}))

import { readRun } from './run_reader'

const say = (id: string, event: string, data: object) => hub.handlers.get(`run:${id}`)?.({ event, data })
const DONE = { answer: '好了', usage: null }

test('two that show a run share one reader, and both learn of its end', () => {
  const ended: string[] = []

  const one = readRun('r1', () => ended.push('chat'))
  say('r1', 'step_started', { n: 1, tool: 'de_ui_tree', args: {} })
  const other = readRun('r1', () => ended.push('builder'))
  say('r1', 'done', DONE)

  expect(hub.opened).toBe(1)
  expect(other.view).toBe(one.view)
  expect(one.view.items).toHaveLength(1)
  expect(ended).toEqual(['chat', 'builder'])
  expect(hub.handlers.size).toBe(0)
})

test('who leaves does not end the reading of the other', () => {
  const ended: string[] = []
  const one = readRun('r2', () => ended.push('one'))
  const other = readRun('r2', () => ended.push('other'))

  one.end()
  say('r2', 'done', DONE)

  expect(ended).toEqual(['other'])
  expect(other.view.answer).toBe('好了')
})

test('nobody left, nothing is read', () => {
  const only = readRun('r3', () => {})

  only.end()

  expect(hub.handlers.has('run:r3')).toBe(false)
})
