import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { beforeEach, expect, test } from 'vitest'

import { take } from '../components/steps/schema'
import { lang } from '../i18n'
import { page, place } from '../stores/page'
import { session } from '../stores/session'
import { blankTask, unsaved } from '../stores/tasks'
import { allowDialogs, serve } from '../testing'
import TaskView from './TaskView.vue'

const WAIT = { type: 'wait', seconds: 1 }
const TASK = {
  ...blankTask(), task_id: 't1', name: 'Sign in', steps: [WAIT], revision: 1, paused: false, failures: 0, next: [],
  created: '2026-03-10T12:00:00Z', created_by: 'li', updated: '2026-03-10T12:00:00Z', updated_by: 'li', last: null,
}
const SAVE = 'PUT /api/tasks/t1'

beforeEach(() => {
  lang.value = 'en'
  session.role = 'operator'
  unsaved.clear()
  allowDialogs()
  take({ wait: { properties: { type: {}, seconds: { type: 'number' } }, required: ['type', 'seconds'] } })
})

async function show(address: string): Promise<VueWrapper> {
  Object.assign(page, place(address))
  const shown = mount(TaskView, { global: { stubs: { ElementPicker: true } } })
  await flushPromises()
  return shown
}

async function save(shown: VueWrapper): Promise<void> {
  await shown.find('.btn.primary').trigger('click')
  await flushPromises()
}

test('a draft opens with its warnings and with what its replay came to, and is a task once saved', async () => {
  const asked = serve({
    'GET /api/agent/draft': {
      draft: { name: 'Look', steps: [WAIT, WAIT], inputs: { page: 'Sound' } },
      warnings: ['A point is tapped'],
      replay: { ok: false, steps: [{ n: 2, path: 'steps.1', status: 'failed', error: { message: 'too slow' } }] },
    },
    'POST /api/tasks': [201, { ...TASK, name: 'Look' }],
  })
  const shown = await show('/tasks/new?draft=1')

  const text = shown.text()
  await save(shown)

  expect(text).toContain('A point is tapped')
  expect(text).toContain('too slow')
  expect(asked.find((each) => each.method === 'POST')?.body).toMatchObject({
    name: 'Look', steps: [WAIT, WAIT], inputs: { page: 'Sound' },
  })
  shown.unmount()
})

test('what was not saved is there again, and goes on top of what it was begun on', async () => {
  serve({ 'GET /api/tasks/t1': TASK })
  const before = await show('/tasks/t1')
  await before.find('input.title').setValue('Mine')
  before.unmount()
  const asked = serve({
    'GET /api/tasks/t1': { ...TASK, name: 'Theirs', revision: 2, updated_by: 'wang' },
    'GET /api/tasks/t1/revisions/2/diff?against=1': { old: 1, new: 2, items: [{ path: 'name', kind: 'changed', old: 'Sign in', new: 'Theirs' }] },
    [SAVE]: [409, { error: { code: 'task_changed', message: 'wang changed it' } }],
  })

  const shown = await show('/tasks/t1')
  await save(shown)

  expect((shown.find('input.title').element as HTMLInputElement).value).toBe('Mine')
  expect(asked.find((each) => each.method === 'PUT')?.body).toMatchObject({ name: 'Mine', revision: 1 })
  const told = shown.findAll('dialog section').map((each) => each.text())
  expect(told[0]).toContain('Theirs')
  expect(told[1]).toContain('Mine')
  shown.unmount()
})

test('changes can be given up', async () => {
  serve({ 'GET /api/tasks/t1': TASK })
  const before = await show('/tasks/t1')
  await before.find('input.title').setValue('Mine')
  before.unmount()

  const shown = await show('/tasks/t1')
  await shown.find('.notice button').trigger('click')

  expect((shown.find('input.title').element as HTMLInputElement).value).toBe('Sign in')
  expect(unsaved.size).toBe(0)
  shown.unmount()
})

test('Ctrl S saves what was changed, once', async () => {
  const asked = serve({ 'GET /api/tasks/t1': TASK, [SAVE]: { ...TASK, name: 'Mine', revision: 2 } })
  const shown = await show('/tasks/t1')
  await shown.find('input.title').setValue('Mine')

  for (let n = 0; n < 2; n += 1) {
    dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, cancelable: true }))
    await flushPromises()
  }

  expect(asked.filter((each) => each.method === 'PUT')).toHaveLength(1)
  expect(shown.find('.btn.primary').attributes('disabled')).toBeDefined()
  shown.unmount()
})

