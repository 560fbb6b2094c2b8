import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { RunState } from '../api/types'
import { lang } from '../i18n'
import { chat, open } from '../stores/chat'
import { devices } from '../stores/devices'
import { runs } from '../stores/runs'
import { session } from '../stores/session'
import { toasts } from '../stores/toasts'
import { aDevice, serve } from '../testing'
import AutonomyPicker from './AutonomyPicker.vue'
import DevicePicker from './DevicePicker.vue'
import MessageComposer from './MessageComposer.vue'

const run: RunState = {
  run_id: 'r1', conv_id: 'c1', serial: 'A1', mode: 'chat', status: 'running', step: 1, max_steps: 40,
  question: null,
}
const PAGE = { items: [], next: null }

beforeEach(() => {
  lang.value = 'en'
  Object.assign(session, { user: 'kim', role: 'operator' })
  Object.assign(devices, { items: [aDevice()], known: true, chosen: 'A1' })
  Object.assign(chat, { id: null, messages: [], views: {} })
  Object.assign(runs, { items: [] })
  toasts.length = 0
})

afterEach(() => vi.unstubAllGlobals())

function compose(text: string) {
  const box = mount(MessageComposer, {
    props: { modelValue: text, 'onUpdate:modelValue': (value: string) => box.setProps({ modelValue: value }) },
  })
  return box
}

const sendButton = (box: ReturnType<typeof compose>) => box.get<HTMLButtonElement>('[type=submit]').element

test('how much is done alone is chosen for one conversation, and as set until then', async () => {
  const asked = serve({
    'POST /api/agent/run': [202, { run_id: 'r1', conv_id: 'c1' }],
    'GET /api/agent/conversations?': PAGE,
  })
  const box = compose('open Notes')

  await box.get('form').trigger('submit')
  await flushPromises()
  await box.getComponent(AutonomyPicker).get('select').setValue('observe')
  await box.setProps({ modelValue: 'open Clock' })
  await box.get('form').trigger('submit')
  await flushPromises()

  const sent = asked.filter((each) => each.method === 'POST').map((each) => each.body)
  expect(sent).toEqual([
    { prompt: 'open Notes', serial: 'A1' },
    { prompt: 'open Clock', serial: 'A1', conv_id: 'c1', autonomy: 'observe' },
  ])
  expect(chat.autonomy).toBe('observe')
  await open(null)
  expect(chat.autonomy).toBe('')
})

test('Enter sends, Shift+Enter does not, and neither does an input method', async () => {
  const asked = serve({
    'POST /api/agent/run': [202, { run_id: 'r1', conv_id: 'c1' }],
    'GET /api/agent/conversations?': PAGE,
  })
  const box = compose('open Notes')
  const area = box.get('textarea')

  await area.trigger('keydown', { key: 'Enter', shiftKey: true })
  await area.trigger('keydown', { key: 'Enter', isComposing: true })
  await area.trigger('keydown', { key: 'Enter', keyCode: 229 }) // Safari's
  await flushPromises()
  const before = asked.length
  await area.trigger('keydown', { key: 'Enter' })
  await flushPromises()

  expect(before).toBe(0)
  expect(asked[0]).toMatchObject({ path: '/api/agent/run', body: { prompt: 'open Notes', serial: 'A1' } })
  expect(box.props('modelValue')).toBe('')
})

test('what is added to a run names the phone of the run, whatever was chosen', () => {
  devices.items = [aDevice(), aDevice({ serial: 'A2', hardware_serial: 'A2' })]
  devices.chosen = 'A2'
  Object.assign(chat, { id: 'c1' })
  runs.items = [run]

  const picker = compose('').get('select').element

  expect([picker.value, picker.disabled]).toEqual(['A1', true])
})

test('who may only look has nothing to press', () => {
  session.role = 'viewer'
  Object.assign(chat, { id: 'c1' })
  runs.items = [run]

  const box = compose('')

  expect(box.findAll('button')).toEqual([])
  expect(box.find('textarea').exists()).toBe(false)
  expect(box.text()).toContain('only look')
})

test('what could not be sent is given back with the reason', async () => {
  const error = { code: 'device_busy', message: 'A1 is in use', hint: 'Wait' }
  serve({ 'POST /api/agent/run': [409, { error }] })
  const box = compose('open Notes')

  await box.get('form').trigger('submit')
  await flushPromises()

  expect(box.props('modelValue')).toBe('open Notes')
  expect(toasts[0]).toMatchObject({ kind: 'error', message: 'A1 is in use', hint: 'Wait' })
})

test('while another conversation uses the slot nothing can be sent', () => {
  runs.items = [run]

  const box = compose('open Notes')

  expect(sendButton(box).disabled).toBe(true)
  expect(box.get('.obstacle').text()).toBe('A run on Pixel 7 is going on: wait for it, or stop it')
})

test('in its own conversation more can be said, and the run stopped', async () => {
  const asked = serve({
    'POST /api/agent/run/r1/message': [202, { message_id: 'm' }],
    'POST /api/agent/run/r1/stop': { ok: true },
  })
  chat.id = 'c1'
  runs.items = [run]
  const box = compose('and the rating')

  await box.get('form').trigger('submit')
  await flushPromises()
  await box.get('.stop').trigger('click')
  await flushPromises()

  expect(asked.map((one) => one.path)).toEqual(['/api/agent/run/r1/message', '/api/agent/run/r1/stop'])
})

test('what is said in the moment a run ends begins the next one', async () => {
  const error = { code: 'run_over', message: 'over' }
  const asked = serve({
    'POST /api/agent/run/r1/message': [409, { error }],
    'POST /api/agent/run': [202, { run_id: 'r2', conv_id: 'c1' }],
    'GET /api/agent/conversations?': PAGE,
  })
  chat.id = 'c1'
  runs.items = [run]
  const box = compose('and the rating')

  await box.get('form').trigger('submit')
  await flushPromises()

  expect(asked.slice(0, 2).map((one) => one.path)).toEqual(['/api/agent/run/r1/message', '/api/agent/run'])
  expect(toasts).toHaveLength(0)
})

test('a phone that is busy is named with its holder and cannot be chosen', () => {
  const lease = { holder: 'agent' as const, label: 'AI · Sign in', since: '', until: '' }
  devices.items = [aDevice(), aDevice({ serial: 'A2', alias: 'Rack 2', lease })]

  const option = compose('').getComponent(DevicePicker).findAll('option')[1]

  expect(option?.text()).toBe('Rack 2 — AI · Sign in')
  expect(option?.attributes('disabled')).toBeDefined()
})

test('phones of the same model are told apart', () => {
  devices.items = [aDevice(), aDevice({ serial: 'A2', hardware_serial: 'H2' })]

  const names = compose('').getComponent(DevicePicker).findAll('option').map((option) => option.text())

  expect(names).toEqual(['Pixel 7 · A1', 'Pixel 7 · H2'])
})
