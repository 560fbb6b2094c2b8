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
  providers: ['openai', 'offline'],
}

beforeEach(() => {
  lang.value = 'en'
  allowDialogs()
})

afterEach(() => vi.unstubAllGlobals())

async function open(answers: Record<string, unknown>) {
  const asked = serve({ 'GET /api/agent/config': CONFIG, ...answers })
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
