import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../i18n'
import { allowDialogs, serve } from '../testing'
import ConfigDialog from './ConfigDialog.vue'

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
  agent_prices: { other: { input: 1, output: 2, currency: 'CNY' } },
  providers: ['openai', 'offline'],
}

const PROFILE = { api_base: CONFIG.agent_api_base, model: 'm', pictures_kept: 1, pictures_max: null }

beforeEach(() => {
  lang.value = 'en'
  allowDialogs()
})

afterEach(() => vi.unstubAllGlobals())

async function open(answers: Record<string, unknown>) {
  const asked = serve({ 'GET /api/agent/config': CONFIG, 'GET /api/agent/config/profile': PROFILE, ...answers })
  const dialog = mount(ConfigDialog)
  await flushPromises()
  return { dialog, asked }
}

test('only what was changed is saved, and the masked key is left alone', async () => {
  const { dialog, asked } = await open({ 'PUT /api/agent/config': { ...CONFIG, agent_max_steps: 60 } })

  await dialog.findAll('input[type=number]')[0]?.setValue('60')
  await dialog.get('form').trigger('submit')
  await flushPromises()

  expect(asked.at(-1)).toMatchObject({ method: 'PUT', body: { agent_max_steps: 60 } })
  expect(dialog.emitted('close')).toHaveLength(1)
})

test('a refused value is explained at its field', async () => {
  const error = { code: 'invalid', message: 'At most 32 slots', path: 'agent_slots' }
  const { dialog } = await open({ 'PUT /api/agent/config': [400, { error }] })

  await dialog.findAll('input[type=number]')[1]?.setValue('99')
  await dialog.get('form').trigger('submit')
  await flushPromises()

  expect(dialog.get('[aria-invalid=true]').attributes('max')).toBe('32')
  expect(dialog.get('[role=alert]').text()).toBe('At most 32 slots')
  expect(dialog.emitted('close')).toBeUndefined()
})

test('unsaved values can be tried', async () => {
  const failure = { code: 'model_auth', message: 'Refused', hint: 'New key' }
  const answer = { ok: false, provider: 'openai', error: failure }
  const { dialog, asked } = await open({ 'POST /api/agent/config/test': answer })

  await dialog.get('input[type=url]').setValue('http://elsewhere/v1')
  await dialog.findAll('.end button')[0]?.trigger('click')
  await flushPromises()

  expect(asked.at(-1)?.body).toEqual({ agent_api_base: 'http://elsewhere/v1' })
  expect(dialog.get('.error').text()).toMatch(/Refused.*New key/)
})

test('what the model can do is listed, with what could not be tried', async () => {
  const findings = [
    { name: 'tools', ok: true, detail: '' },
    { name: 'vision', ok: false, detail: 'It did not read the number.' },
    { name: 'reasoning', ok: null, detail: '' },
    { name: 'warp', ok: true, detail: '' },
  ]
  const answer = { ok: true, provider: 'openai', model: 'm', ms: 812, error: null, findings }
  const { dialog } = await open({ 'POST /api/agent/config/test': answer })

  await dialog.findAll('.end button')[0]?.trigger('click')
  await flushPromises()

  const lines = dialog.findAll('.findings li').map((line) => line.text())
  expect(lines).toEqual([
    'Calls tools · yes',
    'Sees pictures · noIt did not read the number.',
    'Shows its reasoning · not tried',
    'warp · yes',
  ])
})

function control(dialog: Awaited<ReturnType<typeof open>>['dialog'], label: string) {
  const found = dialog.findAll('label').find((each) => each.text() === label)
  return dialog.get(`#${found?.attributes('for')}`)
}

test('limits, storage and the price of the model are saved, other prices stay', async () => {
  const { dialog, asked } = await open({ 'PUT /api/agent/config': CONFIG })

  await control(dialog, 'Tokens').setValue('90000')
  await control(dialog, 'At most GB').setValue('2.5')
  await control(dialog, 'Input').setValue('0.3')
  await control(dialog, 'Output').setValue('1.1')
  await dialog.get('form').trigger('submit')
  await flushPromises()

  const prices = { ...CONFIG.agent_prices, m: { input: 0.3, output: 1.1, currency: 'USD' } }
  const body = { agent_budget_tokens: 90000, agent_retention_gb: 2.5, agent_prices: prices }
  expect(asked.slice(2)).toEqual([{ method: 'PUT', path: '/api/agent/config', body }])
})

test('how many pictures the saved model gets is kept in its profile', async () => {
  const { dialog, asked } = await open({ 'PUT /api/agent/config/profile': PROFILE })

  await control(dialog, 'Pictures sent').setValue('3')
  await dialog.get('form').trigger('submit')
  await flushPromises()

  expect(asked.slice(2)).toEqual([
    { method: 'PUT', path: '/api/agent/config/profile', body: { pictures_kept: 3 } },
  ])
  expect(dialog.emitted('close')).toHaveLength(1)
})

test('a model that is not saved yet has its own price and no pictures to choose', async () => {
  const { dialog } = await open({})

  await control(dialog, 'Model').setValue('other')

  expect((control(dialog, 'Output').element as HTMLInputElement).value).toBe('2')
  expect(control(dialog, 'Pictures sent').attributes('disabled')).toBeDefined()
  expect(dialog.text()).toContain('Save the model first')
})

test('a wrong value in the folded part unfolds it', async () => {
  const error = { code: 'invalid', message: 'A number is needed', path: 'agent_prices.m.output' }
  const { dialog } = await open({ 'PUT /api/agent/config': [400, { error }] })

  const folded = (dialog.get('details').element as HTMLDetailsElement).open
  await control(dialog, 'Input').setValue('0.3')
  await dialog.get('form').trigger('submit')
  await flushPromises()

  expect(folded).toBe(false)
  expect((dialog.get('details').element as HTMLDetailsElement).open).toBe(true)
  expect(control(dialog, 'Output').attributes('aria-invalid')).toBe('true')
})
