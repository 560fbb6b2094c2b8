import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../i18n'
import { session } from '../stores/session'
import { discard, settings, unsavedCount } from '../stores/settings'
import { allowDialogs, serve } from '../testing'
import SettingsView from './SettingsView.vue'

const CONFIG = {
  agent_api_base: 'https://api.deepseek.com',
  agent_model: 'm',
  agent_api_key: 'sk-…1234',
  agent_default_serial: '',
  agent_max_steps: 40,
  agent_provider: '',
  agent_slots: 1,
  agent_autonomy: 'confirm_risky',
  agent_vision: 'auto',
  agent_budget_tokens: 0,
  agent_budget_cost: 0,
  agent_budget_minutes: 0,
  agent_retention_days: 30,
  agent_retention_gb: 5,
  agent_audit_replay: false,
  agent_prices: { other: { input: 1, output: 2, currency: 'CNY' } },
  providers: ['openai', 'offline'],
}

const PROFILE = { api_base: CONFIG.agent_api_base, model: 'm', pictures_kept: 1, pictures_max: null }

const STORAGE = { used_bytes: 3 * 1024 ** 2, pictures: 12, free_bytes: 40 * 1024 ** 3, low: false }

beforeEach(() => {
  lang.value = 'en'
  session.role = 'admin'
  allowDialogs()
})

afterEach(() => {
  discard()
  vi.unstubAllGlobals()
})

async function open(answers: Record<string, unknown> = {}) {
  const asked = serve({
    'GET /api/agent/config': CONFIG,
    'GET /api/agent/config/profile': PROFILE,
    'GET /api/agent/config/storage': STORAGE,
    'GET /api/agent/config/providers': { items: [], next: null },
    'GET /api/agent/rules': { items: [], next: null },
    ...answers,
  })
  const page = mount(SettingsView)
  await flushPromises()
  const sent = () => asked.filter((each) => each.method !== 'GET').map(({ method, path, body }) => [method, path, body])
  return { page, sent }
}

type Page = Awaited<ReturnType<typeof open>>['page']

function control(page: Page, label: string) {
  const found = page.findAll('label').find((each) => each.text() === label)
  return page.get(`#${found?.attributes('for')}`)
}

async function submit(page: Page) {
  await page.get('form').trigger('submit')
  await flushPromises()
}

test('only what was changed is saved, and the masked key is left alone', async () => {
  const { page, sent } = await open({ 'PUT /api/agent/config': { ...CONFIG, agent_max_steps: 60 } })

  await control(page, 'Max steps').setValue('60')
  const before = unsavedCount.value
  await submit(page)

  expect(sent()).toEqual([['PUT', '/api/agent/config', { agent_max_steps: 60 }]])
  expect([before, unsavedCount.value]).toEqual([1, 0])
  expect(page.find('.unsaved').exists()).toBe(false)
})

test('what is not saved outlives a visit to another page, and can be discarded', async () => {
  const { page } = await open()
  await control(page, 'Max steps').setValue('60')
  page.unmount()

  const { page: again } = await open({ 'GET /api/agent/config': { ...CONFIG, agent_vision: 'off' } })
  const kept = (control(again, 'Max steps').element as HTMLInputElement).value
  const news = (control(again, 'Screenshots').element as HTMLSelectElement).value
  await again.findAll('.unsaved button')[0]?.trigger('click')

  expect([kept, news]).toEqual(['60', 'off'])
  expect((control(again, 'Max steps').element as HTMLInputElement).value).toBe('40')
})

test('closing the window asks first while something is not saved', async () => {
  const { page } = await open()
  const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }))

  const quiet = leave()
  await control(page, 'Max steps').setValue('60')
  const asks = !leave()

  expect([quiet, asks]).toEqual([true, true])
})

test('a refused value is explained at its field and nothing typed is lost', async () => {
  const error = { code: 'invalid', message: 'At most 32 slots', path: 'agent_slots' }
  const { page } = await open({ 'PUT /api/agent/config': [400, { error }] })

  await control(page, 'Slots').setValue('99')
  await submit(page)

  expect(page.get('[aria-invalid=true]').attributes('max')).toBe('32')
  expect(page.get('[role=alert]').text()).toBe('At most 32 slots')
  expect(settings.form.agent_slots).toBe(99)
})

test('slots can be one for each ready phone, and a number again', async () => {
  const { page } = await open()
  const tick = page.get('input[type=checkbox]')

  await tick.setValue(true)
  const perPhone = settings.form.agent_slots
  await tick.setValue(false)

  expect([perPhone, settings.form.agent_slots]).toEqual([0, 1])
})

