import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../../i18n'
import { review } from '../../stores/memory'
import { go, page } from '../../stores/page'
import { session } from '../../stores/session'
import { toasts, UNDO_MS } from '../../stores/toasts'
import { serve, type Asked } from '../../testing'
import ExperiencePanel from './ExperiencePanel.vue'
import ReviewPanel from './ReviewPanel.vue'

const suggestion = (id: string) => ({
  id: `r-${id}`, experience_id: id, task: `job ${id}`, action: 'pending', score: 4, reason: '', evidence: [], by: 'rules',
  created: '2026-03-10T12:00:00Z', decided: null, decided_by: '', recipe: 'Do it.', app: '',
})
const QUEUE = '/api/agent/experiences/audit/queue'
const DELETED = { method: 'DELETE', path: '/api/agent/experiences/a', body: null }
let asked: Asked[]

beforeEach(() => {
  vi.useFakeTimers()
  lang.value = 'en'
  Object.assign(session, { id: 'u1', user: 'li', role: 'operator' })
  review.value = { running: false, left: 0, waiting: 2, latest: null, due: null, failed: null }
  toasts.splice(0)
  asked = serve({
    [`GET ${QUEUE}`]: { items: [suggestion('a'), suggestion('b')], next: null },
    'DELETE /api/agent/experiences/a': { ok: true },
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function open() {
  const panel = mount(ReviewPanel)
  await flushPromises()
  return panel
}

const press = (key: string) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
const deleted = () => asked.filter((each) => each.method === 'DELETE')

test('a deletion by key is out of sight at once and reaches the server when it cannot be taken back any more', async () => {
  const panel = await open()

  press('d')
  await flushPromises()
  const [shown, before] = [panel.get('aside h2').text(), deleted()]
  await vi.advanceTimersByTimeAsync(UNDO_MS)

  expect(shown).toBe('job b')
  expect(before).toEqual([])
  expect(deleted()).toEqual([DELETED])
  panel.unmount()
})

test('a deletion that is taken back never reaches the server', async () => {
  const panel = await open()

  press('d')
  press('z')
  await vi.advanceTimersByTimeAsync(2 * UNDO_MS)

  expect(panel.get('aside h2').text()).toBe('job a')
  panel.unmount()
  expect(deleted()).toEqual([])
})

test('who leaves the page has deleted what was not taken back', async () => {
  const panel = await open()

  press('d')
  panel.unmount()
  await flushPromises()

  expect(deleted()).toEqual([DELETED])
})

const experience = (id: string) => ({
  id, task: `job ${id}`, recipe: 'Do it.', app: '', package: '', app_version: '', lang: 'en', run_id: null, hits: 0, successes: 0, failures: 0,
  confidence: 0.5, steps: 0, tokens: 0, steps_saved: 0, tokens_saved: 0, stale: '', proved: false, review: null,
  created: '2026-03-10T12:00:00Z', updated: '2026-03-10T12:00:00Z',
})

test('an address leads to a memory that the list has not come to yet', async () => {
  go('/memory/experiences/far')
  serve({
    'GET /api/agent/experiences?q=': { items: [experience('near')], next: 'c1' },
    'GET /api/agent/experiences/far': experience('far'),
  })

  const panel = mount(ExperiencePanel)
  await flushPromises()

  expect(panel.get('aside h2').text()).toBe('job far')
  panel.unmount()
})

test('what was chosen first and is answered last does not take the place of the other', async () => {
  go('/memory/experiences/slow')
  const answers: Record<string, (found: Response) => void> = {}
  serve({ 'GET /api/agent/experiences?q=': { items: [experience('near')], next: 'c1' } })
  const listed = fetch
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    path.includes('?') ? listed(path, init) : new Promise((answer) => { answers[path.split('/').at(-1) ?? ''] = answer }),
  )
  const panel = mount(ExperiencePanel)
  await flushPromises()

  go('/memory/experiences/quick')
  await flushPromises()
  for (const id of ['quick', 'slow']) answers[id]?.(new Response(JSON.stringify(experience(id))))
  await flushPromises()

  expect(panel.get('aside h2').text()).toBe('job quick')
  panel.unmount()
})

test('an address of a memory that is not there any more says so and shows the list', async () => {
  go('/memory/experiences/gone')
  serve({ 'GET /api/agent/experiences?q=': { items: [experience('near')], next: null } })

  const panel = mount(ExperiencePanel)
  await flushPromises()

  expect(toasts).toHaveLength(1)
  expect(page.sub).toBe('')
  expect(panel.find('aside').exists()).toBe(false)
  panel.unmount()
})

test('who leaves for another address is asked nothing about it', async () => {
  go('/memory/experiences/near')
  const asked = serve({ 'GET /api/agent/experiences?q=': { items: [experience('near')], next: null } })
  const panel = mount(ExperiencePanel)
  await flushPromises()

  go('/memory/actions/other')
  await flushPromises()

  expect(asked).toHaveLength(1)
  expect([page.part, page.sub]).toEqual(['actions', 'other'])
  panel.unmount()
})