test('a service fills in its address, and an address that is typed is another', async () => {
  const { page } = await open()

  await control(page, 'Service').setValue('Zhipu')
  const base = settings.form.agent_api_base
  await control(page, 'API base').setValue('http://elsewhere/v1')

  expect(base).toBe('https://open.bigmodel.cn/api/paas/v4')
  expect((control(page, 'Service').element as HTMLSelectElement).value).toBe('')
})

test('unsaved values can be tried, and a failure says what to do', async () => {
  const failure = { code: 'model_auth', message: 'Refused', hint: 'New key' }
  const answer = { ok: false, provider: 'openai', error: failure }
  const { page, sent } = await open({ 'POST /api/agent/config/test': answer })

  await control(page, 'API base').setValue('http://elsewhere/v1')
  await page.get('#part-model button').trigger('click')
  await flushPromises()

  expect(sent()).toEqual([['POST', '/api/agent/config/test', { agent_api_base: 'http://elsewhere/v1' }]])
  expect(page.get('.error').text()).toMatch(/Refused.*New key/)
})

test('what the model can do is listed, with what could not be tried', async () => {
  const findings = [
    { name: 'tools', ok: true, detail: '' },
    { name: 'vision', ok: false, detail: 'It did not read the number.' },
    { name: 'reasoning', ok: null, detail: '' },
    { name: 'warp', ok: true, detail: '' },
  ]
  const answer = { ok: true, provider: 'openai', model: 'm', ms: 812, error: null, findings }
  const { page } = await open({ 'POST /api/agent/config/test': answer })

  await page.get('#part-model button').trigger('click')
  await flushPromises()

  const lines = page.findAll('.findings li').map((line) => line.text())
  expect(lines).toEqual([
    'Calls tools · yes',
    'Sees pictures · noIt did not read the number.',
    'Shows its reasoning · not tried',
    'warp · yes',
  ])
})

test('limits, storage and the price of the model are saved, other prices stay', async () => {
  const { page, sent } = await open({ 'PUT /api/agent/config': CONFIG })

  await control(page, 'Tokens').setValue('90000')
  await control(page, 'At most GB').setValue('2.5')
  await control(page, 'Input').setValue('0.3')
  await control(page, 'Output').setValue('1.1')
  await submit(page)

  const prices = { ...CONFIG.agent_prices, m: { input: 0.3, output: 1.1, currency: 'USD' } }
  const body = { agent_budget_tokens: 90000, agent_retention_gb: 2.5, agent_prices: prices }
  expect(sent()).toEqual([['PUT', '/api/agent/config', body]])
})

test('how many pictures the saved model gets is kept in its profile', async () => {
  const { page, sent } = await open({ 'PUT /api/agent/config/profile': { ...PROFILE, pictures_kept: 3 } })

  await control(page, 'Pictures sent').setValue('3')
  await submit(page)

  expect(sent()).toEqual([['PUT', '/api/agent/config/profile', { pictures_kept: 3 }]])
  expect(unsavedCount.value).toBe(0)
})

test('a model that is not saved yet has a price of its own and no pictures to choose', async () => {
  const { page } = await open()

  for (const typed of ['n', 'ne', 'new']) await control(page, 'Model').setValue(typed)

  expect(page.findAll('.price legend .mono').map((each) => each.text())).toEqual(['other', 'new'])
  expect(control(page, 'Pictures sent').attributes('disabled')).toBeDefined()
  expect(page.text()).toContain('Save the model first')
})

test('what is kept is told in figures, and that there is no room for more', async () => {
  const { page } = await open({ 'GET /api/agent/config/storage': { ...STORAGE, low: true } })

  const part = page.get('#part-storage').text()

  expect(part).toContain('3 MB of 5 GB used')
  expect(part).toContain('12 pictures · 40 GB free')
  expect(part).toContain('Less than 1 GB free')
})

test('a brain that would not answer says why', async () => {
  const error = { code: 'model_unset', message: 'No model is set', hint: 'Set one' }
  const caps = { text_deltas: true, cost: false }
  const brain = { name: 'openai', chosen: true, ok: false, model: null, ms: null, error, caps }
  const { page } = await open({ 'GET /api/agent/config/providers': { items: [brain], next: null } })

  const row = page.get('#part-brains tbody tr').text()

  expect(row).toMatch(/openai.*in use.*not available.*No model is set.*streams/)
})

test('those who may not change the settings are told so and ask the server nothing', async () => {
  session.role = 'operator'

  const { page } = await open()

  expect(page.text()).toContain('Only an administrator')
  expect(page.find('form').exists()).toBe(false)
})
